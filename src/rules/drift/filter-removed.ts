import { z } from 'zod'
import { count } from '../../model/text/count.ts'
import type { EventFilter } from '../engine/attributes.ts'
import { driftRule } from '../engine/define-rule.ts'
import { appliedFilters, declaredEvents, filterFor, filterRows } from '../shared/delivered-events.ts'
import { filterFaults, knownOperators } from '../shared/filter-fault.ts'
import { listed } from '../shared/listed.ts'

export const filterRemoved = driftRule({
  id: 'drift/filter-removed',
  title: 'Event type is no longer delivered',
  severity: 'high',
  packs: ['delivery'],
  readsRows: true,
  kinds: ['subscription'],
  options: z.strictObject({ known_operators: knownOperators }),
  *check({ before, after }, { options }) {
    // Asked for first: where they could not be read, nothing is said of them, whether or not they were known before.
    const rows = after && filterRows(after)
    const old = before && appliedFilters(filterRows(before))
    const now = appliedFilters(rows)
    if (old === undefined || rows === undefined || now === undefined) return
    const isDelivered = (filter: EventFilter | undefined) =>
      filter !== undefined && filterFaults(filter, options.known_operators).length === 0
    const broadcasts = declaredEvents(after?.filter_config).types
    const gone: string[] = []
    for (const type of new Set([...old.keys(), ...now.keys()])) {
      if (!isDelivered(filterFor(old, type)) || isDelivered(filterFor(now, type))) continue
      // Without any row for it, a broadcast is matched by what is declared.
      const removed = broadcasts?.some((name) => name === type || name === '*') ? ', broadcasts still are' : ''
      const row = Object.hasOwn(rows, type) ? 'filter row switched off' : `filter row removed${removed}`
      gone.push(`\`${type}\` (${now.has(type) ? 'conditions match no event' : row})`)
    }
    if (gone.length > 0) {
      yield { path: '/filters', message: `${count(gone.length, 'event type')} no longer delivered: ${listed(gone)}` }
    }
  },
})
