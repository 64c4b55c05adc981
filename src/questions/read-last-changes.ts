import type { HistoryReader } from '../history/reader.ts'
import type { RecordedViolation } from '../history/records.ts'
import { listViolations } from '../history/sql/list-violations.ts'
import { readRunInputs } from '../history/sql/read-run.ts'
import { type CommittedRun, type EndedRun, listRunsBefore } from '../history/sql/runs.ts'
import { readLatestScans } from '../history/sql/scans.ts'
import type { Kind } from '../model/resource.ts'
import type { Severity } from '../model/violation.ts'
import { nameEnding, sentenceOfEnding } from '../report/describe-ending.ts'
import { presentScans } from './as-of.ts'
import { readFirst } from './choose-violations.ts'

/** A change that a run found, as feeds show it. */
export interface ChangeEntry {
  readonly what: 'added' | 'removed' | 'modified' | 'opened' | 'resolved' | 'not-scanned'
  /** Start of the run: ISO 8601, UTC. */
  readonly at: string
  /** undefined where it was pruned since. */
  readonly run: number | undefined
  readonly title: string
  readonly summary: string
  /** Of violations. */
  readonly severity?: Severity
  readonly subject:
    | { readonly project: string }
    | { readonly project: string; readonly kind: Kind; readonly uid: string }
    | { readonly project: string; readonly fingerprint: string }
}

/** More runs than this are not read: where nothing changes, old changes matter to few. */
const mostRuns = 200

/**
 * What changed up to a run, newest first: the last `most` resources that drifted, and violations that were opened and
 * resolved; and as many projects whose scans are incomplete, however long.
 */
export async function readLastChanges(
  reader: HistoryReader,
  until: CommittedRun,
  most: number,
): Promise<readonly ChangeEntry[]> {
  const runs = (await listRunsBefore(reader, until.number + 1, mostRuns)).filter(({ isCommitted }) => isCommitted)
  const oldest = runs.at(-1) ?? until
  const changes = [...(await drift(reader, runs, most)), ...(await violations(reader, { until, oldest, runs, most }))]
  // What is not scanned is unknown for as long as it lasts: no change takes its place.
  return newest([...newest(await unscanned(reader, until), most), ...newest(changes, most)])
}

function newest(entries: readonly ChangeEntry[], most = Number.POSITIVE_INFINITY): ChangeEntry[] {
  return entries.toSorted((a, b) => (a.at === b.at ? 0 : a.at < b.at ? 1 : -1)).slice(0, most)
}

async function unscanned(reader: HistoryReader, until: CommittedRun): Promise<ChangeEntry[]> {
  const scans = presentScans(await readLatestScans(reader, until.number))
  return scans.flatMap(({ project, coverage, incompleteSince }) => {
    if (incompleteSince === undefined) return []
    const reasons = coverage.flatMap(({ listing, status, reason }) =>
      status === 'complete' || status === 'skipped' ? [] : [`${listing}: ${reason ?? status}`],
    )
    return {
      what: 'not-scanned',
      at: incompleteSince.started_at,
      run: incompleteSince.number,
      title: `${project.name} was not scanned completely`,
      summary: `Since run ${incompleteSince.number}, what is there is not known. ${reasons.join('; ')}`,
      subject: { project: project.name },
    }
  })
}

async function drift(reader: HistoryReader, runs: readonly EndedRun[], most: number): Promise<ChangeEntry[]> {
  const entries: ChangeEntry[] = []
  for (const { number, started_at, changes: changed } of runs) {
    if (entries.length >= most) break
    if (changed === 0) continue
    const { changes = [] } = (await readRunInputs(reader, number)) ?? {}
    for (const { change, project, kind, uid, name, fields } of changes) {
      const paths = fields.map(({ path }) => path).join(', ')
      entries.push({
        what: change,
        at: started_at,
        run: number,
        title: `${kind} ${name === '' ? uid : name} in ${project} ${change}`,
        summary: paths === '' ? `Run ${number}: ${change}.` : `Run ${number}: ${paths} changed.`,
        subject: { project, kind, uid },
      })
    }
  }
  return entries
}

interface Window {
  readonly until: CommittedRun
  readonly oldest: CommittedRun
  readonly runs: readonly CommittedRun[]
  readonly most: number
}

async function violations(reader: HistoryReader, { until, oldest, runs, most }: Window): Promise<ChangeEntry[]> {
  const runOf = new Map(runs.map(({ started_at, number }) => [started_at, number]))
  const isNew = ({ first_seen }: Pick<RecordedViolation, 'first_seen'>) => first_seen >= oldest.started_at
  const listed = await listViolations(reader, { run: until.number, resolvedAfter: oldest.number - 1 })
  const newlyActive = listed.filter((violation) => violation.state !== 'resolved' && isNew(violation))
  const active = await readFirst(reader, newlyActive, { sortKey: ({ first_seen }) => -Date.parse(first_seen), most })
  const resolvedOnes = listed.filter(({ state }) => state === 'resolved')
  const ended = await readFirst(reader, resolvedOnes, { most })
  const opened = [...active, ...ended.filter(isNew)].map((violation) =>
    entryOf(violation, { what: 'opened', at: violation.first_seen, run: runOf.get(violation.first_seen) }),
  )
  const resolved = ended.flatMap((violation) =>
    'resolved_at' in violation
      ? [entryOf(violation, { what: 'resolved', at: violation.resolved_at, run: violation.resolved_run })]
      : [],
  )
  return [...opened, ...resolved]
}

function entryOf(
  violation: RecordedViolation,
  when: Pick<ChangeEntry, 'at' | 'run'> & { readonly what: 'opened' | 'resolved' },
): ChangeEntry {
  const { rule, severity, state, project, kind, name, uid, path, message, fingerprint, resolution, ended_by } =
    violation
  const ending = { resolution, ended_by }
  const isOpened = when.what === 'opened'
  const how = isOpened ? `${severity}${state === 'waived' ? ', waived' : ''}` : nameEnding(ending)
  const opener = when.run === undefined ? 'A run that was pruned since' : `Run ${when.run}`
  const done = isOpened ? `${opener} opened it` : `${sentenceOfEnding(ending)}, in run ${when.run}`
  return {
    ...when,
    severity,
    title: `${how}: ${rule} at ${kind} ${name === '' ? uid : name} in ${project}`,
    summary: `${done}: ${message}${path === '' ? '' : ` (${path})`}`,
    subject: { project, fingerprint },
  }
}
