import { examineHistory } from '../app/open-history.ts'
import { verificationOf } from '../app/verify-report.ts'
import type { HistoryContent, HistoryExamination } from '../history/examination.ts'
import { describeMove, moveAdvice } from '../history/lease-owner.ts'
import type { HistoryLocation } from '../history/location.ts'
import { isOnThisMachine } from '../history/postgres-server.ts'
import { count } from '../text/count.ts'
import { type Diagnosis, diagnosesOf, fail, ok, shortAdvice, warn } from './check.ts'
import { showBytes } from './show-bytes.ts'

type Environment = Readonly<Record<string, string | undefined>>

export interface CheckedHistory {
  readonly diagnoses: readonly Diagnosis[]
  /** undefined where the history cannot be used. */
  readonly examination: HistoryExamination | undefined
}

/** Below this, the next runs may not fit. */
const fewBytes = 256 * 1024 * 1024

/** Examines the history, read-only: it is neither made nor upgraded. */
export async function checkHistory(
  location: HistoryLocation,
  env: Environment,
  shown: (path: string) => string,
): Promise<CheckedHistory> {
  try {
    const examination = await examineHistory(location, env, verificationOf('plain'))
    const name = location.kind === 'file' ? shown(location.path) : location.shown
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
  const { shown, kind } = location
  if (!isWritable) {
    const advice = kind === 'file' ? writableFile : writableDatabase
    yield fail(`${shown} ${exists ? 'can be read only' : 'cannot be made'}: this user may not write there`, advice)
  }
  if (content?.moved !== undefined) yield fail(describeMove(shown, content.moved), shortAdvice(moveAdvice))
  if (kind === 'postgres' && server?.tls === undefined && !isOnThisMachine(location.server)) {
    yield warn(`the connection to ${shown} is not encrypted`, 'Leave `sslmode` out of its URL.')
  }
  if (isReadableByOthers) yield warn(`${shown} is readable by other users`, `Run \`chmod 600 ${shown}\`.`)
  if (freeBytes !== undefined && freeBytes < fewBytes) {
    const advice = 'Free space, or remove old runs with `hookdrift prune --keep-within 90d`.'
    yield warn(`only ${showBytes(freeBytes)} are free at ${shown}`, advice)
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
