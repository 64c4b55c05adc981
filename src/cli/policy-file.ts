import { readFileSync } from 'node:fs'
import type { readConfiguration } from '../config/read-configuration.ts'
import { AuditError } from '../model/errors.ts'
import { pathFrom } from './path-from.ts'
import type { Terminal } from './terminal.ts'

/**
 * `--policy`, or the one of the configuration, which is read only if it must be: it needs its keys.
 * @throws AuditError 2 when neither names one
 */
export function policyFileOf(
  { policy, config }: { readonly policy?: string; readonly config: string },
  { env, cwd }: Terminal,
  reader: { readonly readConfiguration: typeof readConfiguration },
): string {
  if (policy !== undefined) return pathFrom(cwd(), policy)
  const file = pathFrom(cwd(), config)
  const named = reader.readConfiguration(file, { env, readFile: (path) => readFileSync(path, 'utf8') }).policy
  if (named !== undefined) return named
  throw new AuditError(2, `${config} names no policy`, { advice: 'say which one is meant: --policy FILE' })
}
