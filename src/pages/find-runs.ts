import { findRun } from '../history/find-run.ts'
import { type CommittedRun, findCommittedRun, findLastRun, listRuns } from '../history/sql/runs.ts'
import { AuditError } from '../model/errors.ts'
import { showInstant } from '../report/html/components/parts.ts'
import { html, type Markup, nothing } from '../report/html/markup.ts'
import { linksAt, paths } from './link.ts'
import type { SiteHistory, SiteRequest } from './page.ts'
import { onceForRun } from './run-facts.ts'

/**
 * The last run, or the one of that number, word or time.
 * @throws AuditError.usage when there is no such run
 */
export async function runAsOf(
  history: SiteHistory,
  name: string | undefined,
  { now, last }: { readonly now: number; readonly last: CommittedRun },
): Promise<CommittedRun> {
  if (name === undefined || name === String(last.number)) return last
  if (!/^\d{1,15}$/.test(name)) return findRun(await listRuns(history), name, now)
  const run = await findCommittedRun(history, Number(name))
  if (run !== undefined) return run
  throw AuditError.usage(`there is no committed run ${name}; the last one is ${last.number} (${last.finished_at})`)
}

/** The request of a page of a past run as of the last one; undefined where it is as of that already. */
export async function atLastRun(request: SiteRequest): Promise<SiteRequest | undefined> {
  const run = request.isLatest ? undefined : await findLastRun(request.history)
  return run && { ...request, run, isLatest: true, link: linksAt(undefined) }
}

/** The request of a page that shows the present first, with what people decided since the last run. */
export async function presentOf(request: SiteRequest): Promise<SiteRequest> {
  return (await atLastRun(request)) ?? request
}

/** What a page that shows the present first has of the run that its address names; nothing where that is the last one. */
export async function thenSection({ run, history }: SiteRequest, content: Markup): Promise<Markup> {
  if ((await findLastRun(history))?.number === run.number) return nothing
  return html`<section class="then" aria-labelledby="then"><h2 id="then">As of run ${run.number}, ${showInstant(run.finished_at)}</h2>
${content}</section>
`
}

/** Whether a page shows the present state: as of the last run, also where the address names it. */
export async function isOfLastRun({ history, run, isLatest }: SiteRequest): Promise<boolean> {
  return isLatest || (await findLastRun(history))?.number === run.number
}

/** Names runs, of which some were pruned since. `at`: ISO 8601; empty where the run was pruned. */
export interface RunNames {
  /** `run 7`, with a link where the run is kept. */
  name(run: number): Markup
  /** The same with its time. */
  nameAt(run: number, at: string): Markup
  isKept(run: number): boolean
}

export async function readRunNames(request: Pick<SiteRequest, 'history' | 'run' | 'link'>): Promise<RunNames> {
  const numbers = await onceForRun(request, 'runs that are kept', async () =>
    (await listRuns(request.history)).map(({ number }) => number),
  )
  const keptRuns = new Set(numbers)
  const name: RunNames['name'] = (run) =>
    keptRuns.has(run)
      ? html`<a href="${request.link(paths.run(run))}">run ${run}</a>`
      : html`run ${run} <span class="soft">(pruned)</span>`
  return {
    name,
    nameAt: (run, at) => (at === '' ? name(run) : html`${name(run)}, ${showInstant(at)}`),
    isKept: (run) => keptRuns.has(run),
  }
}
