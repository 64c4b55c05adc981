import { z } from 'zod'
import { countRetries, formatSeconds, outageThatDisables, retryScheduleOf } from '../../gateway/retries.ts'
import { resourceRule, scanRule } from '../engine/define-rule.ts'
import type { Rule } from '../engine/rule.ts'
import { destinationOf } from '../shared/destination.ts'
import { settingsIgnored } from '../shared/settings-ignored.ts'
import { dynamicUrlsUnmatched } from './dynamic-urls-unmatched.ts'
import { massRemoval } from './mass-removal.ts'
import { signatureBroken } from './signature-broken.ts'
import { tlsNotEnforced } from './tls-not-enforced.ts'

/** Rules about projects. Short ones are rows here, in the order of ids; the others have a file each. */
export const projectRules: readonly Rule[] = [
  resourceRule('project', {
    id: 'project/disable-hair-trigger',
    title: 'A short outage disables endpoints for good',
    severity: 'high',
    packs: ['delivery'],
    acceptedWith: ['/config/strategy'],
    options: z.strictObject({
      min_seconds: z
        .number()
        .positive()
        .default(3600)
        .describe('Shortest outage that may disable an endpoint, in seconds'),
    }),
    check({ attributes: { config } }, { options: { min_seconds } }) {
      const outage = outageThatDisables(config ?? {})
      if (outage === undefined || outage >= min_seconds) return
      const path = '/config/disable_endpoint'
      if (outage === 0) {
        return { path, message: 'the first delivery disables its endpoint, even a successful one: there is no retry' }
      }
      const least = formatSeconds(min_seconds)
      const message = `an outage of ${formatSeconds(outage)} disables an endpoint (policy: at least ${least})`
      return { path, message, severity: 'medium' }
    },
  }),
  resourceRule('project', {
    id: 'project/meta-event-insecure',
    title: 'Meta events are unencrypted or unsigned',
    severity: 'high',
    packs: ['tls', 'secrets'],
    acceptedWith: ['/config/meta_event'],
    *check({ attributes }) {
      const meta = attributes.config?.meta_event
      // They are posted, and nothing asks for their type.
      if (meta?.is_enabled !== true) return
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
      max_retries_below: z.int().positive().default(5).describe('Highest number of retries at a shorter interval'),
      max_retries: z.int().positive().default(50).describe('Highest number of retries at any interval'),
    }),
    check({ attributes }, { options }) {
      const schedule = retryScheduleOf(attributes.config?.strategy)
      if (schedule === undefined) return
      const { type, retries, intervalSeconds } = schedule
      const isDense =
        type === 'linear' && intervalSeconds < options.min_interval_seconds && retries > options.max_retries_below
      if (isDense || retries > options.max_retries) {
        const pace = type === 'linear' ? `one every ${intervalSeconds} s` : `${type} from ${intervalSeconds} s`
        const bound = isDense
          ? `${options.max_retries_below} at intervals under ${options.min_interval_seconds} s`
          : `${options.max_retries}`
        return { path: '/config/strategy', message: `${retries} retries, ${pace} (policy: at most ${bound})` }
      }
      return undefined
    },
  }),
  resourceRule('project', {
    id: 'project/retry-short',
    title: 'Project retries stop too early',
    severity: 'info',
    highest: 'medium',
    packs: ['delivery', 'recommended'],
    options: z.strictObject({
      min_retries: z.int().min(0).default(3).describe('Lowest number of retries; fewer are `medium`'),
      min_seconds: z
        .number()
        .positive()
        .default(3600)
        .describe('Shortest time from the first failure to the last retry, in seconds'),
    }),
    check({ attributes }, { options: { min_retries, min_seconds } }) {
      const schedule = retryScheduleOf(attributes.config?.strategy)
      if (schedule === undefined) return
      const { retries, spanSeconds } = schedule
      const path = '/config/strategy'
      if (retries < min_retries) {
        const attempts = retries === 0 ? 'the first attempt is the only one' : `${countRetries(retries)}`
        return { path, message: `${attempts} (policy: at least ${countRetries(min_retries)})`, severity: 'medium' }
      }
      if (spanSeconds >= min_seconds) return
      return {
        path,
        message: `last retry after ${formatSeconds(spanSeconds)} (policy: at least ${formatSeconds(min_seconds)})`,
      }
    },
  }),
  settingsIgnored('project', {
    id: 'project/settings-ignored',
    title: 'Declared settings that the service ignores',
    severity: 'info',
    packs: ['hygiene'],
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
  dynamicUrlsUnmatched,
  massRemoval,
  signatureBroken,
  tlsNotEnforced,
]
