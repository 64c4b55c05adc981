import { placesOf } from '../app/history-of.ts'
import { pathFrom } from '../app/path-from.ts'
import type { Terminal } from '../app/terminal.ts'
import { AuditError } from '../model/errors.ts'

/**
 * `--policy`, or the one of the configuration, of which only the places are read: that needs no key.
 * @throws AuditError 2 when neither names one
 */
export async function policyFileOf(
  { policy, config }: { readonly policy?: string; readonly config: string },
  terminal: Terminal,
): Promise<string> {
  if (policy !== undefined) return pathFrom(terminal.cwd(), policy)
  const { policy: named } = await placesOf(config, terminal)
  if (named !== undefined) return named
  throw new AuditError(2, `${config} names no policy`, { advice: 'say which one is meant: --policy FILE' })
}
