import { readFirstViolations, type ViolationGroup } from '../../history/sql/first-violations.ts'
import type { RunInputs } from '../../history/sql/read-run.ts'
import { listRunsBefore } from '../../history/sql/runs.ts'
import { dayMs, formatExpiry, showOpenTime } from '../../model/time.ts'
import type { Waiver } from '../../model/violation.ts'
import { countGroups, type ViolatedRule } from '../../questions/count-groups.ts'
import { soonMs } from '../../questions/read-waivers.ts'
import { emptyState } from '../../report/html/components/empty-state.ts'
import { severityChip } from '../../report/html/components/severity.ts'
import { cell, table } from '../../report/html/components/table.ts'
import { html, type Markup, nothing } from '../../report/html/markup.ts'
import { showTime } from '../../report/text/show-time.ts'
import { count } from '../../text/count.ts'
import { paths } from '../link.ts'
import type { SiteConfiguration, SiteRequest } from '../page.ts'
import { onceForRun, timeOf } from '../run-facts.ts'
import { showSchedules } from './show-schedules.ts'

const [mostRules, mostWaivers, mostRuns, mostWaived] = [8, 8, 8, 2000]

interface RestFacts {
  /** Active violations. */
  readonly groups: readonly ViolationGroup[]
  readonly rules: readonly ViolatedRule[]
  readonly inputs: RunInputs | undefined
  /** As of now; undefined where it is not read, and as of a past run. */
  readonly configuration: SiteConfiguration | undefined
}

/** Rules most violated, waivers that end soon, next schedules, and recent runs. */
export async function showRest(
  request: SiteRequest,
  { groups, rules, inputs, configuration }: RestFacts,
): Promise<Markup> {
  return html`<div class="pair"><section>
${showRules(request, rules, inputs)}</section>
<section>
${await showWaivers(request, groups)}${configuration === undefined ? nothing : showSchedules(request, configuration)}</section></div>
${await showRuns(request)}`
}

function showRules({ link }: SiteRequest, violated: readonly ViolatedRule[], inputs: RunInputs | undefined): Markup {
  const titles = new Map(inputs?.rules.map(({ id, title }) => [id, title]))
  const items = violated.slice(0, mostRules).map(({ rule: id, severity, total }) => {
    return html`<li>${severityChip(severity)} <a href="${link(paths.rule(id))}">${titles.get(id) ?? id}</a> <a class="n" href="${link('/violations', { rule: id, state: 'open' })}">${total} open</a></li>
`
  })
  const more =
    violated.length > mostRules
      ? html`<p><a href="${link('/violations', { 'group-by': 'rule', state: 'open' })}">All ${violated.length} rules with open violations</a></p>`
      : html``
  return html`<h2 id="rules">Rules most violated</h2>
${violated.length === 0 ? emptyState('No violation is open.', 'none') : html`<ul class="lines">${items}</ul>${more}`}`
}

async function showWaivers(request: SiteRequest, groups: readonly ViolationGroup[]): Promise<Markup> {
  const { link } = request
  const at = timeOf(request)
  const counts = countGroups(groups.filter(isWaived))
  const waived = await onceForRun(request, 'waivers of violations', () => readFirstWaivers(request, groups))
  const soon = waived.filter(({ expires }) => Date.parse(expires) <= at + soonMs)
  const ending = [...Map.groupBy(soon, keyOf).values()].sort((a, b) =>
    (a[0]?.expires ?? '') < (b[0]?.expires ?? '') ? -1 : 1,
  )
  const items = ending.slice(0, mostWaivers).flatMap((alike) => {
    const [first] = alike
    if (first === undefined) return []
    const { owner, reason, expires } = first
    const left = Date.parse(expires) - at
    const when = left > 0 ? `in ${showOpenTime(left)}` : html`<b class="bad">over</b>`
    return [
      html`<li>${formatExpiry(expires)} (${when}): ${count(alike.length, 'violation')}, ${owner}: ${reason}</li>
`,
    ]
  })
  const heading = html`<h2 id="waivers">Waivers that end soon</h2>
`
  const all = html`<p><a href="${link('/waivers')}">All waivers</a></p>`
  const beyond =
    counts.total > mostWaived
      ? html`<p class="soft">Of the first ${mostWaived} of ${counts.total} waived violations.</p>`
      : html``
  if (counts.total === 0) return html`${heading}${emptyState('No violation is waived.', 'none')}`
  if (items.length === 0)
    return html`${heading}${emptyState(`None ends within ${soonMs / dayMs} days.`, 'none')}${beyond}${all}`
  return html`${heading}<ul class="lines">${items}</ul>${beyond}${all}`
}

async function readFirstWaivers(
  { history, run }: SiteRequest,
  groups: readonly ViolationGroup[],
): Promise<readonly Waiver[]> {
  const asked = { run: run.number, withActive: true, resolvedAfter: undefined, most: mostWaived, groups }
  return (await readFirstViolations(history, { ...asked, isChosen: isWaived })).flatMap(({ waiver }) => waiver ?? [])
}

function isWaived({ state }: ViolationGroup): boolean {
  return state === 'waived'
}

function keyOf({ owner, reason, expires }: Waiver): string {
  return JSON.stringify([expires, owner, reason])
}

async function showRuns({ history, link, run, isLatest }: SiteRequest): Promise<Markup> {
  const runs = await listRunsBefore(history, isLatest ? Number.MAX_SAFE_INTEGER : run.number + 1, mostRuns)
  const rows = runs.map(({ number, startedAt, isCommitted, walks, incomplete, changes }) => {
    const extent = isCommitted ? describeScan(walks, incomplete) : 'interrupted: nothing of it is kept'
    const name = isCommitted ? html`<a href="${link(paths.run(number))}">Run ${number}</a>` : html`Run ${number}`
    return html`<tr><th scope="row">${name}</th>${cell('Began', html`<time datetime="${startedAt}">${showTime(startedAt)}</time>`)}${cell('Changes', isCommitted ? String(changes) : '?', isCommitted ? 'n' : 'n unseen')}${cell('Scan', extent)}</tr>
`
  })
  if (rows.length === 0) return html``
  const columns = [{ title: 'Run' }, { title: 'Began' }, { title: 'Changes', isNumber: true }, { title: 'Scan' }]
  return html`<h2 id="runs">Last runs</h2>
${table('Last runs', columns, rows)}<p><a href="${link('/runs')}">All runs</a></p>`
}

/** Of the projects of a reader, a run may have scanned none. */
function describeScan(walks: number, incomplete: number): string {
  if (walks === 0) return '? nothing scanned'
  return incomplete === 0 ? 'complete' : `? ${incomplete} of ${walks} walks incomplete`
}
