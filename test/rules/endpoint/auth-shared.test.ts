import { describe, expect, it } from 'vitest'
import { authShared } from '../../../src/rules/endpoint/auth-shared.ts'
import { masked, problemsAcross, seal } from './judge-endpoint.ts'

const endpoint = (uid: string, host: string, header_value: string, project = 'p') => ({
  uid,
  attributes: { url: `https://${host}/in`, authentication: { type: 'api_key', api_key: { header_value } } },
  project,
})
const problem = (uid: string) => ({
  uid,
  path: '/authentication/api_key/header_value',
  message: 'the same credential is sent to 2 hosts',
})

describe('endpoint/auth-shared', () => {
  it('finds a key that goes to two hosts, in one project or two, and says it of each endpoint', () => {
    const sees = [endpoint('e1', 'a.example', seal('a')), endpoint('e2', 'b.example', seal('a'), 'q')]
    expect(problemsAcross(authShared, sees)).toEqual([problem('e1'), problem('e2')])
  })

  it('leaves a key alone that goes to one host, and different keys', () => {
    const same = [endpoint('e1', 'a.example', seal('a')), endpoint('e2', 'A.example', seal('a'))]
    expect(problemsAcross(authShared, same)).toEqual([])
    const different = [endpoint('e1', 'a.example', seal('a')), endpoint('e2', 'b.example', seal('b'))]
    expect(problemsAcross(authShared, different)).toEqual([])
  })

  it('never compares what the service masks', () => {
    const sees = [endpoint('e1', 'a.example', masked), endpoint('e2', 'b.example', masked)]
    expect(problemsAcross(authShared, sees)).toEqual([])
  })

  it('leaves an OAuth client alone: its secret goes to one token server', () => {
    const oauth2 = { url: 'https://idp.example/token', client_secret: seal('a') }
    const sees = ['a', 'b'].map((uid) => ({
      uid,
      attributes: { url: `https://${uid}.example/`, authentication: { type: 'oauth2', oauth2 } },
    }))
    expect(problemsAcross(authShared, sees)).toEqual([])
  })

  it('is silent where nothing is shown or the address does not parse', () => {
    expect(
      problemsAcross(authShared, [
        { uid: 'e1', attributes: {} },
        { uid: 'e2', attributes: {} },
      ]),
    ).toEqual([])
    expect(
      problemsAcross(authShared, [endpoint('e1', 'a b', seal('a')), endpoint('e2', 'b.example', seal('a'))]),
    ).toEqual([])
  })
})
