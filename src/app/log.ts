import { createRequire } from 'node:module'
import type { Logger } from 'pino'
import { AuditError } from '../model/errors.ts'
import { escapeUnseen } from '../model/text/neutralise.ts'
import type { ProcessContext } from './process-context.ts'

type Write = (...line: [fields: object, text: string] | [text: string]) => void
export type Log = Readonly<Record<'debug' | 'info' | 'warn' | 'error', Write>>

const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']

/**
 * Opens the log, as JSON lines on stderr; `HOOKDRIFT_LOG` sets its level (default `warn`). Callers log names and
 * counts, never a resource, a header or a body.
 * @throws AuditError.usage when the level is unknown
 */
export function openLog({ env, stderr }: ProcessContext): Log {
  const level = env.HOOKDRIFT_LOG || 'warn'
  if (!levels.includes(level)) {
    throw AuditError.usage(`HOOKDRIFT_LOG is "${level}", expected one of ${levels.join(', ')}`)
  }
  let log: Logger | undefined
  const at = (name: keyof Log): Write => {
    if (levels.indexOf(name) < levels.indexOf(level)) return () => {}
    return (...line) => {
      log ??= openLines(level, stderr)
      if (line.length === 1) log[name](...line)
      else log[name](...line)
    }
  }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

/** Opens the log of the notification channel `log`: `HOOKDRIFT_LOG` does not silence it. */
export function openNotificationLog({ stderr }: ProcessContext): (fields: object, text: string) => void {
  const log = openLines('info', stderr)
  return (fields, text) => log.info(fields, text)
}

/**
 * Most audits log nothing, so what writes the lines is loaded for the first of them. It escapes the first 32 characters
 * only; others control a terminal, too.
 */
function openLines(level: string, stderr: ProcessContext['stderr']): Logger {
  const { pino } = createRequire(import.meta.url)('pino') as typeof import('pino')
  const write = (line: string) => stderr.write(escapeUnseen(line))
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, { write })
}
