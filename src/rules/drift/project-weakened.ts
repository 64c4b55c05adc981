import { countRetries, formatSeconds, type RetrySchedule, retryScheduleOf } from '../../gateway/retries.ts'
import type { ProjectConfig } from '../engine/attributes.ts'
import { driftRule } from '../engine/define-rule.ts'

export const projectWeakened = driftRule({
  id: 'drift/project-weakened',
  title: 'Project protection was weakened',
  severity: 'high',
  packs: ['tls', 'delivery'],
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

/** Without a strategy, or with one of no type, the service refuses events (`services/create_fanout_event.go` of v26.7.3). */
function scheduleOf({ strategy }: ProjectConfig): Schedule | undefined {
  return strategy === null || strategy?.type === null ? noRetries : retryScheduleOf(strategy)
}

type Schedule = Pick<RetrySchedule, 'retries' | 'spanSeconds'>
const noRetries: Schedule = { retries: 0, spanSeconds: 0 }

/** How long a receiver may be down counts first, then how often it is asked. */
function isWeaker(now: Schedule, before: Schedule): boolean {
  return (
    now.spanSeconds < before.spanSeconds || (now.spanSeconds === before.spanSeconds && now.retries < before.retries)
  )
}

function formatted({ retries, spanSeconds }: Schedule): string {
  return `${countRetries(retries)} within ${formatSeconds(spanSeconds)}`
}
