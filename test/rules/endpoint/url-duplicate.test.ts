import { describe, expect, it } from 'vitest'
import { urlDuplicate } from '../../../src/rules/endpoint/url-duplicate.ts'
import { problemsAcross } from './judge-endpoint.ts'

const endpoint = (uid: string, url: string | null, status = 'active', project = 'p') => ({
  uid,
  attributes: { url, status },
  project,
})

describe('endpoint/url-duplicate', () => {
  it('finds an address that two active endpoints have, and says it of each', () => {
    const sees = [endpoint('e1', 'https://a.example/in'), endpoint('e2', 'https://a.example/in')]
    expect(problemsAcross(urlDuplicate, sees)).toEqual([
      { uid: 'e1', path: '/url', message: 'the same address as endpoint e2' },
      { uid: 'e2', path: '/url', message: 'the same address as endpoint e1' },
    ])
  })

  it('says the same whatever the order', () => {
    const sees = ['e3', 'e1', 'e2'].map((uid) => endpoint(uid, 'https://a.example/in'))
    expect(problemsAcross(urlDuplicate, sees)).toEqual([
      { uid: 'e3', path: '/url', message: 'the same address as endpoint e1 and 1 more' },
      { uid: 'e1', path: '/url', message: 'the same address as endpoint e2 and 1 more' },
      { uid: 'e2', path: '/url', message: 'the same address as endpoint e1 and 1 more' },
    ])
  })

  it('sees through another spelling', () => {
    const sees = [endpoint('e1', 'HTTPS://A.example:443'), endpoint('e2', 'https://a.example/')]
    expect(problemsAcross(urlDuplicate, sees)).toHaveLength(2)
  })

  it('leaves other addresses alone, templates and paths in another case included', () => {
    const urls = ['https://a.example/in', 'https://a.example/In', 'https://a.example/{a}', 'https://a.example/{b}']
    expect(
      problemsAcross(
        urlDuplicate,
        urls.map((url, index) => endpoint(`e${index}`, url)),
      ),
    ).toEqual([])
  })

  it('leaves endpoints alone that get nothing', () => {
    const sees = [endpoint('e1', 'https://a.example/'), endpoint('e2', 'https://a.example/', 'paused')]
    expect(problemsAcross(urlDuplicate, sees)).toEqual([])
  })

  it('leaves one endpoint alone that is seen twice', () => {
    const sees = [endpoint('e1', 'https://a.example/'), endpoint('e1', 'https://a.example/')]
    expect(problemsAcross(urlDuplicate, sees)).toEqual([])
  })

  it('is silent where address or status is not shown', () => {
    const shown = { url: 'https://a.example/' }
    expect(
      problemsAcross(urlDuplicate, [
        { uid: 'e1', attributes: shown },
        { uid: 'e2', attributes: shown },
      ]),
    ).toEqual([])
    expect(problemsAcross(urlDuplicate, [endpoint('e1', null), endpoint('e2', null)])).toEqual([])
  })
})
