import { findInstallationKey, refuseEmptyVariable } from '../app/installation-key.ts'
import type { HistoryContent } from '../history/examination.ts'
import type { HistoryLocation } from '../history/location.ts'
import { createSealer } from '../inventory/sealer.ts'
import { type Diagnosis, ok, warn } from './check.ts'

type Environment = Readonly<Record<string, string | undefined>>

const keepCopy = 'Keep a copy of the key elsewhere: with another key, secrets that change meanwhile go undetected.'

/**
 * Says where the installation key comes from, and whether it is the one of the last run. Makes no key.
 * @throws AuditError when there is a key that cannot be used, or an empty variable where a key would be made
 */
export function checkSealKey(
  location: HistoryLocation,
  env: Environment,
  content: HistoryContent | undefined,
  shown: (path: string) => string,
): readonly Diagnosis[] {
  const found = findInstallationKey(location, env)
  const [path, file] = location.kind === 'file' ? [location.keyFile, shown(location.keyFile)] : ['', '']
  if (found === undefined) {
    refuseEmptyVariable(file, env)
    if (content?.sealKeyId === undefined) return [ok(`none yet: the first audit makes ${file}`)]
    return [warn(`${file} is missing: the next audit makes a new key`, restoreKey)]
  }
  const { key, warning } = found
  const diagnoses: Diagnosis[] = warning === undefined ? [] : [warn(warning, `Run \`chmod 600 ${path}\`.`)]
  const keyId = createSealer(key).keyId
  if (content?.sealKeyId !== undefined && content.sealKeyId !== keyId) {
    return [...diagnoses, warn(`${sourceOf(location, env, file)}, which is not the key of the last run`, restoreKey)]
  }
  return [...diagnoses, ok(sourceOf(location, env, file), keepCopy)]
}

const restoreKey = 'Put the former key back; without it, secrets that changed since the last run go undetected once.'

function sourceOf({ sealKey }: HistoryLocation, env: Environment, file: string): string {
  if (env.HOOKDRIFT_SEAL_KEY) return 'the variable HOOKDRIFT_SEAL_KEY'
  return sealKey === undefined ? `the file ${file}` : '`seal_key` of the configuration'
}
