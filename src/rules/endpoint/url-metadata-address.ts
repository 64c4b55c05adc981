import ipaddr from 'ipaddr.js'
import { type Destination, destinationOf } from '../destination.ts'
import { resourceRule } from '../rule.ts'

/** Where clouds answer questions about the machine that asks, credentials included. */
const names = new Set([
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'metadata.azure.internal',
  'instance-data',
  'instance-data.ec2.internal',
])
const ranges = [
  '169.254.0.0/16',
  '100.100.100.200/32',
  '168.63.129.16/32',
  '192.0.0.192/32',
  'fd00:ec2::254/128',
  'fd20:ce::254/128',
  'fe80::a9fe:a9fe/128',
].map((range) => ipaddr.parseCIDR(range))

export const urlMetadataAddress = resourceRule('endpoint', {
  id: 'endpoint/url-metadata-address',
  title: 'Endpoint points at a cloud metadata service',
  severity: 'critical',
  packs: ['ssrf'],
  *check({ attributes }) {
    const destination = destinationOf(attributes.url ?? '')
    if (destination !== undefined && isMetadata(destination)) {
      yield {
        path: '/url',
        message: `${destination.host} is a metadata address: deliveries would ask the gateway's own cloud for credentials`,
      }
    }
  },
})

function isMetadata({ host, address }: Destination): boolean {
  if (address === undefined) return names.has(host)
  return ranges.some(([range, bits]) => range.kind() === address.kind() && address.match(range, bits))
}
