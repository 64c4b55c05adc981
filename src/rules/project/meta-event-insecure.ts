import { resourceRule } from '../engine/define-rule.ts'
import { destinationOf } from '../shared/destination.ts'

export const metaEventInsecure = resourceRule('project', {
  id: 'project/meta-event-insecure',
  title: 'Meta events are unencrypted or unsigned',
  severity: 'high',
  packs: ['tls', 'secrets'],
  acceptedWith: ['/config/meta_event'],
  *check({ attributes }) {
    const meta = attributes.config?.meta_event
    // Meta events that go to a queue have neither address nor signature.
    if (meta?.is_enabled !== true || meta.type === 'pub_sub') return
    const destination = destinationOf(meta.url ?? '')
    if (destination?.scheme === 'http:') {
      yield { path: '/config/meta_event/url', message: `meta events go to ${destination.host} over plain http` }
    }
    if (meta.secret === null) {
      yield {
        path: '/config/meta_event/secret',
        message: 'meta events have no secret: the receiver cannot verify them',
      }
    }
  },
})
