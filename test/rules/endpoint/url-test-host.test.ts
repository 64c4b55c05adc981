import { describe, expect, it } from 'vitest'
import { urlTestHost } from '../../../src/rules/endpoint/url-test-host.ts'
import { problemsOf } from './judge-endpoint.ts'

describe('endpoint/url-test-host', () => {
  it.each(['webhook.site', 'WEBHOOK.site.', 'abc.requestbin.net', 'en1x.m.pipedream.net'])(
    'finds the request bin %s',
    (host) => {
      const found = host.toLowerCase().replace(/\.$/, '')
      expect(problemsOf(urlTestHost, { url: `https://${host}/in` })).toEqual([
        { path: '/url', message: `${found} is a request bin: anyone may read what it gets`, severity: 'high' },
      ])
    },
  )

  it('finds a tunnel', () => {
    expect(problemsOf(urlTestHost, { url: 'https://abc.ngrok-free.app/' })).toEqual([
      { path: '/url', message: "abc.ngrok-free.app is a tunnel to a person's own machine", severity: 'high' },
    ])
  })

  it.each(['example.com', 'hooks.tenant.example.org', 'a.example', 'a.test', 'a.invalid'])(
    'mentions the reserved name %s',
    (host) => {
      expect(problemsOf(urlTestHost, { url: `https://${host}/` })).toEqual([
        { path: '/url', message: `${host} is reserved for documentation and tests`, severity: 'info' },
      ])
    },
  )

  it('leaves names alone that only look alike', () => {
    for (const host of ['notwebhook.site', 'webhook.site.acme.dev', 'example.de', 'test.acme.dev', '8.8.8.8']) {
      expect(problemsOf(urlTestHost, { url: `https://${host}/` }), host).toEqual([])
    }
  })

  it('allows the hosts of the policy', () => {
    const options = { allow_hosts: ['acme.ngrok.app'] }
    expect(problemsOf(urlTestHost, { url: 'https://acme.ngrok.app/' }, { options })).toEqual([])
    expect(problemsOf(urlTestHost, { url: 'https://other.ngrok.app/' }, { options })).toHaveLength(1)
  })

  it('is silent where no address is shown', () => {
    expect(problemsOf(urlTestHost, {})).toEqual([])
  })
})
