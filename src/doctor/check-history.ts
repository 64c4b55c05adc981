import { verificationOf } from '../app/copy-database.ts'
import { findInstallationKey, refuseEmptyVariable } from '../app/installation-key.ts'
import { examineHistory } from '../app/open-history.ts'
import type { GoneChannel, HistoryContent, HistoryExamination } from '../history/examination.ts'
import { describeMove, moveAdvice } from '../history/lease-owner.ts'
import type { HistoryLocation } from '../history/location.ts'
import { isOnThisMachine } from '../history/postgres-server.ts'
import { createSealer } from '../inventory/sealer.ts'
import { shellWord } from '../report/text/commands.ts'
import { count } from '../text/count.ts'
import { contain, type Diagnosis, diagnosesOf, fail, ok, shortAdvice, skipped, warn } from './check.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Below this, the next runs may not fit. */
const fewBytes = 256 * 1024 * 1024

/** Examines the history and its installation key, read-only: neither is made, and the history is not upgraded. */
export async function checkHistory(
  location: HistoryLocation,
  env: Environment,
  showPath: (path: string) => string,
): Promise<{
  readonly history: readonly Diagnosis[]
  readonly sealKey: readonly Diagnosis[]
  readonly goneChannels: readonly GoneChannel[]
}> {
  const { diagnoses, examination } = await examine(location, env, showPath)
  const sealKey = await contain(giveKey, async () => checkSealKey(location, env, examination, showPath))
  return { history: diagnoses, sealKey, goneChannels: examination?.content?.goneChannels ?? [] }
}

const giveKey = 'Put the installation key back, or make one: `openssl rand -hex 32`, as HOOKDRIFT_SEAL_KEY.'

/** `examination`: undefined where the history cannot be used. */
async function examine(
  location: HistoryLocation,
  env: Environment,
  showPath: (path: string) => string,
): Promise<{ readonly diagnoses: readonly Diagnosis[]; readonly examination: HistoryExamination | undefined }> {
  try {
    const examination = await examineHistory(location, env, verificationOf('plain'))
    const name = location.kind === 'file' ? showPath(location.path) : location.displayName
    const diagnoses = [...troublesOf(examination, location), ...contentDiagnoses(examination, name)]
    return { diagnoses, examination }
  } catch (error) {
    return { diagnoses: diagnosesOf(error, openHistoryAdvice), examination: undefined }
  }
}

function* troublesOf(
  { exists, isWritable, isReadableByOthers, freeBytes, server, content }: HistoryExamination,
  location: HistoryLocation,
): Generator<Diagnosis> {
  const { displayName, kind } = location
  if (!isWritable) {
    const advice = kind === 'file' ? writableFile : writableDatabase
    yield fail(
      `${displayName} ${exists ? 'can be read only' : 'cannot be made'}: this user may not write there`,
      advice,
    )
  }
  if (content?.moved !== undefined) yield fail(describeMove(displayName, content.moved), shortAdvice(moveAdvice))
  if (kind === 'postgres' && server?.tls === undefined && !isOnThisMachine(location.server)) {
    yield warn(`the connection to ${displayName} is not encrypted`, 'Leave `sslmode` out of its URL.')
  }
  if (isReadableByOthers)
    yield warn(`${displayName} is readable by other users`, `Run \`chmod 600 ${shellWord(displayName)}\`.`)
  if (freeBytes !== undefined && freeBytes < fewBytes) {
    const advice = 'Free space, or remove old runs with `hookdrift prune --keep-within 90d`.'
    yield warn(`only ${showBytes(freeBytes)} are free at ${displayName}`, advice)
  }
}

const openHistoryAdvice = 'Check that this user can open the history: `hookdrift docs keep-the-history`.'

const writableFile = 'Let this user write to the file and its directory, or name a history elsewhere with --history.'

const writableDatabase = 'Let the login own the database, and name the primary server: `hookdrift docs many-machines`.'

function contentDiagnoses(
  { content, freeBytes, isLocal, server }: HistoryExamination,
  file: string,
): readonly Diagnosis[] {
  const on = server === undefined ? '' : `, ${server.version}, ${server.tls ?? 'no TLS'}`
  const free = freeBytes === undefined ? '' : `, ${showBytes(freeBytes)} free`
  if (content === undefined) return [ok(`none yet: the first audit makes ${file}${free}${on}`)]
  const { verification, bytes, committedRuns } = content
  if (verification === undefined) return [schemaDiagnosis(content, file, server !== undefined)]
  if (verification.ok) {
    const disk = isLocal ? ', local disk' : ''
    return [ok(`${file}: ${showBytes(bytes)}, ${count(committedRuns, 'run')}, verifies${disk}${free}${on}`)]
  }
  const advice = 'Keep a copy of it and restore the last backup that verifies: `hookdrift docs keep-the-history`.'
  const failed = verification.checks.filter((check) => check.ok === false)
  return failed.map(({ id, detail }) => fail(`${file} does not verify: ${id} ${detail}`, advice))
}

function schemaDiagnosis({ schema, knownSchema }: HistoryContent, file: string, isOnServer: boolean): Diagnosis {
  const text = `${file} has schema ${schema}, this hookdrift writes schema ${knownSchema}`
  if (schema > knownSchema) return fail(text, 'Use the newer hookdrift that wrote it.')
  if (isOnServer) return fail(text, 'Take a dump, then run `hookdrift history upgrade --yes`.')
  return warn(text, 'The next audit upgrades it, after a backup.')
}

const keepCopy = 'Keep a copy of the key elsewhere: with another key, secrets that change meanwhile go undetected.'

/**
 * Says where the installation key comes from, and whether it is the one of the last run. Makes no key.
 * @throws AuditError when there is a key that cannot be used, or an empty variable where a key would be made
 */
function checkSealKey(
  location: HistoryLocation,
  env: Environment,
  examination: HistoryExamination | undefined,
  showPath: (path: string) => string,
): readonly Diagnosis[] {
  const content = examination?.content
  const installationKey = findInstallationKey(location, env)
  const [path, file] = location.kind === 'file' ? [location.keyFile, showPath(location.keyFile)] : ['', '']
  if (installationKey === undefined) {
    refuseEmptyVariable(file, env)
    const isRead = examination !== undefined && (content === undefined || content.verification !== undefined)
    if (!isRead) return [skipped(`${file} is not there, and it is not known whether a run had it: see history`)]
    if (content?.sealKeyId === undefined) return [ok(`none yet: the first audit makes ${file}`)]
    return [warn(`${file} is missing: the next audit makes a new key`, restoreKey)]
  }
  const { key, warning } = installationKey
  const diagnoses: Diagnosis[] = warning === undefined ? [] : [warn(warning, `Run \`chmod 600 ${shellWord(path)}\`.`)]
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

const byteUnits = ['KB', 'MB', 'GB', 'TB']

/** `950 B`, `1.2 MB`, `41 GB`. */
function showBytes(bytes: number): string {
  let size = bytes
  let unit = 'B'
  for (const next of byteUnits) {
    if (size < 1000) break
    size /= 1000
    unit = next
  }
  return `${size < 10 && unit !== 'B' ? size.toFixed(1) : Math.round(size)} ${unit}`
}
