import type { JsonObject } from '../../../src/model/json.ts'
import { aProject, aSource, aSubscription, type Cases } from '../rule-cases.ts'

const incoming = aProject({ type: 'incoming' })
const http = (attributes: JsonObject = {}) => aSource({ type: 'http', mask_id: 'Mask1', ...attributes })
const rows = (filters: JsonObject) => aSubscription({ source_uid: 'q1', filters })
const paid = rows({ 'invoice.paid': {}, 'invoice.sent': {} })

export const cases: Cases = {
  'finds rows that name types which an http source never carries': {
    sees: [incoming, http(), paid],
    finds: [
      'high s1/filters: no event of its source arrives: all have the type `Mask1`, the filter rows name `invoice.paid`, `invoice.sent`',
    ],
  },
  'does not count a row of `*` that is switched off': {
    sees: [incoming, http(), rows({ a: {}, '*': { enabled_at: null } })],
    finds: ['high s1/filters: no event of its source arrives: all have the type `Mask1`, the filter rows name `a`'],
  },
  'leaves a row of the mask id, and a row of `*`, alone': {
    sees: [
      incoming,
      http(),
      rows({ Mask1: {}, a: {} }),
      aSubscription({ source_uid: 'q1', filters: { '*': {} } }, 's2'),
    ],
  },
  'leaves a row with a sealed name alone, which may be the mask id': {
    sees: [incoming, http(), rows({ 'sealed:0123456789abcdef0123456789abcdef': {} })],
  },
  'leaves a source alone that finds its types in the request': {
    sees: [incoming, http({ event_type_location: 'request.header.X-Event-Type' }), paid],
  },
  'leaves queues and outgoing projects alone': {
    sees: [incoming, aSource({ type: 'pub_sub', mask_id: 'Mask1' }), paid],
  },
  'leaves an outgoing project alone': { sees: [aProject({ type: 'outgoing' }), http(), paid] },
  'leaves it to other rules that there is no row, or none that is on': {
    sees: [incoming, http(), rows({}), aSubscription({ source_uid: 'q1', filters: { a: { enabled_at: null } } }, 's2')],
  },
  'is silent where rows were never read': { sees: [incoming, http(), aSubscription({ source_uid: 'q1' })] },
  'is silent where sources were not all seen': { sees: [incoming, http(), paid], unseen: ['source'] },
}
