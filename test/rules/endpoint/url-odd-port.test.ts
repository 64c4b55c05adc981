import { describe, expect, it } from 'vitest'
import { urlOddPort } from '../../../src/rules/endpoint/url-odd-port.ts'
import { problemsOf } from './judge-endpoint.ts'

describe('endpoint/url-odd-port', () => {
  it.each([
    ['https://a.example:9000/', 9000],
    ['https://a.example:80/', 80],
    ['http://a.example:8080/', 8080],
  ])('finds %s', (url, port) => {
    expect(problemsOf(urlOddPort, { url })).toEqual([
      { path: '/url', message: `port ${port}, the policy allows 443, 8443` },
    ])
  })

  it('leaves usual ports alone, said or not', () => {
    for (const url of [
      'https://a.example/',
      'https://a.example:443/',
      'https://a.example:8443/',
      'http://a.example/',
      'http://a.example:443/',
      'https://a.example:{port}/',
    ]) {
      expect(problemsOf(urlOddPort, { url }), url).toEqual([])
    }
  })

  it('allows the ports of the policy', () => {
    const options = { allow_ports: [9000] }
    expect(problemsOf(urlOddPort, { url: 'https://a.example:9000/' }, { options })).toEqual([])
    expect(problemsOf(urlOddPort, { url: 'https://a.example/' }, { options })).toEqual([
      { path: '/url', message: 'port 443, the policy allows 9000' },
    ])
  })

  it('is silent where no address is shown', () => {
    expect(problemsOf(urlOddPort, {})).toEqual([])
  })
})
