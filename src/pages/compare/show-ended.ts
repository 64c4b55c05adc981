import { matchesProject } from '../../config/choose-projects.ts'
import type { RecordedViolation } from '../../history/records.ts'
import { readFirstViolations } from '../../history/sql/first-violations.ts'
import type { CommittedRun } from '../../history/sql/runs.ts'
import type { ResolvedViolation } from '../../history/sql/violations.ts'
import type { Kind } from '../../model/resource.ts'
import { describeEnding } from '../../report/describe-ending.ts'
import { emptyState } from '../../report/html/components/empty-state.ts'
import { html, type Markup, nothing } from '../../report/html/markup.ts'
import { pageSection } from '../../report/html/render-page.ts'
import { findNext } from '../find-runs.ts'
import { paths, type SiteLink } from '../link.ts'
import type { SiteRequest } from '../page.ts'

const mostShown = 50

/** Two runs, and what of them is compared. */
export interface ComparedRuns {
  readonly from: CommittedRun
  readonly to: CommittedRun
  readonly projects: readonly string[]
  readonly kind: Kind | undefined
}

/** The violations that ended between two runs. `link`: as of a run that knows both. */
export async function showEnded(request: SiteRequest, comparison: ComparedRuns, link: SiteLink): Promise<Markup> {
  const { from, to, projects } = comparison
  const { rows, total } = await readEnded(request, comparison)
  const next = await findNext(request.history, from, to)
  const items = rows.map((violation) => {
    const { fingerprint, severity, rule, name, uid, project, resolution, endedBy } = violation
    const run = 'run' in violation ? ` in run ${violation.run}` : ''
    return html`<li><p><span class="chip ${severity}">${severity}</span> <a href="${link(paths.violation(fingerprint))}"><code>${rule}</code></a> ${project} · ${name === '' ? uid : name} · ${describeEnding({ resolution, ended_by: endedBy })}${run}</p></li>
`
  })
  const left = total - rows.length
  const section = pageSection({
    id: 'ended',
    title: 'Violations that ended',
    count: total,
    content:
      total === 0
        ? emptyState('None.', 'none')
        : html`<ul class="rows">${items}</ul>${left > 0 ? html`<p class="soft">${rows.length} of ${total} are shown; the list below has all.</p>` : nothing}`,
  })
  if (next === undefined) return section
  const list = link('/violations', { since: next.number, state: 'all', project: projects })
  return html`${section}
<p><a href="${list}">Violations opened or ended since run ${next.number}</a></p>`
}

interface EndedViolations {
  readonly rows: readonly (RecordedViolation | ResolvedViolation)[]
  readonly total: number
}

async function readEnded(
  { history }: SiteRequest,
  { from, to, projects, kind }: ComparedRuns,
): Promise<EndedViolations> {
  if (from.number >= to.number) return { rows: [], total: 0 }
  let total = 0
  const rows = await readFirstViolations(history, {
    run: to.number,
    withActive: false,
    resolvedAfter: from.number,
    most: mostShown,
    isChosen(group) {
      const isChosen = matchesProject(group.project, projects) && (kind === undefined || group.kind === kind)
      if (isChosen) total += group.violations
      return isChosen
    },
  })
  return { rows, total }
}
