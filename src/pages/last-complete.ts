import { findCommittedRun } from '../history/sql/runs.ts'
import { readCompleteScans } from '../history/sql/scans.ts'
import type { Kind, ProjectRef } from '../model/resource.ts'
import { walksFor } from '../model/walks-for.ts'
import type { AnswerCoverage } from '../report/answer.ts'
import { isGap } from '../report/gaps.ts'
import { html, type Markup } from '../report/html/markup.ts'
import { showTime } from '../report/text/show-time.ts'
import { paths } from './link.ts'
import type { SiteRequest } from './page.ts'

/** The run that last read some listings to their end. */
interface LastComplete {
  readonly number: number
  /** When it began, ISO 8601 in UTC; undefined where the run was pruned. */
  readonly at: string | undefined
}

/** The kinds of which the last scan of a project did not read every resource. */
export function unreadKinds(coverage: readonly AnswerCoverage[], kinds: readonly Kind[]): readonly Kind[] {
  return kinds.filter((kind) => walksFor([kind], coverage).some(isGap))
}

/** The last run that read all resources of these kinds; undefined where no run did. */
export async function readLastComplete(
  { history, run }: SiteRequest,
  project: ProjectRef,
  kinds: readonly Kind[],
): Promise<LastComplete | undefined> {
  const scans = await readCompleteScans(history, project, run.number)
  const runs = kinds.flatMap((kind) => scans[kind]?.run ?? [])
  if (runs.length === 0) return undefined
  const number = Math.min(...runs)
  return { number, at: (await findCommittedRun(history, number))?.started_at }
}

/** `run 90, 2026-11-23 03:46 UTC`, with a link to the run where it was not pruned. */
export function showRunAt({ number, at }: LastComplete, { link }: SiteRequest): Markup {
  if (at === undefined) return html`run ${number}`
  return html`<a href="${link(paths.run(number))}">run ${number}</a>, <time datetime="${at}">${showTime(at)}</time>`
}
