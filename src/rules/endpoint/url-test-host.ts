import { z } from 'zod'
import { resourceRule } from '../engine/define-rule.ts'
import { allowHosts, destinationOf, isAllowedHost } from '../shared/destination.ts'

/** Request bins show to anyone who knows the address what arrives there. */
const bins = new Set(
  `beeceptor.com burpcollaborator.net canarytokens.com dnslog.cn hookbin.com httpbin.org interact.sh mockbin.io
  mockbin.org oast.fun oast.live oast.me oast.online oast.pro oast.site oastify.com pipedream.net postb.in ptsv2.com
  ptsv3.com putsreq.com requestbin.com requestbin.net requestcatcher.com requestinspector.com typedwebhook.tools
  webhook.cool webhook.site webhookinbox.com`.split(/\s+/),
)
/** A tunnel leads to one person's machine; its name may lead to another's tomorrow. */
const tunnels = new Set(
  `bore.pub devtunnels.ms lhr.life lhr.rocks loca.lt localhost.run localtunnel.me localxpose.io loclx.io
  ngrok-free.app ngrok-free.dev ngrok.app ngrok.dev ngrok.io pagekite.me pinggy.io pinggy.link serveo.net
  serveousercontent.com smee.io telebit.cloud trycloudflare.com tunnelmole.net tunnelto.dev zrok.io`.split(/\s+/),
)
/** RFC 2606 and 6761. */
const reserved = new Set(['example.com', 'example.net', 'example.org', 'example', 'test', 'invalid'])

export const urlTestHost = resourceRule('endpoint', {
  id: 'endpoint/url-test-host',
  title: 'Endpoint URL points to a test host',
  severity: 'high',
  packs: ['hygiene'],
  options: z.strictObject({ allow_hosts: allowHosts }),
  *check({ attributes }, { options }) {
    const destination = destinationOf(attributes.url ?? '')
    if (destination === undefined || destination.address !== undefined) return
    const { host } = destination
    for (let domain = host; ; domain = domain.slice(domain.indexOf('.') + 1)) {
      const found = kindOf(domain)
      if (found !== undefined && !isAllowedHost(options.allow_hosts, host)) {
        yield { path: '/url', message: `${host} is ${found.is}`, severity: found.severity }
      }
      if (found !== undefined || !domain.includes('.')) return
    }
  },
})

function kindOf(domain: string) {
  if (bins.has(domain)) return { is: 'a request bin: anyone can read what it receives', severity: 'high' } as const
  if (tunnels.has(domain)) return { is: "a tunnel to a person's own computer", severity: 'high' } as const
  return reserved.has(domain) ? ({ is: 'reserved for documentation and tests', severity: 'info' } as const) : undefined
}
