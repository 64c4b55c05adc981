import { expect } from 'vitest'
import type { HistoryReader } from '../../src/history/reader.ts'
import { compareText } from '../../src/history/report-order.ts'
import type { ListedResource } from '../../src/history/resource-list.ts'
import { type ResourceDifference, readDiffering, visitDiffering } from '../../src/history/sql/differing.ts'
import { readEvaluations } from '../../src/history/sql/last-evaluations.ts'
import { countResources, listResources } from '../../src/history/sql/list-resources.ts'
import { listViolations } from '../../src/history/sql/list-violations.ts'
import { readPoliciesBetween, readRunInputs, runsWithWindows } from '../../src/history/sql/read-run.ts'
import {
  identifyResources,
  readReferrersOf,
  readVersionsOf,
  readViolationsOf,
} from '../../src/history/sql/resource-life.ts'
import {
  findCommittedRun,
  listEndedRuns,
  listRuns,
  listRunsBefore,
  readRunExtents,
} from '../../src/history/sql/runs.ts'
import { readCompleteScans, readLatestScans } from '../../src/history/sql/scans.ts'
import { readStateAt } from '../../src/history/sql/state-at.ts'
import { identifyViolations } from '../../src/history/sql/violation-keys.ts'
import { readResolvedBetween, readViolationsAt, readWaivedBetween } from '../../src/history/sql/violations.ts'
import { type RecordedSpan, visitSpans } from '../../src/history/sql/visit-spans.ts'
import { canonicalJson } from '../../src/model/canonical-json.ts'
import { kinds } from '../../src/model/resource.ts'
import { violationStates } from '../../src/model/violation.ts'
import {
  countViolations,
  filterTest,
  listFor,
  rankViolations,
  readFirst,
  sortKeyOf,
  violationOrders,
} from '../../src/questions/choose-violations.ts'
import { everyViolation } from '../../src/questions/violations.ts'

/** Everything that can be asked as of a run. Of a run that it does not follow, a span's going on is not known. */
export async function answersAt(reader: HistoryReader, run: number, uids: readonly string[]): Promise<unknown> {
  const scans = await readLatestScans(reader, run)
  const state: unknown[] = [
    scans,
    await readRunInputs(reader, run),
    await readViolationsAt(reader, run),
    await readResolvedBetween(reader, 0, run),
    ...(await chosenAt(reader, run)),
    byText(await readWaivedBetween(reader, run - 2, run)),
    await readPoliciesBetween(reader, run - 2, run),
    await runsWithWindows(reader, run - 2, run),
    byText(await spansOf(reader, run - 2, run)),
    (await identifyViolations(reader, '', run, 5)).map(({ id: _, ...violation }) => violation),
    await findCommittedRun(reader, run),
    await listRunsBefore(reader, run + 1, 3),
    await readRunExtents(reader, run - 1, run),
    ...(await listedAt(reader, run)),
  ]
  for (const { project } of scans) {
    state.push(await readCompleteScans(reader, project, run), await readStateAt(reader, project, run))
    state.push(await readStateAt(reader, project, run, 'subscription'))
    for (const uid of uids) {
      for (const kind of kinds) {
        const identity = { project, kind, uid }
        state.push(await readVersionsOf(reader, identity, run), await readViolationsOf(reader, identity, run))
        state.push(await readReferrersOf(reader, identity, run))
      }
    }
  }
  for (const uid of uids) state.push(await identifyResources(reader, uid, run))
  for (let from = 1; from < run; from += 1) {
    const differing = await readDiffering(reader, from, run)
    const visited: ResourceDifference[] = []
    await visitDiffering(reader, from, run, (pair) => visited.push(pair))
    expect(byText(visited)).toEqual(byText(differing))
    state.push(differing)
  }
  return state
}

/** The spans of violations, as visited. */
export async function spansOf(reader: HistoryReader, after: number, run: number): Promise<RecordedSpan[]> {
  const spans: RecordedSpan[] = []
  await visitSpans(reader, after, run, (span) => spans.push(span))
  // Stable, so those of a violation stay in their order; the order of violations is a backend's own.
  return spans.sort((a, b) => compareText(a.fingerprint, b.fingerprint) || compareText(a.project, b.project))
}

/** Of a larger history, more than two resources are listed at a time. */
const fewResources = 200

/** Resources in every way that they are listed: whole, and two at a time. */
async function listedAt(reader: HistoryReader, run: number): Promise<unknown[]> {
  const projects = (await readLatestScans(reader, run)).map(({ project }) => project)
  const answers: unknown[] = [await countResources(reader, projects, run)]
  const all = { run, projects, kind: undefined, withRemoved: false, after: undefined, most: 100_000 }
  for (const part of [{}, { kind: 'endpoint' }, { withRemoved: true }] as const) {
    const listed = await listResources(reader, { ...all, ...part })
    answers.push(listed)
    const atOnce = listed.length > fewResources ? fewResources - 1 : 2
    const walked: ListedResource[] = []
    for (let more = true; more; ) {
      const last = walked.at(-1)
      const left =
        last === undefined ? projects : projects.slice(projects.findIndex(({ name }) => name === last.project.name))
      const next = await listResources(reader, { ...all, ...part, projects: left, after: last, most: atOnce })
      walked.push(...next)
      more = next.length === atOnce
    }
    expect(walked).toEqual(listed)
  }
  return answers
}

/** Violations as listed, chosen, counted, and the first of them in several orders. Ids are a backend's own. */
async function chosenAt(reader: HistoryReader, run: number): Promise<unknown[]> {
  const answers: unknown[] = []
  const evaluations = await readEvaluations(reader, await readLatestScans(reader, run))
  const filter = { ...everyViolation, rule: undefined, states: new Set(violationStates) }
  for (const more of [
    ...[
      {},
      { states: new Set(['resolved'] as const), after: run - 2 },
      { kind: 'endpoint' as const },
      { rule: '*-h*s' },
    ],
    ...[{ owners: ['', 't*', '*[*?\\**%_'] }, { owners: ['*0*'] }, { text: 'ENDPOINT' }],
  ]) {
    const choice = { ...filter, ...more }
    const listed = await listFor(reader, run, choice)
    const chosen = listed.filter(filterTest(choice, evaluations))
    answers.push(
      byText(chosen.map(({ id: _, ...violation }) => ({ ...violation, projectId: 0 }))),
      countViolations(chosen),
    )
    for (const order of violationOrders) {
      answers.push(await readFirst(reader, chosen, { most: 3, sortKey: sortKeyOf(order, evaluations) }))
    }
  }
  const all = await listViolations(reader, { run, resolvedAfter: 0 })
  return [
    ...answers,
    rankViolations(all, ({ rule }) => rule).map(({ first, violations }) => [first.uid, violations.length]),
  ]
}

function byText(values: readonly object[]): string[] {
  return values.map((value) => canonicalJson(JSON.parse(JSON.stringify(value)))).sort()
}

/** Everything that can be asked, as of every committed run. */
export async function answersOf(reader: HistoryReader, uids: readonly string[]): Promise<unknown[]> {
  const state: unknown[] = [await listRuns(reader), await listEndedRuns(reader, 3), await listEndedRuns(reader, 1000)]
  for (const { number } of await listRuns(reader)) state.push(await answersAt(reader, number, uids))
  return state
}
