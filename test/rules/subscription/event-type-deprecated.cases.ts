import { anEventType, aSubscription, type Cases } from '../rule-cases.ts'

const old = anEventType({ name: 'refund.created', deprecated_at: '2026-11-24T13:39:39Z' }, 't1')
const paid = anEventType({ name: 'invoice.paid', deprecated_at: null }, 't2')
const declaring = (...types: string[]) => aSubscription({ filter_config: { event_types: types } })

export const cases: Cases = {
  'finds a declared type that the catalogue calls deprecated': {
    sees: [old, paid, declaring('invoice.paid', 'refund.created')],
    finds: [
      'low s1/filter_config/event_types: 1 deprecated event type: `refund.created` (declared, since 2026-11-24T13:39:39Z)',
    ],
  },
  'finds one that is applied alone': {
    sees: [old, aSubscription({ filter_config: { event_types: ['*'] }, filters: { '*': {}, 'refund.created': {} } })],
    finds: ['low s1/filters: 1 deprecated event type: `refund.created` (applied, since 2026-11-24T13:39:39Z)'],
  },
  'finds it even where the catalogue was read in part': {
    sees: [old, declaring('refund.created')],
    unseen: ['event_type'],
    finds: [
      'low s1/filter_config/event_types: 1 deprecated event type: `refund.created` (declared, since 2026-11-24T13:39:39Z)',
    ],
  },
  'leaves a type alone that is not deprecated': { sees: [old, paid, declaring('invoice.paid')] },
  'leaves one alone of which the catalogue does not say': {
    sees: [anEventType({ name: 'refund.created' }), declaring('refund.created')],
  },
}
