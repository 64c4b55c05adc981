import type { RequestListener } from 'node:http'
import { beforeAll, describe, expect, it } from 'vitest'
import { aClient, listen, walk } from '../service/fake-service.ts'
import { plain, tls } from '../service/front-ends.ts'
import { certificateOf, makeCertificates } from '../service/service-certificates.ts'
import { textOf } from './build-image.ts'

beforeAll(makeCertificates)

/** A front that answers so. */
const front = (status: number, headers: Record<string, string>, body = '') => {
  const answer: RequestListener = (_request, response) => response.writeHead(status, headers).end(body)
  return async () => ({ url: await plain(answer) })
}

/** A proxy that opens no tunnel. */
const proxy = (status: number) => async () => {
  const { server, url } = await listen(() => {})
  server.on('connect', (_request, socket) => socket.end(`HTTP/1.1 ${status} no\r\ncontent-length: 0\r\n\r\n`))
  return { url: 'https://hooks.invalid', env: { HTTPS_PROXY: url } }
}

/** In the order of the page. */
const networks: Record<string, () => Promise<{ url: string; ca?: string; env?: Record<string, string> }>> = {
  'a proxy that asks for a password': proxy(407),
  'a proxy that forbids the host': proxy(403),
  'a mesh': front(403, { 'content-type': 'text/plain', server: 'istio-envoy' }, 'RBAC: access denied'),
  'a firewall': front(403, { 'content-type': 'text/html', server: 'awselb/2.0' }, '<title>403 Forbidden</title>'),
  'a load balancer': front(
    502,
    { 'content-type': 'text/html', server: 'nginx/1.29.1' },
    '<title>502 Bad Gateway</title>',
  ),
  'a sign-on': front(302, { location: 'https://login.example/authorize' }),
  'a chain that is not sent whole': async () => ({
    url: (await tls('chained')).url,
    ca: certificateOf('root').cert,
  }),
}

describe('docs/how-to/connect-a-service.md', () => {
  const blocks = [...textOf('docs/how-to/connect-a-service.md').matchAll(/^```text\n(.*?)^```$/gms)]
  const shown = blocks.map(([, text = '']) => text.replace(/\s+/g, ' ').trim())

  it('shows a message for each network', () => {
    expect(shown).toHaveLength(Object.keys(networks).length)
  })

  it.each(Object.keys(networks).map((name, place) => [name, shown[place]] as const))(
    'shows what is said of %s',
    async (name, message) => {
      const { url, ca, env } = (await networks[name]?.()) ?? expect.unreachable()
      const { fault } = await walk(aClient(url, { ...(env && { env }), limits: { retries: 0 }, settings: { ca } }))
      expect(fault?.replace(/^(?:in_front|tls): page 1: /, '')).toBe(message)
    },
  )
})
