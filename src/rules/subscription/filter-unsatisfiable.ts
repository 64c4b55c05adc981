import { z } from 'zod'
import { resourceRule } from '../engine/define-rule.ts'
import { asksTheSameOf, declaredEvents, deliveredEvents } from '../shared/delivered-events.ts'
import { filterFaults, knownOperators } from '../shared/filter-fault.ts'

export const filterUnsatisfiable = resourceRule('subscription', {
  id: 'subscription/filter-unsatisfiable',
  title: 'Filter cannot match any event',
  severity: 'high',
  packs: ['delivery'],
  options: z.strictObject({ known_operators: knownOperators }),
  *check({ attributes }, { options }) {
    const reported = new Set<string>()
    for (const { types = [], filter, path } of deliveredEvents(attributes).filters) {
      for (const { part, fault } of filterFaults(filter, options.known_operators)) {
        // The declared filter has a row for each event type: that is one fault.
        const [declared] = declaredEvents(attributes.filter_config).filters
        const isDeclared = declared !== undefined && asksTheSameOf(part, filter, declared.filter)
        const here = `${isDeclared ? declared.path : path}/${part}`
        if (reported.has(here)) continue
        reported.add(here)
        yield { path: here, message: isDeclared ? fault : `filter row of \`${types.join('`, `')}\`: ${fault}` }
      }
    }
  },
})
