import { isResealed } from '../history/sqlite/reseal/is-resealed.ts'
import type { ResealHistory } from '../history/sqlite/reseal/reseal-history.ts'
import { findInstallationKey } from './installation-key.ts'
import { toolVersion } from './tool-version.ts'

/**
 * What an upgrade of a history needs to seal its rows anew; undefined when it is not due, so that nobody waits for what is
 * hardly ever needed. Uses the installation key that is there and makes none: another one would only look like it.
 * @throws AuditError.usage or 4 when there is a key that cannot be used
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
