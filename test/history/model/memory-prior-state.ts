import { type NotifiedSpan, type PriorState, transitionBetween } from '../../../src/history/notification-facts.ts'
import type { RunRecord } from '../../../src/history/records.ts'
import { compareText } from '../../../src/history/report-order.ts'
import type { OutboxRows } from './memory-outbox.ts'
import { ownerOf, type Rows, scannedProjects } from './memory-rows.ts'

/** `unnotified`: by project, the first run without a notification. */
export function memoryPriorState(
  rows: Rows,
  { number: run }: RunRecord,
  { unnotified, outbox }: { readonly unnotified: ReadonlyMap<string, number>; readonly outbox: OutboxRows },
): PriorState {
  const projects = rows.scans
    .filter((scan) => scan.run === run)
    .map(({ project, name }) => ({ project, name, since: unnotified.get(project) ?? run }))
  const last = rows.runs.findLast(({ number, state }) => number < run && state === 'committed')
  return {
    isFirst: last === undefined,
    policyDigest: last?.policyDigest,
    toolVersion: last?.toolVersion,
    scans: new Map(
      projects.flatMap(({ project, name, since }) => {
        const scan = scannedProjects(rows, project).findLast((number) => number < since)
        if (scan === undefined) return []
        const walks = rows.walks.filter((walk) => walk.project === project && walk.run === scan)
        const evaluated = rows.runs[scan - 1]?.context?.projects.find((evaluated) => evaluated.project === name)
        const statuses = new Map(walks.map(({ listing, status }) => [listing, status]))
        return [[name, { statuses, notEvaluated: evaluated?.notEvaluated ?? {} }]]
      }),
    ),
    transitions: projects.flatMap(({ project, name, since }) => {
      const own = rows.violations.filter((row) => row.project === project)
      return [...Map.groupBy(own, ({ fingerprint }) => fingerprint).values()].flatMap((all) => {
        const spans = all.map(
          (row): NotifiedSpan => ({
            ...row,
            toRun: row.toRun ?? null,
            resolution: row.ending?.resolution ?? null,
            endedBy: row.ending?.endedBy ? JSON.stringify(row.ending.endedBy) : null,
            owner: ownerOf(rows, row, row.toRun === undefined || row.toRun > run ? run : row.toRun - 1),
          }),
        )
        return transitionBetween(name, spans, { since, run }) ?? []
      })
    }),
    channels: [...outbox.channels.keys()].sort(compareText),
    incidents: outbox.incidents
      .map((incident) => ({
        ...incident,
        isActive: rows.violations.some(
          ({ fingerprint, toRun, state }) =>
            fingerprint === incident.subject && toRun === undefined && state !== 'waived',
        ),
      }))
      .sort(
        (a, b) => compareText(a.channel, b.channel) || compareText(a.key, b.key) || compareText(a.subject, b.subject),
      ),
  }
}
