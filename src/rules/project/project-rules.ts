import { z } from 'zod'
import { countRetries, formatSeconds, retryScheduleOf, scheduleWithTries } from '../../gateway/retries.ts'
import { isOutdatedHash } from '../../gateway/signatures.ts'
import { pointerStep } from '../../model/json.ts'
import { fieldRule, least, resourceRule, scanRule } from '../engine/define-rule.ts'
import type { Rule } from '../engine/rule.ts'
import { destinationOf } from '../shared/destination.ts'
import { massRemoval } from './mass-removal.ts'
import { tlsNotEnforced } from './tls-not-enforced.ts'

/** Rules about projects. Short ones are rows here, in the order of ids; the others have a file each. */
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
  resourceRule('project', {
    id: 'project/meta-event-insecure',
    title: 'Meta events are unencrypted or unsigned',
    severity: 'high',
    packs: ['tls', 'secrets'],
    acceptedWith: ['/config/meta_event'],
    *check({ attributes }) {
      const meta = attributes.config?.meta_event
      // Meta events that go to a queue have neither address nor signature.
      if (meta?.is_enabled !== true || meta.type === 'pub_sub') return
      const destination = destinationOf(meta.url ?? '')
      if (destination?.scheme === 'http:') {
        yield { path: '/config/meta_event/url', message: `meta events go to ${destination.host} over plain http` }
      }
      if (meta.secret === null) {
        yield {
          path: '/config/meta_event/secret',
          message: 'meta events have no secret: the receiver cannot verify them',
        }
      }
    },
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
  resourceRule('project', {
    id: 'project/retry-hammering',
    title: 'Project retries are too aggressive',
    severity: 'medium',
    packs: ['delivery'],
    options: z.strictObject({
      min_interval_seconds: z
        .number()
        .positive()
        .default(10)
        .describe('Constant interval under which only a few retries are allowed, in seconds'),
      max_tries_below: z.int().positive().default(5).describe('Highest number of retries at a shorter interval'),
      max_tries: z.int().positive().default(50).describe('Highest number of retries at any interval'),
    }),
    check({ attributes }, { options }) {
      const schedule = retryScheduleOf(attributes.config?.strategy)
      if (schedule === undefined) return
      const { type, tries, intervalSeconds } = schedule
      const isDense =
        type === 'linear' && intervalSeconds < options.min_interval_seconds && tries > options.max_tries_below
      if (isDense || tries > options.max_tries) {
        const pace = type === 'linear' ? `one every ${intervalSeconds} s` : `${type} from ${intervalSeconds} s`
        const bound = isDense
          ? `${options.max_tries_below} at intervals under ${options.min_interval_seconds} s`
          : `${options.max_tries}`
        return { path: '/config/strategy', message: `${tries} retries, ${pace} (policy: at most ${bound})` }
      }
      return undefined
    },
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
  resourceRule('project', {
    id: 'project/signature-missing',
    title: 'Project has no signature version',
    severity: 'high',
    packs: ['secrets', 'standard-webhooks'],
    check({ attributes }) {
      const signature = attributes.config?.signature
      const versions = signature === null ? null : signature?.versions
      if (versions === undefined || (versions !== null && !isEmptyObject(versions))) return undefined
      return {
        path: signature === null ? '/config/signature' : '/config/signature/versions',
        message: 'no signature version: deliveries fail or go out unsigned',
      }
    },
  }),
  resourceRule('project', {
    id: 'project/signature-weak',
    title: 'Deliveries are signed with an outdated hash',
    severity: 'high',
    packs: ['secrets', 'standard-webhooks'],
    *check({ attributes }) {
      for (const [uid, { hash }] of Object.entries(attributes.config?.signature?.versions ?? {})) {
        if (typeof hash !== 'string' || !isOutdatedHash(hash)) continue
        yield {
          path: `/config/signature/versions/${pointerStep(uid)}/hash`,
          message: `a signature version uses ${hash} (recommended: SHA256)`,
        }
      }
    },
  }),
  scanRule({
    id: 'project/unlisted',
    title: 'Project is missing from the configuration',
    severity: 'low',
    packs: ['hygiene', 'recommended'],
    acceptedWith: 'nothing',
    needs: ['project'],
    *check({ isUnlisted }) {
      if (isUnlisted)
        yield {
          path: '',
          message: 'the service lists it and the key can read it, but the configuration does not name it',
        }
    },
  }),
  scanRule({
    id: 'project/vanished',
    title: 'Configured project is gone or hidden from its key',
    severity: 'high',
    packs: ['hygiene'],
    acceptedWith: 'nothing',
    needs: ['endpoint', 'subscription'],
    *check({ isVanished, isMissing }) {
      if (isVanished)
        yield {
          path: '',
          message: 'the service answers that the project does not exist, or that the key may not read it',
        }
      else if (isMissing) yield { path: '', message: "the service's complete list of projects does not have it" }
    },
  }),
  massRemoval,
  tlsNotEnforced,
]

/** Anything else breaks the contract, and says nothing. */
function isEmptyObject(value: object): boolean {
  return typeof value === 'object' && !Array.isArray(value) && Object.keys(value).length === 0
}
