import type { ProjectConfig } from '../engine/attributes.ts'
import { driftRule } from '../engine/define-rule.ts'
import { hashStrength } from '../shared/outdated-hash.ts'
import { countRetries, formatSeconds, type RetrySchedule, retryScheduleOf } from '../shared/retry-schedule.ts'

export const projectWeakened = driftRule({
  id: 'drift/project-weakened',
  title: 'Project protection was weakened',
  severity: 'high',
  packs: ['tls', 'standard-webhooks', 'delivery'],
  kinds: ['project'],
  *check({ before, after }) {
    const [old, now] = [before?.config ?? {}, after?.config ?? {}]
    if (old.ssl?.enforce_secure_endpoints === true && now.ssl?.enforce_secure_endpoints === false) {
      yield {
        path: '/config/ssl/enforce_secure_endpoints',
        message: 'https no longer enforced: the project accepts plain http endpoints',
      }
    }
    if (old.replay_attacks_prevention_enabled === true && now.replay_attacks_prevention_enabled === false) {
      yield { path: '/config/replay_attacks_prevention_enabled', message: 'replay protection switched off' }
    }
    const [strong, weak] = [weakestHash(old), weakestHash(now)]
    if (strong !== undefined && weak !== undefined && weak.strength < strong.strength) {
      yield {
        path: '/config/signature/versions',
        message: `signature hash is ${weak.hash} (was ${strong.hash})`,
      }
    }
    const [schedule, shorter] = [retryScheduleOf(old.strategy), retryScheduleOf(now.strategy)]
    if (schedule !== undefined && shorter !== undefined && isWeaker(shorter, schedule)) {
      yield {
        path: '/config/strategy',
        message: `${formatted(shorter)} (was ${formatted(schedule)})`,
      }
    }
  },
})

/** A receiver may take the signature that is easiest to forge. */
function weakestHash({ signature }: ProjectConfig): { hash: string; strength: number } | undefined {
  const hashes = Object.values(signature?.versions ?? {}).flatMap(({ hash }) => {
    const strength = typeof hash === 'string' ? hashStrength(hash) : undefined
    return typeof hash !== 'string' || strength === undefined ? [] : [{ hash, strength }]
  })
  return hashes.sort((a, b) => a.strength - b.strength)[0]
}

/** How long a receiver may be down counts first, then how often it is asked. */
function isWeaker(now: RetrySchedule, before: RetrySchedule): boolean {
  return now.spanSeconds < before.spanSeconds || (now.spanSeconds === before.spanSeconds && now.tries < before.tries)
}

function formatted({ tries, spanSeconds }: RetrySchedule): string {
  return `${countRetries(tries)} within ${formatSeconds(spanSeconds)}`
}
