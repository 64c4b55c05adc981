import { z } from 'zod'
import { isJsonObject } from '../../model/json.ts'
import { resourceRule } from '../engine/define-rule.ts'
import { filterOf, filterParts } from '../shared/event-filter.ts'
import { filterFault } from '../shared/filter-fault.ts'

export const filterUnsatisfiable = resourceRule('subscription', {
  id: 'subscription/filter-unsatisfiable',
  title: 'Filter can match no event',
  severity: 'high',
  packs: ['delivery'],
  options: z.strictObject({
    known_operators: z.array(z.string()).default([]).describe('Operators that the service knows besides the usual'),
  }),
  *check({ attributes }, { options }) {
    const filter = filterOf(attributes.filter_config)
    if (filter === undefined) return
    for (const part of filterParts) {
      const conditions = filter[part]
      const fault = isJsonObject(conditions) ? filterFault(conditions, options.known_operators) : undefined
      if (fault !== undefined) yield { path: `/filter_config/filter/${part}`, message: fault }
    }
  },
})
