import { describe, expect, it } from 'vitest'
import { urlInvalid } from '../../../src/rules/endpoint/url-invalid.ts'
import { problemsOf, seal } from './judge-endpoint.ts'

describe('endpoint/url-invalid', () => {
  it.each([
    ['', 'has no address'],
    [null, 'has no address'],
    ['https://a.example/a b', 'the address holds blanks'],
    [' https://a.example/', 'the address holds blanks'],
    ['a.example/in', 'the address does not parse or has no host'],
    ['https:a.example', 'the address does not parse or has no host'],
    ['https:///in', 'the address does not parse or has no host'],
    ['https://a.example:99999/', 'the address does not parse or has no host'],
    ['ftp://a.example/in', 'the scheme is ftp, not https'],
    ['mailto:a@a.example', 'the address does not parse or has no host'],
    ['https://a.example/in#top', 'the address has a fragment, which is never sent'],
  ])('%j: %s', (url, message) => {
    expect(problemsOf(urlInvalid, { url })).toEqual([{ path: '/url', message }])
  })

  it('leaves addresses alone that can be delivered to, templates and seals included', () => {
    for (const url of [
      'https://a.example/in?a=1',
      'http://10.0.0.1:8080',
      'https://{tenant}.a.example:{port}/{path}',
      `https://${seal('a')}@a.example/${seal('b')}?token=${seal('c')}`,
    ]) {
      expect(problemsOf(urlInvalid, { url }), url).toEqual([])
    }
  })

  it('is silent where no address is shown', () => {
    expect(problemsOf(urlInvalid, {})).toEqual([])
  })
})
