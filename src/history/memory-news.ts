import { lookedAt, type Rows } from './memory-rows.ts'
import { type Before, moveOf, type Span } from './news.ts'
import type { RunRecord } from './records.ts'

/** `untold`: by project, the first run that nobody was told of. */
export function memoryBefore(rows: Rows, { number: run }: RunRecord, untold: ReadonlyMap<string, number>): Before {
  const projects = rows.scans
    .filter((scan) => scan.run === run)
    .map(({ project, name }) => ({ project, name, since: untold.get(project) ?? run }))
  const last = rows.runs.findLast(({ number, state }) => number < run && state === 'committed')
  return {
    isFirst: last === undefined,
    policyDigest: last?.policyDigest,
    toolVersion: last?.toolVersion,
    looks: new Map(
      projects.flatMap(({ project, name, since }) => {
        const look = lookedAt(rows, project).findLast((number) => number < since)
        if (look === undefined) return []
        const walks = rows.walks.filter((walk) => walk.project === project && walk.run === look)
        const judged = rows.runs[look - 1]?.context?.projects.find((judged) => judged.project === name)
        const statuses = new Map(walks.map(({ listing, status }) => [listing, status]))
        return [[name, { statuses, unjudged: judged?.unjudged ?? {} }]]
      }),
    ),
    moves: projects.flatMap(({ project, name, since }) => {
      const own = rows.violations.filter((row) => row.project === project)
      return [...Map.groupBy(own, ({ fingerprint }) => fingerprint).values()].flatMap((all) => {
        const spans = all.map((row): Span => ({ ...row, toRun: row.toRun ?? null }))
        return moveOf(name, spans, { since, run }) ?? []
      })
    }),
  }
}
