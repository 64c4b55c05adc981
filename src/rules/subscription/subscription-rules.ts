import { z } from 'zod'
import { fieldRule, least, most } from '../engine/define-rule.ts'
import type { Rule } from '../engine/rule.ts'
import { filterRows } from '../shared/delivered-events.ts'
import { countRetries, formatSeconds, scheduleWithTries } from '../shared/retry-schedule.ts'
import { alertOdd } from './alert-odd.ts'
import { duplicate } from './duplicate.ts'
import { eventTypeDeprecated } from './event-type-deprecated.ts'
import { eventTypeOdd } from './event-type-odd.ts'
import { eventTypeUnknown } from './event-type-unknown.ts'
import { filterDiverges } from './filter-diverges.ts'
import { filterOff } from './filter-off.ts'
import { filterUnsatisfiable } from './filter-unsatisfiable.ts'
import { functionSuspicious } from './function-suspicious.ts'
import { rateLimitOdd } from './rate-limit-odd.ts'
import { retryLinear } from './retry-linear.ts'
import { targetMissing } from './target-missing.ts'
import { targetNotActive } from './target-not-active.ts'
import { typeCli } from './type-cli.ts'
import { wildcard } from './wildcard.ts'
import { wildcardMixed } from './wildcard-mixed.ts'

/** Rules about subscriptions. Those about one field are rows here, in the order of ids; the others have a file each. */
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
  alertOdd,
  duplicate,
  eventTypeDeprecated,
  eventTypeOdd,
  eventTypeUnknown,
  filterDiverges,
  filterOff,
  filterUnsatisfiable,
  functionSuspicious,
  rateLimitOdd,
  retryLinear,
  targetMissing,
  targetNotActive,
  typeCli,
  wildcard,
  wildcardMixed,
]
