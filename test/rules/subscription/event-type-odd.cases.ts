import { aSubscription, type Cases } from '../rule-cases.ts'

const types = (...event_types: string[]) => aSubscription({ filter_config: { event_types } })
const odd = (what: string) => [`medium s1/filter_config/event_types: ${what}`]

export const cases: Cases = {
  'finds blanks around a name': {
    sees: [types('order.created ')],
    finds: odd('`order.created ` has whitespace around it'),
  },
  'finds a blank name': { sees: [types('', 'order.created')], finds: odd('an event type is blank') },
  'leaves names alone that differ in case: they are two types': { sees: [types('Order.Created', 'order.created')] },
  'measures by the pattern of its option': {
    sees: [types('*', 'order.created', 'orderPaid')],
    options: { pattern: '^[a-z]+\\.[a-z]+$' },
    finds: odd('`orderPaid` does not match `^[a-z]+\\.[a-z]+$`'),
  },
  'names three and counts the others': {
    sees: [types(' a', ' b', ' c', ' d', ' e')],
    finds: odd('` a` has whitespace around it; ` b` has whitespace around it; ` c` has whitespace around it; 2 more'),
  },
  'evaluates event types of rows, and names those apart that are not declared': {
    sees: [
      aSubscription({
        filter_config: { event_types: [' b', 'a', 'z '] },
        filters: { ' b': {}, ' c': {}, A: {}, a: {}, 'x ': { enabled_at: null } },
      }),
    ],
    finds: [
      ...odd('` b` has whitespace around it'),
      'medium s1/filters: in filter rows: ` c` has whitespace around it',
    ],
  },
  'leaves an odd type alone that no row has': {
    sees: [aSubscription({ filter_config: { event_types: [' b'] }, filters: { b: {} } })],
  },
  'never checks `*`, even if it is listed twice': { sees: [types('*', '*', 'order.created')] },
  'leaves ordinary names alone': { sees: [types('*'), types('order.created', 'Invoice Paid', 'x')] },
  'is silent where event types are not shown': { sees: [aSubscription({ filter_config: {} })] },
}
