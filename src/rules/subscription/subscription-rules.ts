import { z } from 'zod'
import { verdictOn } from '../../gateway/filters.ts'
import { fieldRule, projectRule, resourceRule } from '../engine/define-rule.ts'
import type { Rule } from '../engine/rule.ts'
import {
  appliedFilters,
  declaredEvents,
  deliveredEvents,
  deliversEverything,
  filterFor,
  filterRows,
  isSwitchedOff,
  rowPath,
} from '../shared/delivered-events.ts'
import { findFaults, knownOperators } from '../shared/filter-fault.ts'
import { listed } from '../shared/listed.ts'
import { settingsIgnored } from '../shared/settings-ignored.ts'
import { duplicate } from './duplicate.ts'
import { eventTypeDeprecated } from './event-type-deprecated.ts'
import { eventTypeOdd } from './event-type-odd.ts'
import { eventTypeUnreachable } from './event-type-unreachable.ts'
import { filterDiverges } from './filter-diverges.ts'
import { filterUnreachable } from './filter-unreachable.ts'
import { functionSuspicious } from './function-suspicious.ts'
import { targetMissing } from './target-missing.ts'
import { wildcardMixed } from './wildcard-mixed.ts'

/** Rules about subscriptions. Short ones are rows here, in the order of ids; the others have a file each. */
export const subscriptionRules: readonly Rule[] = [
  fieldRule('subscription', {
    id: 'subscription/at-most-once',
    title: 'At-most-once delivery can lose events',
    severity: 'medium',
    packs: ['delivery'],
    path: '/delivery_mode',
    isWrong: ({ delivery_mode: mode }) => mode === 'at_most_once',
    says: 'delivers at most once: nothing is retried after an answer of the receiver, even an error',
    fix: 'at_least_once',
  }),
  resourceRule('subscription', {
    id: 'subscription/filter-failing',
    title: 'Filter fails, and its events fail for every subscription',
    severity: 'critical',
    packs: ['delivery'],
    licence: 'AdvancedSubscriptions',
    options: z.strictObject({ known_operators: knownOperators }),
    check: ({ attributes }, { options: { known_operators: moreOperators } }) =>
      findFaults(attributes, (part, conditions) => verdictOn(part, conditions, { moreOperators }).fails),
  }),
  resourceRule('subscription', {
    id: 'subscription/filter-off',
    title: 'Filter row is switched off',
    severity: 'medium',
    packs: ['delivery'],
    readsRows: true,
    acceptedWith: ['/filters/*'],
    *check({ attributes }) {
      const rows = filterRows(attributes)
      const applied = appliedFilters(rows)
      if (rows === undefined || applied === undefined) return
      for (const [type, row] of Object.entries(rows)) {
        if (!isSwitchedOff(row)) continue
        const isLeft = filterFor(applied, type) !== undefined
        const named = isLeft ? `\`${type}\` falls back to the row of \`*\`` : `\`${type}\` is not delivered`
        const what = type === '*' ? 'event types without a row of their own are not delivered' : named
        yield { path: `${rowPath(type)}/enabled_at`, message: `filter row is switched off: ${what}` }
      }
    },
  }),
  resourceRule('subscription', {
    id: 'subscription/filter-unsatisfiable',
    title: 'Filter cannot match any event',
    severity: 'high',
    packs: ['delivery'],
    licence: 'AdvancedSubscriptions',
    options: z.strictObject({ known_operators: knownOperators }),
    check: ({ attributes }, { options: { known_operators: moreOperators } }) =>
      findFaults(attributes, (part, conditions) => {
        const { never, fails } = verdictOn(part, conditions, { moreOperators })
        // What is an error is reported as that.
        return fails === undefined ? never : undefined
      }),
  }),
  fieldRule('subscription', {
    id: 'subscription/no-filter',
    title: 'Subscription has no filter row: no ordinary event arrives',
    severity: 'high',
    packs: ['delivery'],
    readsRows: true,
    path: '/filters',
    isWrong(attributes) {
      const rows = filterRows(attributes)
      return rows !== undefined && Object.keys(rows).length === 0
    },
    says: 'no filter row: of all events it receives only broadcast and dynamic ones',
  }),
  settingsIgnored('subscription', {
    id: 'subscription/settings-ignored',
    title: 'Declared settings that the service ignores',
    severity: 'info',
    packs: ['hygiene'],
  }),
  projectRule({
    id: 'subscription/target-not-active',
    title: 'Subscription endpoint is not active: its events are discarded',
    severity: 'high',
    packs: ['delivery'],
    kind: 'subscription',
    reads: ['endpoint', 'subscription'],
    *check({ all }) {
      const endpoints = new Map(all('endpoint').map((endpoint) => [endpoint.uid, endpoint]))
      for (const at of all('subscription')) {
        const { status } = endpoints.get(at.attributes.endpoint_uid ?? '')?.attributes ?? {}
        // An inactive endpoint is reported once, by `endpoint/inactive`.
        if (typeof status !== 'string' || status === 'active' || status === 'inactive') continue
        const message = `the endpoint is ${status}: matching events are discarded, not queued`
        yield { at, path: '/endpoint_uid', message }
      }
    },
  }),
  resourceRule('subscription', {
    id: 'subscription/type-cli',
    title: 'CLI subscription outside a development project',
    severity: 'low',
    packs: ['hygiene'],
    options: z.strictObject({
      environments: z
        .array(z.string())
        .default(['dev', 'development', 'test'])
        .describe('Values of the label `env` that allow CLI subscriptions'),
    }),
    check({ attributes }, { options }, { labels }) {
      const { env } = labels
      // Without the label the project's purpose is not known.
      if (attributes.type !== 'cli' || env === undefined) return
      if (options.environments.some((allowed) => allowed.toLowerCase() === env.toLowerCase())) return
      return {
        path: '/type',
        message: `CLI subscription in a project with label env ${JSON.stringify(env)} (policy: ${listed(options.environments)})`,
      }
    },
  }),
  resourceRule('subscription', {
    id: 'subscription/wildcard',
    title: 'Subscription receives every event',
    severity: 'info',
    packs: ['hygiene'],
    check({ attributes }) {
      if (!deliversEverything(deliveredEvents(attributes))) return
      // What is declared too stays one finding when rows are read for the first time.
      if (deliversEverything(declaredEvents(attributes.filter_config))) {
        return {
          path: '/filter_config',
          message: 'every event type and no filter: future event types are delivered too',
        }
      }
      const message = 'every event type is applied without a filter: future event types are delivered too'
      return { path: rowPath('*'), message }
    },
  }),
  duplicate,
  eventTypeDeprecated,
  eventTypeOdd,
  eventTypeUnreachable,
  filterDiverges,
  filterUnreachable,
  functionSuspicious,
  targetMissing,
  wildcardMixed,
]
