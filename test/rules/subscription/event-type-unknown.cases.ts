import { anEventType, aSubscription, type Cases } from '../rule-cases.ts'

const all = anEventType({ name: '*' }, 't0')
const paid = anEventType({ name: 'invoice.paid' }, 't1')
const declaring = (...types: string[]) => aSubscription({ filter_config: { event_types: types } })

export const cases: Cases = {
  'finds a declared type that the catalogue lacks': {
    sees: [all, paid, declaring('invoice.paid', 'invoice.payed')],
    finds: ['medium s1/filter_config/event_types: `invoice.payed` (declared) is not in the catalogue'],
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
      'medium s1/filter_config/event_types: `a.made` (declared and applied) is not in the catalogue',
      'medium s1/filters: `b.made` (applied) is not in the catalogue',
    ],
  },
  'names three of many': {
    sees: [all, declaring('a', 'b', 'c', 'd', 'e')],
    finds: [
      'medium s1/filter_config/event_types: `a` (declared) is not in the catalogue; ' +
        '`b` (declared) is not in the catalogue; `c` (declared) is not in the catalogue; 2 more',
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
    finds: ['medium s1/filter_config/event_types: `invoice.paid` (declared) is not in the catalogue'],
  },
}
