import type { HistoryReader } from '../../history/reader.ts'
import { type CommittedRun, listRuns } from '../../history/sql/runs.ts'
import { projectFinder, readLatestScans } from '../../history/sql/scans.ts'
import { readVersionsAt } from '../../history/sql/state-at.ts'
import { type ResolvedViolation, readResolvedBetween } from '../../history/sql/violations.ts'
import { visitSpans } from '../../history/sql/visit-spans.ts'
import { canonicalJson } from '../../model/canonical-json.ts'
import { valueAt } from '../../model/json.ts'
import type { Resolution } from '../../model/violation.ts'

/** How a violation ends although what it reports stays: then the run that ends it is the last one to speak of it. */
const silencing: readonly (Resolution | null)[] = ['accepted', 'expired']

function isSilenced({ resolution }: Pick<ResolvedViolation, 'resolution'>): boolean {
  return silencing.includes(resolution)
}

/**
 * Violations that people or the policy ended by a run, and of which the value is still the one that was there then: no
 * later run reports them, and none of them is fixed. By the run that ended them, the latest first.
 */
export async function silencedBy(history: HistoryReader, run: number): Promise<readonly ResolvedViolation[]> {
  const runs = new Map((await listRuns(history)).map(({ number, started_at }) => [started_at, number]))
  const ended = new Set<number>()
  await visitSpans(history, 0, run, ({ resolution, to, goesOn }) => {
    const number = to === null || goesOn || !silencing.includes(resolution) ? undefined : runs.get(to)
    if (number !== undefined) ended.add(number)
  })
  const silenced = new Map<string, ResolvedViolation>()
  for (const number of [...ended].sort((a, b) => b - a)) {
    for (const violation of await readResolvedBetween(history, number - 1, number)) {
      if (isSilenced(violation) && !silenced.has(violation.fingerprint)) {
        silenced.set(violation.fingerprint, violation)
      }
    }
  }
  return withoutChanged(history, [...silenced.values()], run)
}

/** Where another value was seen later, and when: the start of the run that saw it. */
export type FormerExemption<Violation> = Violation & { readonly until: string }

/**
 * Those whose value changed, or whose resource came or went, by the last of some runs. `silenced`: whose value was the
 * same before the first of them.
 */
export async function untilChanged(
  history: HistoryReader,
  silenced: readonly ResolvedViolation[],
  runs: readonly CommittedRun[],
): Promise<readonly FormerExemption<ResolvedViolation>[]> {
  const last = runs.at(-1)
  if (last === undefined) return []
  const unchanged = new Set(await withoutChanged(history, silenced, last.number))
  const changed = silenced.filter((violation) => !unchanged.has(violation))
  if (changed.length === 0 || runs.length === 1) return changed.map((one) => ({ ...one, until: last.started_at }))
  const half = Math.floor(runs.length / 2)
  const early = await untilChanged(history, changed, runs.slice(0, half))
  const found = new Set(early.map(({ fingerprint }) => fingerprint))
  const others = changed.filter(({ fingerprint }) => !found.has(fingerprint))
  return [...early, ...(await untilChanged(history, others, runs.slice(half)))]
}

/** Without those whose value changed, or whose resource came or went, after they ended, up to a run. */
async function withoutChanged(
  history: HistoryReader,
  violations: readonly ResolvedViolation[],
  run: number,
): Promise<readonly ResolvedViolation[]> {
  if (violations.length === 0) return []
  const projectOf = projectFinder(await readLatestScans(history, run))
  const unchanged = new Set<ResolvedViolation>()
  for (const [project, ofProject] of Map.groupBy(violations, projectOf)) {
    if (project === undefined) continue
    const points = ofProject.flatMap(({ kind, uid, resolved_run: end }) => [
      { kind, uid, run: end },
      { kind, uid, run },
    ])
    const versions = await readVersionsAt(history, project, points)
    for (const [index, violation] of ofProject.entries()) {
      const [then, now] = [versions[index * 2], versions[index * 2 + 1]]
      // Where a value is none, its resource may be gone all the same.
      if ((then === undefined) !== (now === undefined)) continue
      const [before, after] = [then, now].map((version) => version && valueAt(version.attributes, violation.path))
      if (canonicalJson(before ?? null) === canonicalJson(after ?? null)) unchanged.add(violation)
    }
  }
  return violations.filter((violation) => unchanged.has(violation))
}
