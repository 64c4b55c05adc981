import { anEventType, aSubscription, type Cases } from '../rule-cases.ts'

const all = anEventType({ name: '*' }, 't0')
const paid = anEventType({ name: 'invoice.paid' }, 't1')
const declaring = (...types: string[]) => aSubscription({ filter_config: { event_types: types } })

export const cases: Cases = {
  'finds a declared type that the catalogue lacks': {
    sees: [all, paid, declaring('invoice.paid', 'invoice.payed')],
    finds: ['medium s1/filter_config/event_types: 1 event type not in the catalogue: `invoice.payed` (declared)'],
  },
  'finds one that is declared and applied, and one that is applied alone': {
    sees: [
      ...[all, paid],
      aSubscription({
        filter_config: { event_types: ['a.made'] },
        filters: { 'a.made': {}, 'b.made': {}, 'invoice.paid': {}, '*': {} },
      }),
    ],
    finds: [
      'medium s1/filter_config/event_types: 1 event type not in the catalogue: `a.made` (declared and applied)',
      'medium s1/filters: 1 event type not in the catalogue: `b.made` (applied)',
    ],
  },
  'names five of many': {
    sees: [all, declaring('a', 'b', 'c', 'd', 'e', 'f', 'g')],
    finds: [
      `medium s1/filter_config/event_types: 7 event types not in the catalogue: ${['a', 'b', 'c', 'd', 'e']
        .map((type) => `\`${type}\` (declared)`)
        .join(', ')} and 2 more`,
    ],
  },
  'leaves a type of the catalogue alone': { sees: [all, paid, declaring('invoice.paid')] },
  'leaves `*` alone, even where the catalogue lacks it': { sees: [paid, declaring('*')] },
  'is silent where event types were not all seen': {
    sees: [all, declaring('invoice.payed')],
    unseen: ['event_type'],
  },
  'is silent about an empty catalogue': { sees: [declaring('invoice.payed')] },
  'is silent where the subscription does not show its types': { sees: [all, aSubscription({})] },
  'does not take the catalogue of another project': {
    sees: [all, anEventType({ name: 'invoice.paid' }, 't9', 'other'), declaring('invoice.paid')],
    finds: ['medium s1/filter_config/event_types: 1 event type not in the catalogue: `invoice.paid` (declared)'],
  },
}
