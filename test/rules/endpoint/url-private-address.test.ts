import { describe, expect, it } from 'vitest'
import { urlPrivateAddress } from '../../../src/rules/endpoint/url-private-address.ts'
import { problemsOf } from './judge-endpoint.ts'

const loopback = (host: string) => [{ path: '/url', message: `${host} is the gateway itself`, severity: 'high' }]
const inside = (host: string) => [{ path: '/url', message: `${host} is a private address` }]

describe('endpoint/url-private-address', () => {
  it.each([
    ['https://127.0.0.1/', '127.0.0.1'],
    ['https://2130706433/', '127.0.0.1'],
    ['https://[::1]/', '::1'],
    ['https://[::ffff:127.0.0.1]/', '::ffff:7f00:1'],
    ['https://0.0.0.0/', '0.0.0.0'],
    ['https://LOCALHOST:3000/', 'localhost'],
    ['https://api.localhost./', 'api.localhost'],
  ])('%s leads to the machine itself', (url, host) => {
    expect(problemsOf(urlPrivateAddress, { url })).toEqual(loopback(host))
  })

  it.each([
    ['https://10.1.2.3/', '10.1.2.3'],
    ['https://0xac100001/', '172.16.0.1'],
    ['https://192.168.1.1/', '192.168.1.1'],
    ['https://100.64.0.1/', '100.64.0.1'],
    ['https://[fd12::1]/', 'fd12::1'],
    ['https://[fe80::1]/', 'fe80::1'],
    ['https://printer.local/', 'printer.local'],
    ['https://billing.prod.internal/', 'billing.prod.internal'],
    ['https://billing.default.svc/', 'billing.default.svc'],
    ['https://billing/', 'billing'],
  ])('%s leads into a private network', (url, host) => {
    expect(problemsOf(urlPrivateAddress, { url })).toEqual(inside(host))
  })

  it('leaves public addresses and names alone, and the metadata service to its own rule', () => {
    for (const url of [
      'https://a.example/',
      'https://8.8.8.8/',
      'https://[2001:4860:4860::8888]/',
      'https://10.a.example/',
      'https://{tenant}/',
      'https://169.254.169.254/',
    ]) {
      expect(problemsOf(urlPrivateAddress, { url }), url).toEqual([])
    }
  })

  it('allows the ranges and hosts of the policy', () => {
    const options = { allow_ranges: ['10.0.0.0/8', 'fd00::/8'], allow_hosts: ['*.internal', 'billing'] }
    for (const url of ['https://10.1.2.3/', 'https://[fd12::1]/', 'https://a.b.internal/', 'https://billing/']) {
      expect(problemsOf(urlPrivateAddress, { url }, { options }), url).toEqual([])
    }
    expect(problemsOf(urlPrivateAddress, { url: 'https://192.168.1.1/' }, { options })).toEqual(inside('192.168.1.1'))
    expect(() => urlPrivateAddress.bind({ allow_ranges: ['10.0.0.0/33'] })).toThrow(/range/)
  })

  it('is silent where no address is shown or it does not parse', () => {
    expect(problemsOf(urlPrivateAddress, {})).toEqual([])
    expect(problemsOf(urlPrivateAddress, { url: 'http://' })).toEqual([])
  })
})
