import type { Command } from 'commander'
import type { ProcessContext } from '../app/process-context.ts'
import { proxyFor } from '../gateway/service/proxy-for.ts'
import { AuditError, exitCodes } from '../model/errors.ts'

/** Names the variable whose proxy a URL is reached through; nothing without one. What the scripts of `deploy/ci` ask. */
export function defineProxyFor(command: Command) {
  command.argument('<url>')
  return async (_: unknown, { env, stdout }: ProcessContext, text: string) => {
    const url = URL.parse(text)
    // It is not repeated: it may contain a password.
    if (url === null) throw AuditError.usage('expected a URL')
    const proxy = proxyFor(url, env)
    if (proxy !== undefined) stdout.write(`${proxy.variable}\n`)
    return exitCodes.clean
  }
}
