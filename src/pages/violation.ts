import { type IdentifiedViolation, identifyViolations, readFoundViolations } from '../history/sql/found-violations.ts'
import { readViolationsOf } from '../history/sql/resource-life.ts'
import type { EvaluatedRule } from '../model/evaluation.ts'
import { globOf } from '../model/glob.ts'
import { isOwnRule } from '../model/own-rules.ts'
import { isoTime, showOpenTime } from '../model/time.ts'
import { isOpen, isOverdue } from '../model/violation.ts'
import { toCoverage } from '../questions/as-of.ts'
import { countViolations } from '../questions/count-groups.ts'
import { toRow, type ViolationRow } from '../questions/violations.ts'
import { describeDue } from '../report/describe-due.ts'
import { sentenceOfEnding } from '../report/describe-ending.ts'
import { command } from '../report/html/components/command.ts'
import { type Fact, factList } from '../report/html/components/facts.ts'
import { remediation } from '../report/html/components/remediation.ts'
import { resource } from '../report/html/components/resource.ts'
import { severityChip } from '../report/html/components/severity.ts'
import { html, type Markup, nothing } from '../report/html/markup.ts'
import { showTime } from '../report/text/show-time.ts'
import { count } from '../text/count.ts'
import { linkToProject, linkToResource, paths } from './link.ts'
import { readRunNames } from './name-run.ts'
import { NotFound, type SitePage, type SiteRequest } from './page.ts'
import { onceForRun, readDue, readInputs, timeOf } from './run-facts.ts'
import { hookdriftCommand } from './same-answer.ts'
import { showGaps } from './show-gaps.ts'
import { acceptancesAsOf } from './signed-as-of.ts'
import { showHistoryOf } from './violation/show-history-of.ts'
import { showRepair } from './violation/show-repair.ts'
import { showStates } from './violation/show-states.ts'
import { readViolationGaps, showUnknown } from './violation/show-unknown.ts'
import { showControls, showWaiverOf } from './violation/show-waiver-of.ts'

/** Shorter beginnings of fingerprints name none. */
const leastCharacters = 6

/** One violation: what, since when, how to fix it, its history. */
export const violationPage: SitePage = {
  path: '/violations/:fingerprint',
  parameters: [],
  // Ages count from the time of asking, and people accept violations between runs.
  isOfRun: false,
  async show(request) {
    const { history, run, link, params } = request
    const identified = await identify(request, params.fingerprint ?? '')
    const { fingerprint, project, kind, uid } = identified
    const [found] = await readFoundViolations(history, [{ ...identified, project: project.name }])
    if (found === undefined) throw new NotFound(`The violation ${fingerprint} is not in the history.`)
    const row = toRow(found, (await readDue(request))(found.project))
    const spans = (await readViolationsOf(history, identified, run.number)).filter(
      (span) => span.fingerprint === fingerprint,
    )
    const rule = await ruleOf(request, row.rule)
    const accepted = await acceptancesAsOf(request)
    const acceptances = accepted.filter((acceptance) => acceptance.fingerprint === fingerprint)
    const unread = await readViolationGaps(request, { project, row, needs: rule?.needs ?? [kind] })
    const runs = await readRunNames(request)
    const { resolution = null, endedBy = null } = spans.at(-1) ?? {}
    const whole = { ...row, resolution, ended_by: endedBy }
    return {
      title: rule?.title ?? row.rule,
      heading: html`${rule?.title ?? row.rule}`,
      crumbs: [{ title: 'Violations', href: link('/violations') }],
      alarm: unread.gaps.length === 0 ? nothing : showGaps(unread.scans.flatMap(toCoverage), link),
      body: html`<div class="subject" data-severity="${row.severity}" data-state="${row.state}">
<p>${severityChip(row.severity)} <b>${describeState(whole, request)}</b></p>
<p class="lead">${row.message}</p>
<p class="where">${resource(row, linkToResource(link, row))}${row.path === '' ? nothing : html` at <code>${row.path}</code>`}${row.owner === null ? nothing : html` · owner <a href="${link(paths.owner(row.owner))}">${row.owner}</a>`}</p></div>
${await showUnknown(request, row, unread)}${showWaiverOf(row, acceptances, request)}
${await showHistoryOf(request, identified, { spans, runs })}
<h2 id="fix">What to do</h2>
${rule === undefined || rule.remediation === '' ? nothing : remediation(rule.remediation)}${isOpen(row) || row.state === 'unknown' ? await showRepair(request, identified, row.rule) : nothing}
<h2 id="history">History</h2>
${showStates(spans, runs)}`,
      aside: await showFacts(request, { row, rule, identified }),
      same:
        kind === 'policy'
          ? { command: ['violations'], options: { rule: row.rule } }
          : { command: ['timeline'], operands: { uid }, options: { project: project.name, kind } },
    }
  },
}

/** @throws NotFound when a fingerprint, or its beginning, names none or several */
async function identify({ history, run }: SiteRequest, text: string): Promise<IdentifiedViolation> {
  const isWhole = text.length >= leastCharacters && /^[0-9a-f]{1,32}$/.test(text)
  const [found, other] = isWhole ? await identifyViolations(history, text, run.number, 2) : []
  if (found === undefined) throw new NotFound(`As of run ${run.number}, no violation has the fingerprint ${text}`)
  if (other !== undefined) throw new NotFound(`Several violations have fingerprints that begin with ${text}`)
  return found
}

function describeState(row: ViolationRow, request: SiteRequest): Markup {
  const at = timeOf(request)
  const since = html`<time datetime="${row.first_seen}">${showTime(row.first_seen)}</time>`
  if (row.state === 'resolved') {
    const ended =
      row.resolved_at === undefined
        ? nothing
        : html`, in the run of <time datetime="${row.resolved_at}">${showTime(row.resolved_at)}</time>`
    return html`${row.resolution === null ? 'Ended' : sentenceOfEnding(row)}${ended}, first seen ${since}`
  }
  const due = describeDue(row, isoTime(at))
  const late = due === '' ? nothing : isOverdue(row, at) ? html`, <span class="bad">${due}</span>` : html`, ${due}`
  const age = showOpenTime(at - Date.parse(row.first_seen))
  if (row.state === 'unknown')
    return html`<span class="unseen">? unknown</span>: the last scan could not confirm it; since ${since}, last seen ${showTime(row.last_seen)}${late}`
  const aged = html`<time datetime="${row.first_seen}" data-aged>${showTime(row.first_seen)}</time>`
  return html`${row.state === 'waived' ? 'waived' : 'open'} for ${age}, since ${aged}${late}`
}

/** As of the last run; the rule may be one of an earlier policy. */
async function ruleOf(request: SiteRequest, id: string): Promise<EvaluatedRule | undefined> {
  return (await readInputs(request))?.rules.find((rule) => rule.id === id)
}

async function showFacts(
  request: SiteRequest,
  { row, rule, identified }: { row: ViolationRow; rule: EvaluatedRule | undefined; identified: IdentifiedViolation },
): Promise<Markup> {
  const { history, run, link } = request
  const asked = { run: run.number, withActive: true, resolvedAfter: undefined, rules: [globOf(row.rule)] }
  const others = await onceForRun(request, `open of ${row.rule}`, () => countViolations(history, asked, isOpen))
  const facts: Fact[] = [
    ['Rule', html`<a href="${link(paths.rule(row.rule))}">${row.rule}</a>`],
    ['Project', html`<a href="${linkToProject(link, identified.project.name)}">${identified.project.name}</a>`],
    [
      'Of this rule',
      html`<a href="${link('/violations', { rule: row.rule, state: 'open' })}">${count(others, 'open violation')}</a>`,
    ],
    ...(row.due_at === null ? [] : [['Due', showTime(row.due_at)] satisfies Fact]),
    ['Fingerprint', html`<code>${row.fingerprint}</code>`],
  ]
  return html`${factList(facts)}${showControls(rule?.controls ?? [], request)}
<h2>Commands</h2>
${commandsOf(row, request).map((words) => html`<p>${command(words)}</p>`)}`
}

/** What people do next. Of a past run there is nothing to put back or to accept. */
function commandsOf(
  { rule, fingerprint, project, kind, uid, ...row }: ViolationRow,
  { isLatest }: SiteRequest,
): readonly (readonly string[])[] {
  const isActionable = isLatest && (isOpen(row) || row.state === 'unknown')
  const of = { operands: [uid], options: { project, kind } }
  const isOfResource = kind !== 'policy'
  return [
    ...(isOfResource ? [hookdriftCommand(['timeline'], of)] : []),
    ...(isActionable && isOfResource
      ? [hookdriftCommand(['restore'], { ...of, options: { ...of.options, rule } })]
      : []),
    ...(isActionable ? [hookdriftCommand(['accept'], { operands: [fingerprint], options: { reason: 'why' } })] : []),
    ...(isOwnRule(rule) ? [hookdriftCommand(['rules'], { operands: [rule] })] : []),
  ]
}
