import { z } from 'zod'
import { fieldRule, least } from '../engine/define-rule.ts'
import type { Rule } from '../engine/rule.ts'
import { countRetries, formatSeconds, retryScheduleOf, scheduleWithTries } from '../shared/retry-schedule.ts'
import { massRemoval } from './mass-removal.ts'
import { metaEventInsecure } from './meta-event-insecure.ts'
import { retryHammering } from './retry-hammering.ts'
import { signatureMissing } from './signature-missing.ts'
import { signatureWeak } from './signature-weak.ts'
import { tlsNotEnforced } from './tls-not-enforced.ts'
import { unlisted } from './unlisted.ts'
import { vanished } from './vanished.ts'

/** Rules about projects. Those about one field are rows here, in the order of ids; the others have a file each. */
export const projectRules: readonly Rule[] = [
  fieldRule('project', {
    id: 'project/disable-endpoint-off',
    title: 'Failing endpoints are never disabled',
    severity: 'info',
    packs: ['delivery'],
    path: '/config/disable_endpoint',
    isWrong: ({ config }) => config?.disable_endpoint === false,
    says: '`disable_endpoint` is off: an endpoint that always fails stays active',
    fix: true,
  }),
  fieldRule('project', {
    id: 'project/dynamic-urls-unmatched',
    title: 'Dynamic events can create endpoints for any URL',
    severity: 'medium',
    packs: ['ssrf'],
    path: '/config/allow_unmatched_dynamic_urls',
    isWrong: ({ config }) => config?.allow_unmatched_dynamic_urls === true,
    says: 'anyone who sends dynamic events can make the project deliver to any URL',
    fix: false,
  }),
  fieldRule('project', {
    id: 'project/rate-limit-ineffective',
    title: 'Project rate limit has no effect',
    severity: 'medium',
    packs: ['delivery'],
    path: '/config/ratelimit',
    isWrong({ config }) {
      const { count, duration } = config?.ratelimit ?? {}
      return typeof count === 'number' && typeof duration === 'number' && (count === 0 || duration === 0)
    },
    says({ config }) {
      const { count, duration } = config?.ratelimit ?? {}
      return `rate limit of ${count} per ${duration} s limits nothing`
    },
  }),
  fieldRule('project', {
    id: 'project/replay-protection-off',
    title: 'Replay protection is off',
    severity: 'info',
    packs: ['standard-webhooks'],
    path: '/config/replay_attacks_prevention_enabled',
    isWrong: ({ config }) => config?.replay_attacks_prevention_enabled === false,
    says: 'replay protection is off: a recorded delivery still verifies when it is sent again',
    fix: true,
  }),
  least('project', {
    id: 'project/retry-few',
    title: 'Project has too few retries',
    severity: 'medium',
    packs: ['delivery'],
    acceptedWith: ['/config/strategy'],
    path: '/config/strategy/retry_count',
    of: ({ config }) => retryScheduleOf(config?.strategy)?.tries,
    option: 'min_tries',
    limit: z.int().positive().default(3).describe('Lowest number of retries'),
    says: (tries, min) => `${countRetries(tries)} (policy: at least ${min})`,
    fix: 'nearest',
  }),
  least('project', {
    id: 'project/retry-short',
    title: 'Project retries stop too early',
    severity: 'info',
    packs: ['delivery'],
    path: '/config/strategy',
    // Without any try there is no schedule: project/retry-few says so.
    of: ({ config }) => scheduleWithTries(config?.strategy)?.spanSeconds,
    option: 'min_seconds',
    limit: z
      .number()
      .positive()
      .default(3600)
      .describe('Shortest time from the first failure to the last retry, in seconds'),
    says: (span, min) => `last retry after ${formatSeconds(span)} (policy: at least ${formatSeconds(min)})`,
  }),
  massRemoval,
  metaEventInsecure,
  retryHammering,
  signatureMissing,
  signatureWeak,
  tlsNotEnforced,
  unlisted,
  vanished,
]
