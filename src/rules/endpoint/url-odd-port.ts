import { z } from 'zod'
import { resourceRule } from '../engine/define-rule.ts'
import { destinationOf } from '../shared/destination.ts'
import { listed } from '../shared/listed.ts'

export const urlOddPort = resourceRule('endpoint', {
  id: 'endpoint/url-odd-port',
  title: 'URL has an unusual port',
  severity: 'info',
  packs: ['hygiene'],
  options: z.strictObject({
    allow_ports: z
      .array(z.int().min(1).max(65_535))
      .default([443, 8443])
      .describe('Allowed ports; 80 is always allowed for plain http'),
  }),
  check({ attributes }, { options }) {
    const destination = destinationOf(attributes.url ?? '')
    if (destination === undefined) return
    const { port, scheme } = destination
    if (Number.isNaN(port) || options.allow_ports.includes(port) || (port === 80 && scheme === 'http:')) return
    return { path: '/url', message: `port ${port} (policy: ${listed(options.allow_ports.map(String))})` }
  },
})
