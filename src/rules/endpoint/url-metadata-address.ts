import { resourceRule } from '../engine/define-rule.ts'
import { destinationOf } from '../shared/destination.ts'
import { reachOf } from '../shared/reach.ts'

export const urlMetadataAddress = resourceRule('endpoint', {
  id: 'endpoint/url-metadata-address',
  title: 'Endpoint points at a cloud metadata service',
  severity: 'critical',
  packs: ['ssrf'],
  check({ attributes }) {
    const destination = destinationOf(attributes.url ?? '')
    if (destination !== undefined && reachOf(destination) === 'metadata') {
      return {
        path: '/url',
        message: `${destination.host} is a metadata address: deliveries would ask the gateway's own cloud for credentials`,
      }
    }
    return undefined
  },
})
