import { listRuns } from '../history/sql/runs.ts'
import { html, type Markup } from '../report/html/markup.ts'
import { showTime } from '../report/text/show-time.ts'
import { paths } from './link.ts'
import type { SiteRequest } from './page.ts'
import { onceForRun } from './run-facts.ts'

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
    nameAt: (run, at) => (at === '' ? name(run) : html`${name(run)}, <time datetime="${at}">${showTime(at)}</time>`),
    isKept: (run) => keptRuns.has(run),
  }
}
