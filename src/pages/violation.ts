import { mayStopDeliveries } from '../gateway/deliveries.ts'
import type { Acceptance } from '../history/acceptances.ts'
import type { HistoryReader } from '../history/reader.ts'
import { readNotesBetween } from '../history/sql/notes.ts'
import {
  type ReportedChange,
  readChangesOf,
  readVersionsOf,
  readViolationsOf,
  type VersionSpan,
  type ViolationSpan,
} from '../history/sql/resource-life.ts'
import type { RecordedScan } from '../history/sql/scans.ts'
import { type IdentifiedViolation, identifyViolations, readViolationsByKey } from '../history/sql/violation-keys.ts'
import { isBuiltInRule } from '../model/built-in-rules.ts'
import { unsaid } from '../model/decision.ts'
import type { EvaluatedRule } from '../model/evaluation.ts'
import { gapsOfRule } from '../model/gap.ts'
import { isNoteOf } from '../model/note.ts'
import { isPolicyProject, isProjectListName, type ProjectRef, projectKey } from '../model/resource.ts'
import { count } from '../model/text/count.ts'
import { isoTime, showOpenTime } from '../model/time.ts'
import { isOpen, isOverdue } from '../model/violation.ts'
import { endingWords } from '../questions/acceptances.ts'
import { presentScans, toCoverage } from '../questions/as-of.ts'
import { compareVersions } from '../questions/diff.ts'
import { acceptancesAsOf } from '../questions/signed-as-of.ts'
import { toRow, type ViolationRow } from '../questions/violations.ts'
import type { AnswerCoverage } from '../report/answer.ts'
import { describeDue } from '../report/describe-due.ts'
import {
  asSentence,
  describeDecision,
  describeEnding,
  describeSigner,
  describeWaiver,
  sentenceOfEnding,
} from '../report/describe-ending.ts'
import { list } from '../report/document/blocks.ts'
import { asHtml } from '../report/document/html.ts'
import { gapsFor, isGap } from '../report/gaps.ts'
import {
  command,
  emptyState,
  type Fact,
  factList,
  fold,
  noteList,
  remediation,
  resource,
  severityChip,
  showInstant,
} from '../report/html/components/parts.ts'
import { html, type Markup, nothing, withCode } from '../report/html/markup.ts'
import { remediationFor } from '../report/remediation-for.ts'
import { changeItem } from '../report/report-items.ts'
import { showTime } from '../report/text/show-time.ts'
import { builtInRule, rules } from '../rules/rules.ts'
import { isOfLastRun, presentOf, type RunNames, readRunNames, thenSection } from './find-runs.ts'
import { impactButton } from './impact.ts'
import { linkToProject, linkToResource, paths, reportLinks } from './link.ts'
import { NotFound, type SitePage, type SiteRequest } from './page.ts'
import { readRequests, showRequests } from './restore-requests.ts'
import { showControl } from './rule.ts'
import { readActive, readDue, readInputs, readProjectEvaluations, readScans, timeOf } from './run-facts.ts'
import { hookdriftCommand } from './same-answer.ts'
import { showCauses, showGaps } from './show-gaps.ts'

/** Shorter beginnings of fingerprints name none. */
const leastCharacters = 6

/** One violation: what, since when, how to fix it, its history. */
export const violationPage: SitePage = {
  path: '/violations/:fingerprint',
  parameters: [],
  // Ages count from the time of asking, and people accept violations between runs.
  isOfRun: false,
  async show(asked) {
    const request = await presentOf(asked)
    const { identified, row, spans, acceptances } = await readViolation(request)
    const { link } = request
    const { project, kind, uid } = identified
    const rule = await ruleOf(request, row.rule)
    const unread = await readViolationGaps(request, { project, row, needs: rule?.needs ?? [kind] })
    const runs = await readRunNames(request)
    return {
      title: rule?.title ?? row.rule,
      isPresentFirst: true,
      heading: html`${rule?.title ?? row.rule}`,
      crumbs: [{ title: 'Violations', href: link('/violations') }],
      alarm: unread.gaps.length === 0 ? nothing : await showGaps(request, unread.scans.flatMap(toCoverage)),
      body: html`${showSubject(row, request)}${await showUnknown(request, row, unread)}${showWaiverOf(row, acceptances, request)}${await thenSection(asked, await showThen(asked, spans))}
${await showHistoryOf(request, identified, { spans, runs })}
<h2 id="fix">What to do</h2>
${rule !== undefined && rule.remediation !== '' && remediation(remediationFor(rule.remediation, [row]))}${await showRepair(request, identified, row)}
${showCost(request, row)}<h2 id="history">History</h2>
${showStates(spans, runs)}`,
      aside: await showFacts(request, { row, rule, identified }),
      same: isScanned(row)
        ? { command: ['timeline'], operands: { uid }, options: { project: project.name, kind } }
        : { command: ['violations'], options: { rule: row.rule } },
    }
  },
}

/** A violation as of the run that an address names. `spans`: its states until now. */
async function showThen(asked: SiteRequest, spans: readonly ViolationSpan[]): Promise<Markup> {
  const [first] = spans
  if (asked.isLatest) return nothing
  if (first !== undefined && first.fromRun > asked.run.number) {
    return emptyState(`In run ${asked.run.number} it did not exist: run ${first.fromRun} opened it.`, 'none')
  }
  const { row, acceptances } = await readViolation(asked)
  return html`${showSubject(row, asked)}${showWaiverOf(row, acceptances, asked)}`
}

/** A violation as of the run of a request, its states until then, and what people accepted of it. */
async function readViolation(request: SiteRequest) {
  const { history, run, params } = request
  const identified = await identify(request, params.fingerprint ?? '')
  const { fingerprint, project } = identified
  const [violation] = await readViolationsByKey(history, [{ ...identified, project: project.name }])
  if (violation === undefined) throw new NotFound(`The violation ${fingerprint} is not in the history.`)
  const spans = (await readViolationsOf(history, identified, run.number)).filter(
    (span) => span.fingerprint === fingerprint,
  )
  const accepted = await acceptancesAsOf(history, request.isLatest ? undefined : run)
  const { resolution = null, ended_by = null } = spans.at(-1) ?? {}
  return {
    identified,
    spans,
    row: { ...toRow(violation, (await readDue(request))(violation.project)), resolution, ended_by },
    acceptances: accepted.filter((acceptance) => acceptance.fingerprint === fingerprint),
  }
}

function showSubject(row: ViolationRow, request: SiteRequest): Markup {
  const { link } = request
  return html`<div class="subject" data-severity="${row.severity}" data-state="${row.state}">
<p>${severityChip(row.severity)} <b>${describeState(row, request)}</b></p>
<p class="lead">${withCode(row.message)}</p>
<p class="where">${resource(row, linkToResource(link, row))}${row.path !== '' && html` at <code>${row.path}</code>`}${row.owner !== null && html` · owner <a href="${link(paths.owner(row.owner))}">${row.owner}</a>`}</p></div>
`
}

/** @throws NotFound when a fingerprint, or its beginning, names none or several */
async function identify({ history, run }: SiteRequest, text: string): Promise<IdentifiedViolation> {
  const isWhole = text.length >= leastCharacters && /^[0-9a-f]{1,32}$/.test(text)
  const [identified, other] = isWhole ? await identifyViolations(history, text, run.number, 2) : []
  if (identified === undefined) throw new NotFound(`As of run ${run.number}, no violation has the fingerprint ${text}`)
  if (other !== undefined) throw new NotFound(`Several violations have fingerprints that begin with ${text}`)
  return identified
}

function describeState(row: ViolationRow, request: SiteRequest): Markup {
  const at = timeOf(request)
  const since = showInstant(row.first_seen)
  if (row.state === 'resolved') {
    const ended = row.resolved_at !== undefined && html`, in the run of ${showInstant(row.resolved_at)}`
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
  const { link } = request
  const openOfRule = (await readActive(request)).filter((one) => isOpen(one) && one.rule === row.rule).length
  const facts: Fact[] = [
    ['Rule', html`<a href="${link(paths.rule(row.rule))}">${row.rule}</a>`],
    ['Project', html`<a href="${linkToProject(link, identified.project.name)}">${identified.project.name}</a>`],
    [
      'Of this rule',
      html`<a href="${link('/violations', { rule: row.rule, state: 'open' })}">${count(openOfRule, 'open violation')}</a>`,
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
  const isOfResource = isScanned({ kind, project })
  return [
    ...(isOfResource ? [hookdriftCommand(['timeline'], of)] : []),
    ...(isActionable && isOfResource
      ? [hookdriftCommand(['restore'], { ...of, options: { ...of.options, rule } })]
      : []),
    ...(isActionable ? [hookdriftCommand(['accept'], { operands: [fingerprint], options: { reason: 'why' } })] : []),
    ...(isBuiltInRule(rule) ? [hookdriftCommand(['rules'], { operands: [rule] })] : []),
  ]
}

/** Whether runs scan what it is about: neither waivers nor what is only in a list of projects. */
function isScanned({ kind, project }: Pick<ViolationRow, 'kind' | 'project'>): boolean {
  return kind !== 'policy' && !isProjectListName(project)
}

const mostNamed = 6

/** What the last scans left open about a violation. */
interface ViolationGaps {
  /** Of its project; of all projects where its rule compares them, and for what is said of the policy. */
  readonly scans: readonly RecordedScan[]
  /** The walks that it depends on and that were not complete. */
  readonly gaps: readonly AnswerCoverage[]
}

interface Dependent extends Pick<EvaluatedRule, 'needs'> {
  readonly project: ProjectRef
  readonly row: ViolationRow
}

/** Which walks a violation depends on: those that its rule needs; all of them where these do not explain its state. */
async function readViolationGaps(request: SiteRequest, { project, row, needs }: Dependent): Promise<ViolationGaps> {
  const all = await readScans(request)
  const key = projectKey(project)
  const isOfAll = isPolicyProject(project) || rules.find(({ id }) => id === row.rule)?.scope === 'fleet'
  const scans = isOfAll ? presentScans(all) : all.filter((scan) => projectKey(scan.project) === key)
  const needed = scans.flatMap((scan) => gapsFor({ needs }, toCoverage(scan)).filter(isGap))
  if (needed.length > 0 || row.state !== 'unknown') return { scans, gaps: needed }
  // What is found of other violations, or of waivers, depends on their walks.
  return { scans, gaps: scans.flatMap(toCoverage).filter(isGap) }
}

/** Why the last scan could not check a violation; nothing unless its state is unknown. */
async function showUnknown(request: SiteRequest, row: ViolationRow, { scans, gaps }: ViolationGaps): Promise<Markup> {
  if (row.state !== 'unknown') return nothing
  const run = gaps[0]?.run ?? scans[0]?.run.number ?? request.run.number
  return html`<h2 id="unknown">Why it is unknown</h2>
<p>Run ${run} could not check it. ${gaps.length > 0 ? `Not complete: ${nameWalks(gaps)}.` : await describeRefusal(request, row)}</p>
${await showCauses(request, gaps)}`
}

/** `endpoints, sources of acme/shipping` */
function nameWalks(gaps: readonly AnswerCoverage[]): string {
  const projects = [...Map.groupBy(gaps, ({ project }) => project)]
  const named = projects
    .slice(0, mostNamed)
    .map(([project, walks]) => `${walks.map(({ listing }) => listing).join(', ')} of ${project}`)
  const omitted = projects.length - named.length
  return `${named.join('; ')}${omitted > 0 ? ` and of ${count(omitted, 'more project')}` : ''}`
}

/** What the run recorded of the rule. */
async function describeRefusal(request: SiteRequest, { project, rule }: ViolationRow): Promise<string> {
  const { gaps = [] } = (await readProjectEvaluations(request)).get(project) ?? {}
  const [gap] = gapsOfRule(gaps, rule)
  return gap === undefined ? 'The history does not say why.' : `It could not evaluate the rule: ${gap.text}`
}

/** Who accepted it, why, and until when: by a waiver of the policy, or by hand. */
function showWaiverOf({ waiver }: ViolationRow, acceptances: readonly Acceptance[], { link }: SiteRequest): Markup {
  const byPolicy =
    waiver !== undefined &&
    html`<p>${asSentence(describeWaiver(waiver))}. <a href="${link('/waivers')}">Waivers</a></p>`
  const byHand = acceptances.map((acceptance) => {
    const { by, at, osUser = null, reason } = acceptance
    const signer = describeSigner({ by, os_user: osUser })
    const said = describeDecision({ ...unsaid, kind: 'acceptance', by: signer, reason, at })
    return html`<p>${asSentence(said)}.${showEnd(acceptance)}</p>`
  })
  return waiver === undefined && byHand.length === 0 ? nothing : html`<div class="note">${byPolicy}${byHand}</div>`
}

function showEnd({ revoked, ended }: Acceptance): Markup {
  if (revoked !== undefined) return html` Revoked by ${revoked.by}, ${showTime(revoked.at)}.`
  return ended === undefined ? nothing : html` Ended ${showTime(ended.at)}: ${endingWords[ended.by]}.`
}

/** The controls of frameworks that the rule is evidence for. */
function showControls(controls: readonly string[], { link }: SiteRequest): Markup {
  if (controls.length === 0) return nothing
  const items = controls.map((control) => html`<li>${showControl(control, link)}</li>`)
  return fold(html`${count(controls.length, 'control')}`, html`<ul class="controls">${items}</ul>`)
}

/** The change that the violation is about, and what changed of the resource since then. */
async function showHistoryOf(
  { history, run, link }: SiteRequest,
  identity: IdentifiedViolation,
  { spans, runs }: { readonly spans: readonly ViolationSpan[]; readonly runs: RunNames },
): Promise<Markup> {
  const versions = await readVersionsOf(history, identity, run.number)
  const opening = spans.findLast(({ isContinued }) => !isContinued)
  if (versions.length === 0 || opening === undefined) return nothing
  const { kind, uid, project } = identity
  const openedIn = opening.fromRun
  const after = versionAt(versions, openedIn)
  const origin = spans.at(-1)?.originRun ?? opening.originRun
  const before =
    origin !== undefined
      ? versionAt(versions, origin)
      : after?.fromRun === openedIn
        ? versionAt(versions, openedIn - 1)
        : undefined
  const now = versions.at(-1)
  const changes = await readChangesOf(history, identity, run.number)
  const fieldsFrom = (from: VersionSpan, to: VersionSpan) => ({
    name: to.name,
    fields: compareVersions(kind, from, to).asSeen,
  })
  const card = ({ name, fields }: Pick<ReportedChange, 'name' | 'fields'>) => {
    const change = { project: project.name, kind, uid, name, change: 'modified' as const, fields }
    return fields.length === 0 ? nothing : asHtml(list('change', [changeItem(change)]), reportLinks(link))
  }
  const reported = changes.get(after?.fromRun ?? openedIn)
  const isLost = after === undefined && reported?.isOfPrunedRun && reported.change === 'modified'
  const found = isLost ? reported : before && after && before !== after && fieldsFrom(before, after)
  const changed =
    found &&
    html`<h2 id="change">What changed</h2>
${await showTimes(history, identity, { reported, runs })}
${card(found)}`
  const since =
    after !== undefined &&
    now !== undefined &&
    after !== now &&
    html`<h2 id="since">What changed since then</h2>
<p class="where">As of run ${openedIn}, when it was opened, and as of the last version, run ${now.fromRun}, ${showTime(now.from)}.</p>
${card(fieldsFrom(after, now))}`
  const gone =
    now?.toRun !== null &&
    now?.toRun !== undefined &&
    html`<p class="where">The resource is gone since ${runs.name(now.toRun)}.</p>`
  const lost =
    isLost && html`<p class="where">Its state as of ${runs.name(openedIn)}, when it was opened, was pruned.</p>`
  return html`${changed}${lost}${since}${gone}`
}

/** The two runs around a change, and what people did in between. Nothing where the change was pruned. */
async function showTimes(
  history: HistoryReader,
  identity: IdentifiedViolation,
  { reported, runs }: { readonly reported: ReportedChange | undefined; readonly runs: RunNames },
): Promise<Markup> {
  if (reported === undefined) return nothing
  const { between } = reported
  const { after, after_run, before, before_run } = between
  const found = runs.nameAt(before_run, before)
  if (after === null) return html`<p class="where">Changed before ${found}.</p>`
  const notes = await readNotesBetween(history, after, before)
  const from = after_run === null ? showInstant(after) : runs.nameAt(after_run, after)
  return html`<p class="where">Changed between ${from}, and ${found}.</p>${noteList(
    notes.filter((note) => isNoteOf(note, identity.project.name, between)),
    before,
  )}`
}

function versionAt(versions: readonly VersionSpan[], run: number): VersionSpan | undefined {
  return versions.findLast(({ fromRun, toRun }) => fromRun <= run && (toRun === null || toRun > run))
}

/** The request that repairs a violation, with its placeholders; that there is none, where no value is right for all. */
async function showRepair(request: SiteRequest, violation: IdentifiedViolation, row: ViolationRow): Promise<Markup> {
  if (!isOpen(row) && row.state !== 'unknown') return nothing
  // A request of then would undo what people changed since.
  if (!(await isOfLastRun(request))) return nothing
  const answer = await readRequests(request, violation, row.rule)
  if (answer === undefined) {
    return html`<p class="soft">No request is right for every fleet here: a person decides what the value should be.</p>`
  }
  if (isFixBound(row.rule)) {
    const { project, kind, uid } = row
    const restore = hookdriftCommand(['restore'], { operands: [uid], options: { project, kind, rule: row.rule } })
    return html`<p>The value is an option of the policy, which these pages do not read: ${command(restore)} prints the request.</p>`
  }
  return html`${answer.rows.length > 0 && html`<h3>The request that repairs it</h3>`}${showRequests(answer)}`
}

/** Where it may have stopped deliveries: how to find out. Of a past run, the present one says more. */
function showCost(request: SiteRequest, { kind, path, fingerprint }: ViolationRow): Markup {
  if (!mayStopDeliveries(kind, path)) return nothing
  return html`<h2 id="cost">What it cost</h2>
${impactButton(request, fingerprint)}
`
}

/** Whether the value that repairs violations of a rule is an option of the policy. */
function isFixBound(rule: string): boolean {
  const fix = builtInRule(rule)?.fix
  return fix !== undefined && 'bound' in fix
}

/** The states of a violation over time, newest first; its earlier lives too. */
function showStates(spans: readonly ViolationSpan[], runs: RunNames): Markup {
  const entries = spans.flatMap((span, at) => {
    const { state, isContinued, goesOn, fromRun, from, toRun, to, resolution, ended_by, message } = span
    const before = spans[at - 1]
    const isReworded = isContinued && before?.state === state
    const isBack = !isContinued && at > 0
    const turn = isReworded
      ? 'message changed'
      : state === 'open'
        ? isContinued
          ? 'open again'
          : isBack
            ? 'opened again'
            : 'opened'
        : state
    const begun = showEntry(
      {
        name: turn,
        run: fromRun,
        at: from,
        text: before?.message === message ? '' : message,
        mark: state === 'unknown' ? 'unseen' : '',
      },
      runs,
    )
    if (toRun === null || goesOn) return [begun]
    const name = describeEnding({ resolution, ended_by })
    const mark = ended_by === null ? 'added' : ''
    return [begun, showEntry({ name, run: toRun, at: to ?? '', text: '', mark }, runs)]
  })
  return html`<ol class="rows states" reversed>
${entries.toReversed()}</ol>
`
}

interface Entry {
  readonly name: string
  readonly run: number
  readonly at: string
  readonly text: string
  readonly mark: string
}

function showEntry({ name, run, at, text, mark }: Entry, runs: RunNames): Markup {
  return html`<li class="${mark}"><p><b>${name}</b> ${runs.nameAt(run, at)}</p>${text !== '' && html`<p class="where">${withCode(text)}</p>`}</li>
`
}
