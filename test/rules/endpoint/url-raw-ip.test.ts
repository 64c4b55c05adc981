import { describe, expect, it } from 'vitest'
import { urlRawIp } from '../../../src/rules/endpoint/url-raw-ip.ts'
import { problemsOf } from './judge-endpoint.ts'

describe('endpoint/url-raw-ip', () => {
  it.each([
    ['https://8.8.8.8/', '8.8.8.8'],
    ['https://134744072/', '8.8.8.8'],
    ['https://[2001:4860:4860::8888]/', '2001:4860:4860::8888'],
  ])('finds %s', (url, host) => {
    expect(problemsOf(urlRawIp, { url })).toEqual([{ path: '/url', message: `${host} is an address, not a name` }])
  })

  it('leaves names alone, and addresses to the rules that are stricter about them', () => {
    for (const url of ['https://a.example/', 'https://10.0.0.1/', 'https://127.0.0.1/', 'https://169.254.169.254/']) {
      expect(problemsOf(urlRawIp, { url }), url).toEqual([])
    }
  })

  it('is silent where no address is shown', () => {
    expect(problemsOf(urlRawIp, {})).toEqual([])
  })
})
