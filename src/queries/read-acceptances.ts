import type { Acceptance } from '../history/acceptances.ts'
import type { OpenHistory } from '../history/history.ts'
import type { RecordedViolation } from '../history/records.ts'
import { AuditError } from '../model/errors.ts'
import type { Kind } from '../model/resource.ts'
import type { Answer } from '../report/answer.ts'
import { type AnswerView, limited } from '../report/show-answer.ts'
import { showTime } from '../report/text/show-time.ts'

export interface AcceptanceRow {
  readonly fingerprint: string
  readonly rule: string
  readonly project: string
  readonly kind: Kind
  readonly uid: string
  readonly path: string
  readonly reason: string
  readonly by: string
  /** ISO 8601, UTC. */
  readonly at: string
  readonly revoked_at: string | null
}

/** Acceptances, the latest first. */
export function answerAcceptances(acceptances: readonly Acceptance[], limit: number): Answer<AcceptanceRow> {
  return { command: 'accept', run: null, ...limited(acceptances.map(toRow).reverse(), limit) }
}

function toRow({ project, revoked, fingerprint, rule, kind, uid, path, reason, by, at }: Acceptance): AcceptanceRow {
  const signed = { reason, by, at, revoked_at: revoked?.at ?? null }
  return { fingerprint, rule, project: project.name, kind, uid, path, ...signed }
}

export const acceptancesView: AnswerView<AcceptanceRow> = {
  columns: [
    { name: 'fingerprint', value: (row) => row.fingerprint, show: (row) => row.fingerprint.slice(0, 12) },
    { name: 'rule', value: (row) => row.rule },
    { name: 'project', value: (row) => row.project },
    { name: 'kind', value: (row) => row.kind, only: 'csv' },
    { name: 'uid', value: (row) => row.uid },
    { name: 'path', value: (row) => row.path, only: 'csv' },
    { name: 'by', value: (row) => row.by },
    { name: 'at', value: (row) => row.at, show: (row) => showTime(row.at), least: 10 },
    {
      name: 'revoked_at',
      value: (row) => row.revoked_at,
      show: (row) => (row.revoked_at === null ? '' : showTime(row.revoked_at)),
    },
    { name: 'reason', value: (row) => row.reason },
  ],
  nothing: 'No violation was accepted.',
  isOfRun: false,
}

/** Shortest beginning of a fingerprint that names it. */
const leastCharacters = 6

/**
 * The one violation or acceptance that a fingerprint, or its beginning, names.
 * @throws AuditError.usage when there is none, or more than one
 */
export function findByFingerprint<Named extends { readonly fingerprint: string }>(
  all: readonly Named[],
  text: string,
  { what, list }: { readonly what: string; readonly list: string },
): Named {
  const matching = text.length < leastCharacters ? [] : all.filter(({ fingerprint }) => fingerprint.startsWith(text))
  const [one] = matching
  if (one !== undefined && new Set(matching.map(({ fingerprint }) => fingerprint)).size === 1) return one
  const advice = `\`${list}\` lists them; name the whole fingerprint, or at least ${leastCharacters} characters of it`
  if (one === undefined) throw AuditError.usage(`no ${what} has the fingerprint ${JSON.stringify(text)}`, { advice })
  throw AuditError.usage(`${matching.length} ${what}s begin with ${JSON.stringify(text)}`, { advice })
}

/** Active violations as of the last run, with their projects. */
export async function readAcceptable(history: OpenHistory): Promise<readonly (RecordedViolation & Scanned)[]> {
  const last = await history.lastRun()
  if (last === undefined) return []
  const scans = new Map((await history.latestScans(last.number)).map(({ project }) => [project.name, project]))
  return (await history.violationsAt(last.number)).flatMap((violation) => {
    const scanned = scans.get(violation.project)
    return scanned === undefined ? [] : [{ ...violation, scanned }]
  })
}

interface Scanned {
  readonly scanned: Acceptance['project']
}
