import type { HistoryReader } from '../../src/history/reader.ts'
import { readDiffering, visitDiffering } from '../../src/history/sql/differing.ts'
import { countResources, findEndpointsOf, listResources } from '../../src/history/sql/list-resources.ts'
import { listViolations } from '../../src/history/sql/list-violations.ts'
import { readRunInputs, readRunRecord, runsWithWindows } from '../../src/history/sql/read-run.ts'
import {
  identifyResources,
  readReferrersOf,
  readVersionsOf,
  readViolationsOf,
} from '../../src/history/sql/resource-life.ts'
import {
  countIncompleteWalks,
  findCommittedRun,
  lacksRunsSince,
  listEndedRuns,
  listRuns,
  listRunsBefore,
  readRunExtents,
} from '../../src/history/sql/runs.ts'
import { countScans, readCompleteScans, readLatestScans } from '../../src/history/sql/scans.ts'
import { readStateAt, readVersionsAt } from '../../src/history/sql/state-at.ts'
import { readViolationsByKey } from '../../src/history/sql/violation-keys.ts'
import { readResolvedBetween, readViolationsAt, readWaivedBetween } from '../../src/history/sql/violations.ts'
import type { ProjectRef } from '../../src/model/resource.ts'

type Question = (reader: HistoryReader) => Promise<unknown>

/** What readers ask as of a run, with the indexes that PostgreSQL searches by runs for an answer. */
export function questionsAbout(project: ProjectRef, uid: string, run: number): [string, readonly string[], Question][] {
  const endpoint = { project, kind: 'endpoint', uid } as const
  const twenty = { run, projects: [project], kind: undefined, withRemoved: false, after: endpoint, most: 20 }
  return [
    ['the runs', [], listRuns],
    ['a run by its number', [], (reader) => findCommittedRun(reader, run)],
    ['whether runs are gone', [], (reader) => lacksRunsSince(reader, '2026-01-01', run)],
    ['the last scans', [], (reader) => readLatestScans(reader, run)],
    ['the last scan of a project', [], (reader) => readLatestScans(reader, run, project)],
    ['the last complete scans', [], (reader) => readCompleteScans(reader, project, run)],
    ['how many scans projects had', [], (reader) => countScans(reader, run, run)],
    ['the last runs', [], (reader) => listEndedRuns(reader, 5)],
    ['the runs before one', [], (reader) => listRunsBefore(reader, run, 5)],
    [
      'the extents of runs',
      ['change_of_run (run >=', 'violation_opened (first_run >=', 'walk_pkey (run >='],
      (reader) => readRunExtents(reader, run, run),
    ],
    ['the resources that follow one', [], (reader) => listResources(reader, twenty)],
    ['the endpoints that follow one', [], (reader) => listResources(reader, { ...twenty, kind: 'endpoint' })],
    ['resources, removed ones too', [], (reader) => listResources(reader, { ...twenty, withRemoved: true })],
    ['the first resources', [], (reader) => listResources(reader, { ...twenty, after: undefined })],
    ['numbers of resources', [], (reader) => countResources(reader, [project], run)],
    ['the endpoints of an owner', ['version_began (from_run <='], (reader) => findEndpointsOf(reader, 'me', run)],
    ['a run', [], (reader) => readRunRecord(reader, run)],
    ['the inputs of a run', ['unreferenced_began (from_run <='], (reader) => readRunInputs(reader, run)],
    ['violations', [], (reader) => readViolationsAt(reader, run)],
    ['resolved violations', ['violation_ended (to_run >'], (reader) => readResolvedBetween(reader, run - 1, run)],
    ['the list of violations', [], (reader) => listViolations(reader, { run })],
    ['their owners', [], (reader) => listViolations(reader, { run, withOwners: true })],
    ['their texts', [], (reader) => listViolations(reader, { run, withTexts: true })],
    [
      'the list of resolved violations',
      ['violation_ended (to_run >'],
      (reader) => listViolations(reader, { run, resolvedAfter: run - 5, withOwners: true }),
    ],
    [
      'violations that were listed',
      [],
      (reader) =>
        readViolationsByKey(reader, [
          { id: 1, project: project.name, kind: 'endpoint', run, state: 'active' },
          { id: 2, project: project.name, kind: 'endpoint', run, state: 'resolved' },
        ]),
    ],
    ['waived violations', [], (reader) => readWaivedBetween(reader, run - 1, run)],
    ['runs with change windows', [], (reader) => runsWithWindows(reader, run - 1, run)],
    ['the resources of a project', [], (reader) => readStateAt(reader, project, run)],
    ['the endpoints of a project', [], (reader) => readStateAt(reader, project, run, 'endpoint')],
    ['versions', [], (reader) => readVersionsAt(reader, project, [{ kind: 'endpoint', uid, run }])],
    ...[readDiffering, visitAll].map((read): [string, string[], Question] => [
      `differences, by ${read.name}`,
      ['version_began (from_run >', 'version_ended (to_run >'],
      (reader) => read(reader, run - 1, run),
    ]),
    ['a uid', [], (reader) => identifyResources(reader, uid, run)],
    ['a uid of violations', [], (reader) => identifyResources(reader, uid, run, 'violation')],
    ['the incomplete walks of a project', [], (reader) => countIncompleteWalks(reader, [project], run, run)],
    ['the versions of a resource', [], (reader) => readVersionsOf(reader, endpoint, run)],
    ['the violations of a resource', [], (reader) => readViolationsOf(reader, endpoint, run)],
    ...(['endpoint', 'source', 'device'] as const).map((kind): [string, string[], Question] => [
      `referrers of a ${kind}`,
      [],
      (reader) => readReferrersOf(reader, { ...endpoint, kind }, run),
    ]),
  ]
}

function visitAll(reader: HistoryReader, from: number, to: number) {
  return visitDiffering(reader, from, to, () => {})
}
