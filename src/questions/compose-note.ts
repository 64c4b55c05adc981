import { matchesProject } from '../config/choose-projects.ts'
import { sealWords } from '../gateway/inventory/seal-text.ts'
import { type Sealer, sealKnown } from '../gateway/inventory/sealer.ts'
import type { Signature } from '../history/approvals.ts'
import type { NewNote } from '../history/notes.ts'
import type { HistoryReader } from '../history/reader.ts'
import { findLastRun } from '../history/sql/runs.ts'
import { leaveOutRenamed, readLatestScans } from '../history/sql/scans.ts'
import { AuditError } from '../model/errors.ts'
import { escapeText } from '../model/exact-number.ts'
import { isProjectList, policyProject } from '../model/resource.ts'
import { isoTime, readPastTime } from '../model/time.ts'

/** What a person wrote down, as they wrote it. */
export interface WrittenNote {
  readonly text: string
  readonly at?: string | undefined
  readonly ref?: string | undefined
  /** Names of projects. */
  readonly projects: readonly string[]
}

/** In UTF-16 code units: of the text, and of what it refers to. */
export const longestNote = 500
/** The clock of who writes may be ahead of ours. */
const mostAheadMs = 5 * 60_000

/**
 * A note as it is recorded: secrets in its texts are masked. `signed` is without any.
 * @throws AuditError.usage when it says nothing or too much, or its time has not come
 */
export function composeNote({ text, at, ref, projects }: WrittenNote, signed: Signature, masking: Sealer): NewNote {
  const now = Date.parse(signed.at)
  for (const [name, value] of [['text', text] as const, ['ref', ref ?? 'none'] as const]) {
    if (value.trim() === '') throw AuditError.usage(`the ${name} of a note is empty`)
    if (value.length > longestNote) {
      throw AuditError.usage(`the ${name} of a note has ${value.length} characters: at most ${longestNote}`)
    }
  }
  const time = at === undefined ? { start: now, end: now } : readPastTime(at, now)
  if (time === undefined || time.start !== time.end || time.start < 0) {
    throw AuditError.usage(`not a time: ${JSON.stringify(at)}`, {
      advice: 'write an instant such as 2026-11-21T14:03:00Z, or how long ago, such as 20m',
    })
  }
  if (time.start > now + mostAheadMs) {
    throw AuditError.usage(`${at} is in the future: a note records what was done`)
  }
  return {
    happenedAt: isoTime(time.start),
    text: sealWords(escapeText(text.trim()), masking),
    ref: ref === undefined ? null : sealReference(sealKnown(escapeText(ref.trim()), masking), masking),
    projects,
    signed,
  }
}

/** Names of the projects that the reader may know of, as of the last run, each once. */
export async function readNotedProjects(history: HistoryReader): Promise<readonly string[]> {
  const last = await findLastRun(history)
  if (last === undefined) return []
  const scans = leaveOutRenamed(await readLatestScans(history, last.number))
  return scans.flatMap(({ project }) =>
    isProjectList(project) || project.name === policyProject.name ? [] : [project.name],
  )
}

/**
 * The projects that patterns name.
 * @throws AuditError.usage when one of them names none
 */
export function chooseNoted(projects: readonly string[], patterns: readonly string[]): readonly string[] {
  for (const pattern of patterns) {
    if (projects.some((name) => matchesProject(name, [pattern]))) continue
    throw AuditError.usage(`no project ${JSON.stringify(pattern)} was scanned yet`, {
      advice: '`hookdrift status` lists the projects; without any, the note is about all',
    })
  }
  return patterns.length === 0 ? [] : projects.filter((name) => matchesProject(name, patterns))
}

/** Digests of commits look random, and are public: by themselves, and in an address behind `commit`. */
function sealReference(ref: string, masking: Sealer): string {
  const [, before = '', commit, after = ''] =
    /^(|https?:\/\/[^\s?#]{0,400}\/commits?\/)([0-9a-f]{64}|[0-9a-f]{7,40})(|[/?#].{0,400})$/s.exec(ref) ?? []
  if (commit === undefined) return sealWords(ref, masking)
  // A number replaces the commit, and passes as it is.
  const sealed = sealWords(`${before}1${after}`, masking)
  return sealed.startsWith(`${before}1`) ? `${before}${commit}${sealed.slice(before.length + 1)}` : sealed
}
