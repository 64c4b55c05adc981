import { findCommittedRun } from '../history/sql/runs.ts'
import { readCompleteScans } from '../history/sql/scans.ts'
import type { Kind, ProjectRef } from '../model/resource.ts'
import { walksFor } from '../model/walks-for.ts'
import { toCoverageOfAll } from '../questions/as-of.ts'
import type { AnswerCoverage } from '../report/answer.ts'
import { list } from '../report/document/blocks.ts'
import { asHtml } from '../report/document/html.ts'
import { isGap } from '../report/gaps.ts'
import { showInstant } from '../report/html/components/parts.ts'
import { html, type Markup, nothing } from '../report/html/markup.ts'
import { gapItems } from '../report/report-items.ts'
import { linkToProject, paths } from './link.ts'
import type { SiteRequest } from './page.ts'
import { readProjectEvaluations, readScans } from './run-facts.ts'
import { showUnscanned } from './unscanned.ts'

/** What the last scans did not reach, with a link to the run whose page says why; nothing where they reached all. */
export async function showGaps(request: GapsRequest, coverage: readonly AnswerCoverage[]): Promise<Markup> {
  const href = await linkToCoverage(request, coverage)
  return href === undefined ? nothing : showUnscanned({ coverage }, href)
}

type GapsRequest = Pick<SiteRequest, 'history' | 'link'>

/** The same of all projects. */
export async function showAllGaps(request: SiteRequest): Promise<Markup> {
  return showGaps(request, toCoverageOfAll(await readScans(request)))
}

/**
 * The coverage of the last run that left a gap among these walks, of its project where that run was pruned; undefined
 * where none did.
 */
export async function linkToCoverage(
  { history, link }: GapsRequest,
  coverage: readonly AnswerCoverage[],
): Promise<string | undefined> {
  const [first, ...others] = coverage.filter(isGap)
  if (first === undefined) return undefined
  const { run, project } = others.reduce((last, walk) => (walk.run > last.run ? walk : last), first)
  const isKept = (await findCommittedRun(history, run)) !== undefined
  return `${isKept ? link(paths.run(run)) : linkToProject(link, project)}#coverage`
}

/** Why walks were not complete, which listings that hit, and what to do: each cause once. */
export async function showCauses(request: SiteRequest, coverage: readonly AnswerCoverage[]): Promise<Markup> {
  const evaluations = [...(await readProjectEvaluations(request)).values()]
  const positions = evaluations.map(({ project, configured_at }) => ({ project, configured_at }))
  return asHtml(list('cause', gapItems(coverage, positions)))
}

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
  return html`<a href="${link(paths.run(number))}">run ${number}</a>, ${showInstant(at)}`
}
