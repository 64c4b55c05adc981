import { expect } from 'vitest'
import type { Differing, GroupChoice, HistoryReader, RecordedSpan, ViolationGroup } from '../../src/history/reader.ts'
import { compareText } from '../../src/history/report-order.ts'
import type { ListedResource } from '../../src/history/resource-list.ts'
import { canonicalJson } from '../../src/model/canonical-json.ts'
import { kinds } from '../../src/model/resource.ts'

/** Everything that can be asked as of a run. Of a run that it does not follow, a span's going on is not known. */
export async function answersAt(reader: HistoryReader, run: number, uids: readonly string[]): Promise<unknown> {
  const scans = await reader.latestScans(run)
  const state: unknown[] = [
    scans,
    await reader.runInputs(run),
    await reader.violationsAt(run),
    await reader.resolvedBetween(0, run),
    ...(await firstAt(reader, run)),
    byText(await reader.waivedBetween(run - 2, run)),
    await reader.policiesBetween(run - 2, run),
    byText(await spansOf(reader, run - 2, run)),
    (await reader.violatedRules(run)).map(({ project, rule }) => `${project} ${rule}`).sort(),
    (await reader.identifyViolations('', run, 5)).map(({ id: _, ...violation }) => violation),
    await reader.committedRun(run),
    await reader.runsBefore(run + 1, 3),
    await reader.runExtents(run - 1, run),
    ...(await listedAt(reader, run)),
  ]
  for (const { project } of scans) {
    state.push(await reader.completeScansAt(project, run), await reader.stateAt(project, run))
    state.push(await reader.stateAt(project, run, 'subscription'))
    for (const uid of uids) {
      for (const kind of kinds) {
        const identity = { project, kind, uid }
        state.push(await reader.versionsOf(identity, run), await reader.violationsOf(identity, run))
        state.push(await reader.referrersOf(identity, run))
      }
    }
  }
  for (const uid of uids) state.push(await reader.find(uid, run))
  for (let from = 1; from < run; from += 1) {
    const differing = await reader.differing(from, run)
    const visited: Differing[] = []
    await reader.visitDiffering(from, run, (pair) => visited.push(pair))
    expect(byText(visited)).toEqual(byText(differing))
    state.push(differing)
  }
  return state
}

/** The spans of violations, as visited. */
export async function spansOf(reader: HistoryReader, after: number, run: number): Promise<RecordedSpan[]> {
  const spans: RecordedSpan[] = []
  await reader.visitSpans(after, run, (span) => spans.push(span))
  // Stable, so those of a violation stay in their order; the order of violations is a backend's own.
  return spans.sort((a, b) => compareText(a.fingerprint, b.fingerprint) || compareText(a.project, b.project))
}

/** Of a larger history, more than two resources are listed at a time. */
const fewResources = 200

/** Resources in every way that they are listed: whole, and two at a time. */
async function listedAt(reader: HistoryReader, run: number): Promise<unknown[]> {
  const projects = (await reader.latestScans(run)).map(({ project }) => project)
  const answers: unknown[] = [await reader.countResources(projects, run)]
  const all = { run, projects, kind: undefined, withRemoved: false, after: undefined, most: 100_000 }
  for (const part of [{}, { kind: 'endpoint' }, { withRemoved: true }] as const) {
    const listed = await reader.listResources({ ...all, ...part })
    answers.push(listed)
    const atOnce = listed.length > fewResources ? fewResources - 1 : 2
    const walked: ListedResource[] = []
    for (let more = true; more; ) {
      const last = walked.at(-1)
      const left =
        last === undefined ? projects : projects.slice(projects.findIndex(({ name }) => name === last.project.name))
      const next = await reader.listResources({ ...all, ...part, projects: left, after: last, most: atOnce })
      walked.push(...next)
      more = next.length === atOnce
    }
    expect(walked).toEqual(listed)
  }
  return answers
}

/** The first violations, few and all, in several orders. */
async function firstAt(reader: HistoryReader, run: number): Promise<unknown[]> {
  const answers: unknown[] = []
  for (const most of [1, 3, Number.POSITIVE_INFINITY]) {
    const all = { run, withActive: true, resolvedAfter: 0, most }
    const isChosen = ({ kind, waiver }: ViolationGroup) => kind === 'endpoint' || waiver !== undefined
    answers.push(
      await reader.firstViolations(all),
      await reader.firstViolations({ ...all, withActive: false, resolvedAfter: run - 2 }),
      await reader.firstViolations({ ...all, resolvedAfter: undefined, isChosen }),
      await reader.firstViolations({ ...all, sortKey: ({ firstSeen, kind }) => `${firstSeen} ${kind}` }),
      await reader.firstViolations({ ...all, rules: ['*-h*s', 'endpoint/*'], owners: ['', 't*', '*[*?\\**%_'] }),
      await reader.firstViolations({ ...all, owners: ['*0*'] }),
      await reader.firstViolations({ ...all, text: 'ENDPOINT' }),
    )
  }
  for (const by of [[], ['rule'], ['owner'], ['resource'], ['start', 'rule', 'owner', 'resource']] as const) {
    const choice = { run, withActive: true, resolvedAfter: 0, by }
    answers.push(await groupsOf(reader, choice))
  }
  return answers
}

/** How many there are of each group, whenever they ended. Ids are a backend's own. */
async function groupsOf(reader: HistoryReader, choice: GroupChoice): Promise<readonly string[]> {
  const counts = new Map<string, number>()
  await reader.groupViolations(choice, ({ projectId: _, ids: __, asOf: ___, violations, ...group }) => {
    const key = canonicalJson(JSON.parse(JSON.stringify(group)))
    counts.set(key, (counts.get(key) ?? 0) + violations)
  })
  return [...counts].map(([group, violations]) => `${violations} ${group}`).sort()
}

function byText(values: readonly object[]): string[] {
  return values.map((value) => canonicalJson(JSON.parse(JSON.stringify(value)))).sort()
}

/** Everything that can be asked, as of every committed run. */
export async function answersOf(reader: HistoryReader, uids: readonly string[]): Promise<unknown[]> {
  const state: unknown[] = [await reader.runs(), await reader.endedRuns(3), await reader.endedRuns(1000)]
  for (const { number } of await reader.runs()) state.push(await answersAt(reader, number, uids))
  return state
}
