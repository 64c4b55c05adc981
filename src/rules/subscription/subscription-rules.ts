import { z } from 'zod'
import { countRetries, formatSeconds, scheduleWithTries } from '../../gateway/retries.ts'
import { fieldRule, least, most, projectRule, resourceRule } from '../engine/define-rule.ts'
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
import { listed } from '../shared/listed.ts'
import { duplicate } from './duplicate.ts'
import { eventTypeDeprecated } from './event-type-deprecated.ts'
import { eventTypeOdd } from './event-type-odd.ts'
import { eventTypeUnknown } from './event-type-unknown.ts'
import { filterDiverges } from './filter-diverges.ts'
import { filterUnsatisfiable } from './filter-unsatisfiable.ts'
import { functionSuspicious } from './function-suspicious.ts'
import { rateLimitOdd } from './rate-limit-odd.ts'
import { targetMissing } from './target-missing.ts'
import { wildcardMixed } from './wildcard-mixed.ts'

/** Rules about subscriptions. Short ones are rows here, in the order of ids; the others have a file each. */
export const subscriptionRules: readonly Rule[] = [
  resourceRule('subscription', {
    id: 'subscription/alert-odd',
    title: 'Declared alert is invalid',
    severity: 'low',
    packs: ['hygiene'],
    acceptedWith: ['/alert_config'],
    *check({ attributes: { alert_config: alert } }) {
      if (alert === null || alert === undefined) return
      if (alert.count === 0) {
        yield { path: '/alert_config/count', message: 'declared alert count is 0 (minimum: 1)' }
      }
      // Empty members are left out of an alert that is shown.
      if (!goDuration.test(alert.threshold ?? '')) {
        const what = alert.threshold ? `threshold \`${alert.threshold}\` is not a duration` : 'has no threshold'
        yield { path: '/alert_config/threshold', message: `declared alert ${what}, expected one such as \`1h\`` }
      }
    },
  }),
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
  fieldRule('subscription', {
    id: 'subscription/no-filter',
    title: 'Subscription has no filter row and receives nothing',
    severity: 'high',
    packs: ['delivery'],
    readsRows: true,
    path: '/filters',
    isWrong(attributes) {
      const rows = filterRows(attributes)
      return rows !== undefined && Object.keys(rows).length === 0
    },
    says: 'no filter row: it receives no event',
  }),
  fieldRule('subscription', {
    id: 'subscription/retry-absent',
    title: 'Subscription declares no retries',
    severity: 'info',
    packs: ['delivery'],
    path: '/retry_config',
    isWrong: ({ retry_config: config }) => config === null || config?.retry_count === 0,
    says: "no retries declared: the project's strategy applies",
  }),
  least('subscription', {
    id: 'subscription/retry-few',
    title: 'Subscription declares too few retries',
    severity: 'medium',
    packs: ['delivery'],
    acceptedWith: ['/retry_config'],
    path: '/retry_config/retry_count',
    of: ({ retry_config: config }) => scheduleWithTries(config)?.tries,
    option: 'min_tries',
    limit: z.int().positive().default(3).describe('Lowest number of retries'),
    says: (tries, min) => `${countRetries(tries, 'declared')} (policy: at least ${min})`,
    fix: 'nearest',
  }),
  resourceRule('subscription', {
    id: 'subscription/retry-linear',
    title: 'Declared retries are too aggressive',
    severity: 'medium',
    packs: ['delivery'],
    options: z.strictObject({
      max_tries: z.int().positive().default(10).describe('Highest number of retries at a constant interval'),
      min_interval_seconds: z.number().positive().default(5).describe('Shortest constant interval, in seconds'),
    }),
    check({ attributes }, { options }) {
      const schedule = scheduleWithTries(attributes.retry_config)
      if (schedule?.type !== 'linear') return
      const { tries, intervalSeconds } = schedule
      const bounds = [
        ...(tries > options.max_tries ? [`at most ${options.max_tries}`] : []),
        ...(intervalSeconds < options.min_interval_seconds ? [`at least ${options.min_interval_seconds} s apart`] : []),
      ]
      if (bounds.length === 0) return undefined
      return {
        path: '/retry_config',
        message: `${countRetries(tries, 'declared')}, one every ${intervalSeconds} s (policy: ${bounds.join(', ')})`,
      }
    },
  }),
  most('subscription', {
    id: 'subscription/retry-long',
    title: 'Declared retries go on for too long',
    severity: 'low',
    packs: ['delivery'],
    path: '/retry_config',
    of: ({ retry_config: config }) => scheduleWithTries(config)?.spanSeconds,
    option: 'max_seconds',
    limit: z
      .number()
      .positive()
      .default(604_800)
      .describe('Longest time from the first failure to the last retry, in seconds'),
    says: (span, max) => `declared retries go on for ${formatSeconds(span)} (policy: at most ${formatSeconds(max)})`,
  }),
  most('subscription', {
    id: 'subscription/retry-many',
    title: 'Subscription declares too many retries',
    severity: 'medium',
    packs: ['delivery'],
    acceptedWith: ['/retry_config'],
    path: '/retry_config/retry_count',
    of: ({ retry_config: config }) => scheduleWithTries(config)?.tries,
    option: 'max_tries',
    limit: z.int().positive().default(50).describe('Highest number of retries'),
    says: (tries, max) => `${countRetries(tries, 'declared')} (policy: at most ${max})`,
    fix: 'nearest',
  }),
  least('subscription', {
    id: 'subscription/retry-short',
    title: 'Declared retries stop too early',
    severity: 'medium',
    packs: ['delivery'],
    path: '/retry_config',
    of: ({ retry_config: config }) => scheduleWithTries(config)?.spanSeconds,
    option: 'min_seconds',
    limit: z
      .number()
      .positive()
      .default(3600)
      .describe('Shortest time from the first failure to the last retry, in seconds'),
    says: (span, min) => `declared retries end after ${formatSeconds(span)} (policy: at least ${formatSeconds(min)})`,
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
        if (typeof status !== 'string' || status === 'active') continue
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
  eventTypeUnknown,
  filterDiverges,
  filterUnsatisfiable,
  functionSuspicious,
  rateLimitOdd,
  targetMissing,
  wildcardMixed,
]

/** What Go's `time.ParseDuration` takes, without a sign. */
const goDuration = /^(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/
