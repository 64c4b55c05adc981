import type { JsonObject } from '../../../src/model/json.ts'
import { aProject, aSource, aSubscription, type Cases } from '../rule-cases.ts'

const asking = (filter: JsonObject) => aSubscription({ source_uid: 'q1', filter_config: { filter } })
const incoming = aProject({ type: 'incoming' })
const [http, queue] = ['http', 'pub_sub'].map((type) => aSource({ type }))
const outgoing = aProject({ type: 'outgoing' })
const noQuery = 'high s1/filter_config/filter/query: only events of http sources have a query'

export const cases: Cases = {
  'finds a header in a spelling that no http source has': {
    sees: [incoming, http, asking({ headers: { 'x-region': 'eu' } })].flatMap((one) => one ?? []),
    finds: ['high s1/filter_config/filter/headers: the header `x-region` never arrives: it is `X-Region` there'],
  },
  'leaves the canonical spelling alone, and another one next to it': {
    sees: [incoming, http, asking({ headers: { 'X-Region': 'eu', 'x-b': '1' } })].flatMap((one) => one ?? []),
  },
  'finds a query where none comes': {
    sees: [incoming, queue, asking({ query: { a: '1' } })].flatMap((one) => one ?? []),
    finds: [noQuery],
  },
  'finds a query and a path in an outgoing project': {
    sees: [outgoing, asking({ query: { a: '1' }, path: { path: '/orders' } })],
    finds: [noQuery, 'high s1/filter_config/filter/path: no text satisfies the conditions on `path`'],
  },
  'leaves names of headers alone that the producer writes, and a path that is empty': {
    sees: [outgoing, asking({ headers: { 'x-region': 'eu' }, path: { path: '' } })],
  },
  'leaves alone what another rule says': {
    sees: [outgoing, asking({ query: { a: { $in: [] } } })],
  },
  'is silent where the source is not known': { sees: [incoming, asking({ headers: { 'x-region': 'eu' } })] },
}
