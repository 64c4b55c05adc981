import { pino } from 'pino'
import { AuditError } from '../model/errors.ts'
import type { ProcessContext } from './terminal.ts'

export type Log = Pick<pino.Logger, 'debug' | 'info' | 'warn' | 'error'>

const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']

/**
 * The log, as JSON lines on stderr; `HOOKDRIFT_LOG` sets its level (`warn` unless said). Callers log names and counts,
 * never a resource, a header or a body.
 */
export function openLog({ env, stderr }: ProcessContext): Log {
  const level = env.HOOKDRIFT_LOG ?? 'warn'
  if (!levels.includes(level)) {
    throw AuditError.usage(`HOOKDRIFT_LOG is "${level}", expected one of ${levels.join(', ')}`)
  }
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, { write: (line) => stderr.write(line) })
}

/** The log that a channel of its own asks for: it is written whatever HOOKDRIFT_LOG leaves out. */
export function openNotificationLog({
  stderr,
}: ProcessContext): (fields: Readonly<Record<string, unknown>>, text: string) => void {
  const log = pino(
    { level: 'info', base: null, timestamp: pino.stdTimeFunctions.isoTime },
    { write: (line) => stderr.write(line) },
  )
  return (fields, text) => log.info(fields, text)
}
