import { configuredPaths } from '../app/locate-history.ts'
import { pathFrom } from '../app/path-from.ts'
import type { ProcessContext } from '../app/process-context.ts'
import { AuditError } from '../model/errors.ts'

/**
 * Finds the policy file: `--policy`, or the configuration's, of which only the paths are read: that needs no key.
 * @throws AuditError.usage when neither names one
 */
export async function policyFileOf(
  { policy, config }: { readonly policy?: string; readonly config: string },
  terminal: ProcessContext,
): Promise<string> {
  if (policy !== undefined) return pathFrom(terminal.cwd(), policy)
  const { policy: named } = await configuredPaths(config, terminal)
  if (named !== undefined) return named
  throw AuditError.usage(`${config} names no policy`, { advice: 'pass --policy FILE' })
}
