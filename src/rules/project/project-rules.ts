import { z } from 'zod'
import { fieldRule, least } from '../engine/define-rule.ts'
import type { Rule } from '../engine/rule.ts'
import { formatSeconds, retryScheduleOf, scheduleWithTries } from '../shared/retry-schedule.ts'
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
    says: 'off: an endpoint that always fails stays active',
    fix: true,
  }),
  fieldRule('project', {
    id: 'project/dynamic-urls-unmatched',
    title: 'Dynamic events may create endpoints for any URL',
    severity: 'medium',
    packs: ['ssrf'],
    path: '/config/allow_unmatched_dynamic_urls',
    isWrong: ({ config }) => config?.allow_unmatched_dynamic_urls === true,
    says: 'on: a caller of dynamic events makes the project deliver to any URL',
    fix: false,
  }),
  fieldRule('project', {
    id: 'project/rate-limit-ineffective',
    title: "The project's rate limit limits nothing",
    severity: 'medium',
    packs: ['delivery'],
    path: '/config/ratelimit',
    isWrong({ config }) {
      const { count, duration } = config?.ratelimit ?? {}
      return typeof count === 'number' && typeof duration === 'number' && (count === 0 || duration === 0)
    },
    says({ config }) {
      const { count, duration } = config?.ratelimit ?? {}
      return `limit of ${count} per ${duration} s: nothing is limited`
    },
  }),
  fieldRule('project', {
    id: 'project/replay-protection-off',
    title: 'Replay protection is off',
    severity: 'info',
    packs: ['standard-webhooks'],
    path: '/config/replay_attacks_prevention_enabled',
    isWrong: ({ config }) => config?.replay_attacks_prevention_enabled === false,
    says: 'off: a recorded delivery can be sent again and still verifies',
    fix: true,
  }),
  least('project', {
    id: 'project/retry-few',
    title: 'The project retries a failed delivery few times',
    severity: 'medium',
    packs: ['delivery'],
    acceptedWith: ['/config/strategy'],
    path: '/config/strategy/retry_count',
    of: ({ config }) => retryScheduleOf(config?.strategy)?.tries,
    option: 'min_tries',
    limit: z.int().positive().default(3).describe('Fewest tries that are enough'),
    says: (tries, min) => `${tries} tries for every endpoint of the project, the policy asks for ${min}`,
    fix: 'nearest',
  }),
  least('project', {
    id: 'project/retry-short',
    title: "The project's retries give up soon",
    severity: 'info',
    packs: ['delivery'],
    path: '/config/strategy',
    // Without any try there is no schedule: project/retry-few says so.
    of: ({ config }) => scheduleWithTries(config?.strategy)?.spanSeconds,
    option: 'min_seconds',
    limit: z.number().positive().default(3600).describe('Shortest span of the whole schedule, in seconds'),
    says: (span, min) => `the last try comes after ${formatSeconds(span)}, the policy asks for ${formatSeconds(min)}`,
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
