import { isResealed } from '../history/sqlite/reseal/is-resealed.ts'
import type { ResealHistory } from '../history/sqlite/reseal/reseal-history.ts'
import { findInstallationKey } from './installation-key.ts'
import { toolVersion } from './tool-version.ts'

/**
 * Prepares the sealing of a history's rows by an upgrade; undefined when none is due, so that the modules for it are
 * hardly ever loaded. It uses the existing installation key and makes none: a new key could not match earlier seals.
 * @throws AuditError.usage or AuditError.failure when there is a key that cannot be used
 */
export async function resealingFor(
  history: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<ResealHistory | undefined> {
  if (isResealed(history)) return undefined
  const { createResealing } = await import('./create-resealing.ts')
  const { resealingBy } = await import('../history/sqlite/reseal/reseal-history.ts')
  const { createSealer } = await import('../inventory/sealer.ts')
  const key = findInstallationKey(history, env)
  return resealingBy(createResealing(key === undefined ? undefined : createSealer(key), toolVersion()))
}
