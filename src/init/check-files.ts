import { join } from 'node:path'
import { readConfiguration } from '../config/read-configuration.ts'
import { AuditError } from '../model/errors.ts'
import { readPolicy } from '../policy/read-policy.ts'
import type { Plan } from './plan-files.ts'

interface CheckContext {
  /** Absolute path of the chosen directory. */
  readonly directory: string
  readonly keyVariable: string
  /** Milliseconds. */
  readonly now: number
}

/**
 * Reads configuration and policy as `hookdrift audit` will, before they are written. A key that is not there yet has a
 * made-up value.
 * @throws Error when hookdrift would refuse what it is about to write, which is a bug
 */
export function checkFiles(
  { files, configuration, policy }: Plan,
  { directory, keyVariable, now }: CheckContext,
): void {
  const texts = new Map(files.map(({ path, text }) => [join(directory, path), text]))
  const readFile = (path: string) => texts.get(path) ?? 'not-a-real-key'
  try {
    readConfiguration(join(directory, configuration), { env: { [keyVariable]: 'not-a-real-key' }, readFile })
    readPolicy(join(directory, policy), readFile, now)
  } catch (error) {
    if (!(error instanceof AuditError)) throw error
    throw new Error(`init made a file that hookdrift refuses: ${error.message}`, { cause: error })
  }
}
