import { expect } from 'vitest'
import type { HistoryReader } from '../../src/history/reader.ts'
import type { RecordedViolation } from '../../src/history/records.ts'
import { byKindAndUid, compareText } from '../../src/history/report-order.ts'
import { readDiffering } from '../../src/history/sql/differing.ts'
import { countResources, listResources } from '../../src/history/sql/list-resources.ts'
import { type ListedViolation, listViolations } from '../../src/history/sql/list-violations.ts'
import {
  type Identity,
  identifyResources,
  readReferrersOf,
  readVersionsOf,
  readViolationsOf,
  searchResources,
} from '../../src/history/sql/resource-life.ts'
import { listRuns } from '../../src/history/sql/runs.ts'
import { readLatestScans } from '../../src/history/sql/scans.ts'
import { readStateAt, readVersionsAt } from '../../src/history/sql/state-at.ts'
import { identifyViolations, readViolationsByKey } from '../../src/history/sql/violation-keys.ts'
import { type ResolvedViolation, readResolvedBetween, readViolationsAt } from '../../src/history/sql/violations.ts'
import { kinds, type ProjectRef } from '../../src/model/resource.ts'
import { cutList, readFirst, type ViolationCursor } from '../../src/questions/choose-violations.ts'
import { only } from './samples.ts'

/**
 * Asks about every run in several ways, whose answers come from different statements. What was there in a run follows from
 * its state; everything else must say the same. Every run scanned every project that it found something in.
 */
export async function expectAnswersToAgree(reader: HistoryReader, uids: readonly string[]): Promise<void> {
  /** Where a uid was seen so far. */
  const seen = new Map<string, Identity>()
  const runs = await listRuns(reader)
  for (const { number: run } of runs) {
    const projects = (await readLatestScans(reader, run)).map(({ project }) => project)
    for (const project of projects) {
      for (const { kind, uid } of await readStateAt(reader, project, run))
        seen.set(`${project.uid} ${kind} ${uid}`, { project, kind, uid })
      await expectStateToAgree(reader, project, run)
      for (const uid of uids) await expectLifeToAgree(reader, project, uid, run)
    }
    await expectFindingsToAgree(reader, [...seen.values()], uids, run)
    for (const { number: from } of runs) if (from < run) await expectDifferencesToAgree(reader, projects, from, run)
    await expectViolationsToAgree(reader, run)
  }
}

/** Of a project: lists, counts and single versions. */
async function expectStateToAgree(reader: HistoryReader, project: ProjectRef, run: number): Promise<void> {
  const state = await readStateAt(reader, project, run)
  const choice = { run, projects: [project], kind: undefined, withRemoved: false, after: undefined, most: 1000 }
  expect(await listResources(reader, choice)).toEqual(
    state.map(({ kind, uid, name, since }) => ({ project, kind, uid, name, since, removedBy: null })),
  )
  const counts = kinds.toSorted().flatMap((kind) => {
    const resources = state.filter((resource) => resource.kind === kind).length
    return resources === 0 ? [] : [{ project, kind, resources }]
  })
  expect(await countResources(reader, [project], run)).toEqual(counts)
  const points = state.map(({ kind, uid }) => ({ kind, uid, run }))
  const versions = state.map(({ name, fromRun, since, body, sealKeyId }) => {
    return { name, fromRun, since, attributes: JSON.parse(body), facts: {}, normaliser: 1, sealKeyId }
  })
  expect(await readVersionsAt(reader, project, points)).toEqual(versions)
  const nowhere = [{ kind: 'endpoint' as const, uid: 'nowhere', run }]
  expect(await readVersionsAt(reader, project, [...nowhere, ...points])).toEqual([undefined, ...versions])
}

/** Of a resource of any kind: its versions, violations and referrers that are there in the run. */
async function expectLifeToAgree(reader: HistoryReader, project: ProjectRef, uid: string, run: number): Promise<void> {
  const state = await readStateAt(reader, project, run)
  const violations = await readViolationsAt(reader, run)
  for (const kind of ['endpoint', 'subscription', 'source'] as const) {
    const versions = await readVersionsOf(reader, { project, kind, uid }, run)
    const now = versions.filter(({ toRun }) => toRun === null)
    const there = state.filter((resource) => resource.kind === kind && resource.uid === uid)
    expect(now.map(({ name, fromRun, from, digest, body }) => [name, fromRun, from, digest, body])).toEqual(
      there.map(({ name, fromRun, since, digest, body }) => [name, fromRun, since, digest, body]),
    )
    const spans = await readViolationsOf(reader, { project, kind, uid }, run)
    const active = violations.filter((one) => one.project === project.name && one.kind === kind && one.uid === uid)
    expect(
      spans.filter(({ toRun }) => toRun === null).map(({ fingerprint, message }) => [fingerprint, message]),
    ).toEqual(active.map(({ fingerprint, message }) => [fingerprint, message]))
  }
  const referrers = await readReferrersOf(reader, { project, kind: 'source', uid }, run)
  const using = state.filter(({ kind, body }) => kind === 'subscription' && JSON.parse(body).source_uid === uid)
  expect(referrers.filter(({ toRun }) => toRun === null).map((one) => [one.uid, one.fromRun])).toEqual(
    using.map((one) => [one.uid, one.fromRun]),
  )
}

/** Where uids are found, also once they are removed. */
async function expectFindingsToAgree(
  reader: HistoryReader,
  seen: readonly Identity[],
  uids: readonly string[],
  run: number,
) {
  for (const uid of uids) {
    const places = seen.filter((identity) => identity.uid === uid).sort(byProject)
    expect(await identifyResources(reader, uid, run)).toEqual(places)
    const named = (isNamed: boolean) => places.map((place) => ({ ...place, name: `name of ${uid}`, isNamed }))
    expect(await searchResources(reader, uid, run)).toEqual(named(false))
    expect(await searchResources(reader, `name of ${uid}`, run)).toEqual(named(true))
  }
}

const byProject = (a: Identity, b: Identity) => compareText(a.project.name, b.project.name) || byKindAndUid(a, b)

async function expectDifferencesToAgree(
  reader: HistoryReader,
  projects: readonly ProjectRef[],
  from: number,
  to: number,
) {
  const expected: unknown[] = []
  for (const project of projects) {
    const [before, after] = [await readStateAt(reader, project, from), await readStateAt(reader, project, to)]
    const places = new Map([...before, ...after].map(({ kind, uid }) => [`${kind} ${uid}`, { kind, uid }]))
    for (const { kind, uid } of [...places.values()].sort(byKindAndUid)) {
      const digestIn = (state: typeof before) => state.find((one) => one.kind === kind && one.uid === uid)?.digest
      if (digestIn(before) !== digestIn(after)) expected.push([project, kind, uid, digestIn(before), digestIn(after)])
    }
  }
  const found = await readDiffering(reader, from, to)
  expect(
    found.map(({ project, kind, uid, before, after }) => [project, kind, uid, before?.digest, after?.digest]),
  ).toEqual(expected)
}

/** Read at once, chosen, in pages, counted, and found again by their fingerprints. */
async function expectViolationsToAgree(reader: HistoryReader, run: number) {
  const [active, resolved] = [await readViolationsAt(reader, run), await readResolvedBetween(reader, 0, run)]
  const listed = await listViolations(reader, { run, resolvedAfter: 0, withOwners: true, withTexts: true })
  const first = (of: readonly ListedViolation[]) => readFirst(reader, of, { most: 1000 })
  expect(await first(await listViolations(reader, { run }))).toEqual(active)
  expect(await first(listed.filter(({ state }) => state === 'resolved'))).toEqual(resolved)
  const both = [...active, ...resolved]
  await expectPagesToAgree(reader, listed, both)
  const text = (one: ListedViolation | RecordedViolation) =>
    JSON.stringify([
      ...[one.project, one.kind, one.uid, one.rule, one.path, one.severity, one.state, one.first_seen],
      ...[one.name, one.message, one.owner ?? '', one.state === 'resolved' ? undefined : one.waiver],
    ])
  expect(listed.map(text).sort()).toEqual(both.map(text).sort())
  const identified = await identifyViolations(reader, '', run, 1000)
  expect(identified.map(({ fingerprint }) => fingerprint)).toEqual(both.map(({ fingerprint }) => fingerprint).sort())
  for (const { fingerprint } of active) {
    expect(only(await identifyViolations(reader, fingerprint, run, 1)).fingerprint).toBe(fingerprint)
  }
}

/** Forth and back, a page begins and ends where the one before it does. */
async function expectPagesToAgree(
  reader: HistoryReader,
  listed: readonly ListedViolation[],
  all: readonly (RecordedViolation | ResolvedViolation)[],
) {
  const most = 3
  const placeOf = (at: number, isEnd: boolean) => {
    const one = all[at]
    return one && { ...one, sortKey: 0, run: 'resolved_run' in one ? one.resolved_run : 0, isEnd }
  }
  const pageAt = async (cursor: ViolationCursor | undefined) => {
    const { page, ...around } = cutList(listed, { most, cursor })
    return { violations: await readViolationsByKey(reader, page), ...around }
  }
  for (let at = 0; at < all.length; at += most) {
    const end = Math.min(all.length, at + most)
    const expected = { violations: all.slice(at, end), before: at, after: all.length - end }
    expect(await pageAt(placeOf(at - 1, false))).toEqual(expected)
    const start = Math.max(0, at - most)
    if (at > 0) {
      expect(await pageAt(placeOf(at, true))).toEqual({
        violations: all.slice(start, at),
        before: start,
        after: all.length - at,
      })
    }
  }
}
