import { countRetries, formatSeconds, type RetrySchedule, retryScheduleOf } from '../../gateway/retries.ts'
import { hashStrength } from '../../gateway/signatures.ts'
import type { ProjectConfig } from '../engine/attributes.ts'
import { driftRule } from '../engine/define-rule.ts'

export const projectWeakened = driftRule({
  id: 'drift/project-weakened',
  title: 'Project protection was weakened',
  severity: 'high',
  packs: ['tls', 'standard-webhooks', 'delivery'],
  kinds: ['project'],
  *check({ before, after }) {
    const [old, now] = [before?.config ?? {}, after?.config ?? {}]
    if (
      old.ssl?.enforce_secure_endpoints === true &&
      isOff(now.ssl === null ? null : now.ssl?.enforce_secure_endpoints)
    ) {
      yield {
        path: '/config/ssl/enforce_secure_endpoints',
        message: 'https no longer enforced: the project accepts plain http endpoints',
      }
    }
    if (old.replay_attacks_prevention_enabled === true && isOff(now.replay_attacks_prevention_enabled)) {
      yield { path: '/config/replay_attacks_prevention_enabled', message: 'replay protection switched off' }
    }
    const [strong, weak] = [weakestHash(old), weakestHash(now)]
    if (strong !== undefined && weak !== undefined && weak.strength < strong.strength) {
      yield {
        path: '/config/signature/versions',
        message: `${weak.hash === '' ? 'no signature hash' : `signature hash is ${weak.hash}`} (was ${strong.hash})`,
      }
    }
    const [schedule, shorter] = [scheduleOf(old), scheduleOf(now)]
    if (schedule !== undefined && shorter !== undefined && isWeaker(shorter, schedule)) {
      yield {
        path: '/config/strategy',
        message: `${shorter === noRetries ? 'no retry strategy' : formatted(shorter)} (was ${formatted(schedule)})`,
      }
    }
  },
})

/** The service takes null for off. */
function isOff(flag: boolean | null | undefined): boolean {
  return flag === false || flag === null
}

/** A receiver may take the signature that is easiest to forge. Without any, the hash is empty. */
function weakestHash({ signature }: ProjectConfig): { hash: string; strength: number } | undefined {
  if (signature === undefined || signature?.versions === undefined) return signature === null ? none : undefined
  const hashes = Object.values(signature.versions ?? {}).map(({ hash }) => {
    const strength = hash === null || hash === undefined ? 0 : hashStrength(hash)
    return { hash: hash ?? '', strength: strength ?? 0, isKnown: hash !== undefined && strength !== undefined }
  })
  if (hashes.some(({ isKnown }) => !isKnown)) return undefined
  return hashes.sort((a, b) => a.strength - b.strength)[0] ?? none
}

const none = { hash: '', strength: 0 }

/** Without a strategy, or with one of no type, the service refuses events (`services/create_fanout_event.go` of v26.7.3). */
function scheduleOf({ strategy }: ProjectConfig): Schedule | undefined {
  return strategy === null || strategy?.type === null ? noRetries : retryScheduleOf(strategy)
}

type Schedule = Pick<RetrySchedule, 'tries' | 'spanSeconds'>
const noRetries: Schedule = { tries: 0, spanSeconds: 0 }

/** How long a receiver may be down counts first, then how often it is asked. */
function isWeaker(now: Schedule, before: Schedule): boolean {
  return now.spanSeconds < before.spanSeconds || (now.spanSeconds === before.spanSeconds && now.tries < before.tries)
}

function formatted({ tries, spanSeconds }: Schedule): string {
  return `${countRetries(tries)} within ${formatSeconds(spanSeconds)}`
}
