import { pino } from 'pino'
import { AuditError } from '../model/errors.ts'
import type { ProcessContext } from './process-context.ts'

export type Log = Pick<pino.Logger, 'debug' | 'info' | 'warn' | 'error'>

const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']

/**
 * Opens the log, as JSON lines on stderr; `HOOKDRIFT_LOG` sets its level (default `warn`). Callers log names and
 * counts, never a resource, a header or a body.
 * @throws AuditError.usage when the level is unknown
 */
export function openLog({ env, stderr }: ProcessContext): Log {
  const level = env.HOOKDRIFT_LOG ?? 'warn'
  if (!levels.includes(level)) {
    throw AuditError.usage(`HOOKDRIFT_LOG is "${level}", expected one of ${levels.join(', ')}`)
  }
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, { write: (line) => stderr.write(line) })
}

/** Opens the log of the notification channel `log`: `HOOKDRIFT_LOG` does not silence it. */
export function openNotificationLog({
  stderr,
}: ProcessContext): (fields: Readonly<Record<string, unknown>>, text: string) => void {
  const log = pino(
    { level: 'info', base: null, timestamp: pino.stdTimeFunctions.isoTime },
    { write: (line) => stderr.write(line) },
  )
  return (fields, text) => log.info(fields, text)
}
