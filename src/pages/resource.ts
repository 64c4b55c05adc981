import { findKnown } from '../history/find-identities.ts'
import { type Identity, readVersionsOf, readViolationsOf, type VersionSpan } from '../history/sql/resource-life.ts'
import { identifyViolations, readViolationsByKey } from '../history/sql/violation-keys.ts'
import { isJsonObject } from '../model/json.ts'
import type { Note } from '../model/note.ts'
import { kinds } from '../model/resource.ts'
import { count } from '../model/text/count.ts'
import { isoTime } from '../model/time.ts'
import { severities } from '../model/violation.ts'
import { attributesOf } from '../questions/field-gaps.ts'
import { readNotes, readTimeline, type TimelineRow } from '../questions/timeline.ts'
import { toRow, type ViolationRow } from '../questions/violations.ts'
import type { AnswerCoverage } from '../report/answer.ts'
import { describeEnding } from '../report/describe-ending.ts'
import { notesNamed } from '../report/describe-notes.ts'
import { list } from '../report/document/blocks.ts'
import { asHtml } from '../report/document/html.ts'
import { fieldTable } from '../report/html/components/field-table.ts'
import { command, emptyState, factList, noteList } from '../report/html/components/parts.ts'
import { html, type Markup, nothing } from '../report/html/markup.ts'
import { pageSection } from '../report/html/render-page.ts'
import { violationItem } from '../report/report-items.ts'
import { shorten } from '../report/text/shorten.ts'
import { showTime } from '../report/text/show-time.ts'
import { isOfLastRun, presentOf, type RunNames, readRunNames, thenSection } from './find-runs.ts'
import { paths, reportLinks, type SiteLink } from './link.ts'
import { NotFound, type SitePage, type SiteRequest } from './page.ts'
import { readChoice } from './query.ts'
import { showAttributes, showVersions } from './resource-versions.ts'
import { readRequests, showRequests } from './restore-requests.ts'
import { readDue, timeOf } from './run-facts.ts'
import { hookdriftCommand } from './same-answer.ts'
import { readLastComplete, showGaps, showRunAt, unreadKinds } from './show-gaps.ts'

/** A resource: what is wrong with it, what happened to it, who uses it, and how it is now. */
export const resourcePage: SitePage = {
  path: '/resources/:uid',
  parameters: ['project', 'kind', 'from', 'to'],
  // Ages count from the time of asking, and requests go where the configuration says.
  isOfRun: false,
  async show(asked) {
    const identities = await identitiesAt(asked)
    const [identity, ...others] = identities
    if (identity === undefined)
      throw new NotFound(`As of run ${asked.run.number}, there is no resource ${shorten(asked.params.uid ?? '', 80)}`)
    const { project, kind, uid } = identity
    const request = others.length > 0 ? asked : await presentOf(asked)
    const { history, run, link } = request
    const crumbs = [{ title: project.name, href: link(paths.project(project.name)) }]
    if (others.length > 0)
      return {
        title: uid,
        crumbs: [],
        body: showCandidates(identities, link),
        same: { command: ['timeline'], operands: { uid } },
      }
    const versions = await readVersionsOf(history, identity, run.number)
    const chosen = { uid, run, projects: [project.name], kind }
    const timeline = await readTimeline(history, { ...chosen, limit: Number.POSITIVE_INFINITY })
    const last = versions.at(-1)
    const runs = await readRunNames(request)
    const notes = readNotes(timeline.more?.notes)
    const { coverage = [] } = timeline
    const name = last?.name ?? timeline.rows.at(-1)?.name ?? ''
    return {
      title: `${kind.charAt(0).toUpperCase()}${kind.slice(1)} ${name === '' ? uid : name}`,
      crumbs,
      alarm: await showGaps(request, coverage),
      body: html`${showGone(last)}${await showAsOf(request, identity, { coverage, last })}${await showActive(request, identity)}${await thenSection(asked, await showThen(asked, identity))}${showVersions(request, identity, { versions, runs })}${showTimeline(identity, timeline.rows, { link, runs, notes })}${await showRestore(request, identity)}${showUsers(timeline.more?.resources, project.name, link)}${showState(last)}`,
      isPresentFirst: true,
      aside: showFacts(identity, versions, timeline.rows, link),
      same: { command: ['timeline'], operands: { uid }, options: { project: project.name, kind } },
    }
  },
}

/** The violations and the state of a resource as of a past run. */
async function showThen(request: SiteRequest, identity: Identity): Promise<Markup> {
  const last = (await readVersionsOf(request.history, identity, request.run.number)).at(-1)
  const rows = await readActive(request, identity)
  return html`${showGone(last)}${rows.length > 0 && listActive(rows, request)}${last !== undefined && showAttributes(attributesOf(last))}`
}

function showGone(last: VersionSpan | undefined): Markup {
  if (last === undefined || last.to === null) return nothing
  return html`<div class="unscanned" role="note"><p><b>− Removed.</b> Run ${last.toRun ?? ''}, ${showTime(last.to)}, no longer found it.</p></div>
`
}

function showState(last: VersionSpan | undefined): Markup {
  if (last === undefined) return nothing
  const title = last.to === null ? 'State' : 'Last state'
  return pageSection({ id: 'state', title, content: showAttributes(attributesOf(last)) })
}

function showFacts(
  { project, kind, uid }: Identity,
  versions: readonly VersionSpan[],
  rows: readonly TimelineRow[],
  link: SiteLink,
): Markup {
  const [first, last] = [versions[0], versions.at(-1)]
  const changed = rows.findLast(({ change }) => change === 'modified' || change === 'pruned')
  return factList([
    ['Kind', kind],
    ['Project', html`<a href="${link(paths.project(project.name))}">${project.name}</a>`],
    ['uid', html`<code>${uid}</code>`],
    ['Owner', showOwner(last, link)],
    ['First seen', first === undefined ? '' : `${first.isContinued ? 'before ' : ''}${showTime(first.from)}`],
    ['Last change', changed === undefined ? 'none' : showTime(changed.at)],
    ['Versions', count(versions.length, 'version')],
  ])
}

function showOwner(last: VersionSpan | undefined, link: SiteLink): Markup | string {
  const owner = last && attributesOf(last).owner_id
  if (typeof owner !== 'string') return 'none'
  // An owner whose last endpoint is gone has no page.
  return last?.to === null ? html`<a href="${link(paths.owner(owner))}">${owner}</a>` : owner
}

/** The resources of an address: by a uid, a name or a beginning of one, as the commands read it. */
function identitiesAt({ history, run, params, query }: SiteRequest): Promise<readonly Identity[]> {
  const [named = '', kind, projects] = [params.uid, readChoice(query, 'kind', kinds), query.all('project')]
  const isChosen = (identity: Identity) =>
    (kind === undefined || identity.kind === kind) &&
    (projects.length === 0 || projects.includes(identity.project.name))
  return findKnown(history, named, { run: run.number, isChosen })
}

function showCandidates(identities: readonly Identity[], link: SiteLink): Markup {
  return html`<p>${identities.length} resources have this uid:</p><ul class="rows">${identities.map(
    ({ project, kind, uid }) =>
      html`<li><p><a href="${link(paths.resource(uid), { project: project.name, kind })}">${project.name} · ${kind}</a></p></li>`,
  )}</ul>`
}

/** Of which run the state of a resource is, where the last scan did not read all of its kind. */
async function showAsOf(
  request: SiteRequest,
  { project, kind }: Identity,
  { coverage, last }: { readonly coverage: readonly AnswerCoverage[]; readonly last: VersionSpan | undefined },
): Promise<Markup> {
  if (last === undefined || last.toRun !== null || unreadKinds(coverage, [kind]).length === 0) return nothing
  const complete = await readLastComplete(request, project, [kind])
  // A walk that broke off may have shown it all the same.
  const isLater = complete === undefined || last.fromRun > complete.number
  const run = isLater ? (await readRunNames(request)).nameAt(last.fromRun, last.from) : showRunAt(complete, request)
  return html`<p class="empty unseen">? Its state is as of ${run}${!isLater && ', the last complete scan'}.</p>
`
}

/** The active violations of a resource, the worst first: since when each is open and when it is due. */
async function showActive(request: SiteRequest, identity: Identity): Promise<Markup> {
  const rows = await readActive(request, identity)
  if (rows.length === 0) return nothing
  return pageSection({
    id: 'violations',
    title: 'Violations',
    count: rows.length,
    content: listActive(rows, request),
  })
}

function listActive(rows: readonly ViolationRow[], request: SiteRequest): Markup {
  const at = isoTime(timeOf(request))
  const items = rows.map((row) => violationItem(row, { at, hasRule: true }))
  return asHtml(list('violation', items), reportLinks(request.link))
}

async function readActive(request: SiteRequest, identity: Identity): Promise<readonly ViolationRow[]> {
  const { history, run } = request
  const project = identity.project.name
  const spans = (await readViolationsOf(history, identity, run.number)).filter(({ toRun }) => toRun === null)
  const identified = await Promise.all(
    spans.map(({ fingerprint }) => identifyViolations(history, fingerprint, run.number, 1)),
  )
  const dueOf = await readDue(request)
  const violations = await readViolationsByKey(
    history,
    identified.flat().map((one) => ({ ...one, project })),
  )
  const rows = violations.map((violation) => toRow(violation, dueOf(project)))
  return severities.flatMap((severity) => rows.filter((row) => row.severity === severity))
}

const mostMoments = 100

const marks = { added: '+', removed: '−', modified: '~', first_seen: '+', restated: '·', pruned: '~' } as const

const words = {
  added: 'added',
  removed: 'removed',
  modified: 'modified',
  first_seen: 'first seen',
  restated: 'stored again',
  pruned: 'another state: the one before it was pruned',
} as const

/** What happened to a resource, the last first. A change leads to the versions before and after it, side by side. */
function showTimeline(
  { project, kind: ofKind, uid }: Identity,
  rows: readonly TimelineRow[],
  { link, runs, notes }: { readonly link: SiteLink; readonly runs: RunNames; readonly notes: readonly Note[] },
): Markup {
  const moments = rows.toReversed().slice(0, mostMoments)
  const earlier = rows.length - moments.length
  const items = moments.map((row) => {
    const { run, at, change, fields, violations, between } = row
    const meanwhile = between !== null && noteList(notesNamed([row], notes), between.before)
    const kind = change === 'first_seen' ? 'added' : (change ?? '')
    const what = change !== null && html` <b class="change">${marks[change]} ${words[change]}</b>`
    const versions = link(paths.resource(uid), { project: project.name, kind: ofKind, from: run - 1, to: run })
    const sides = change === 'modified' && html` <a href="${versions}#versions">side by side</a>`
    const turns = violations.map(
      (violation) =>
        html`<li><span class="chip ${violation.severity}">${violation.severity}</span> <a href="${link(paths.violation(violation.fingerprint))}"><code>${violation.rule}</code></a> ${violation.state === 'resolved' ? describeEnding(violation) : violation.state}</li>`,
    )
    return html`<li class="${kind}"><p>${runs.nameAt(run, at)}${what}${sides}</p>
${fieldTable(fields)}${meanwhile}${turns.length > 0 && html`<ul class="plain">${turns}</ul>`}</li>
`
  })
  return pageSection({
    id: 'timeline',
    title: 'Timeline',
    count: rows.length,
    content: html`<ul class="rows">${items}</ul>${earlier > 0 && html`<p class="soft">${earlier} earlier moments: see the command below.</p>`}`,
  })
}

/** The requests that put a resource back, and why. */
async function showRestore(request: SiteRequest, identity: Identity): Promise<Markup> {
  // A request of then would undo what people changed since.
  if (!(await isOfLastRun(request))) return nothing
  const answer = await readRequests(request, identity, undefined)
  if (answer === undefined) return nothing
  const { rows, conclusion = [] } = answer
  const { project, kind, uid } = identity
  const restore = hookdriftCommand(['restore'], { operands: [uid], options: { project: project.name, kind } })
  return pageSection({
    id: 'repair',
    title: 'How to put it back',
    content: html`${showRequests(answer)}${rows.length + conclusion.length > 0 && html`<p class="soft">${command(restore)} ${rows.length === 0 ? 'reads the policy, too' : 'prints it with your addresses'}.</p>`}`,
  })
}

const mostUsers = 50

/** Subscriptions that refer to it. The timeline has them as JSON. */
function showUsers(resources: unknown, project: string, link: SiteLink): Markup {
  const [first] = Array.isArray(resources) ? resources : []
  const referrers = isJsonObject(first) && Array.isArray(first.referrers) ? first.referrers.filter(isJsonObject) : []
  const now = referrers.filter(({ to_run }) => to_run === null)
  if (referrers.length === 0) return nothing
  const rows = now.map((referrer) => {
    const [uid, name] = [String(referrer.uid), String(referrer.name)]
    // Another project may have a subscription of that uid.
    const href = link(paths.resource(uid), { project, kind: 'subscription' })
    return html`<li><p>subscription <a href="${href}">${name === '' ? uid : shorten(name, 120)}</a></p></li>`
  })
  return pageSection({
    id: 'users',
    title: 'Used by',
    count: now.length,
    content:
      now.length === 0
        ? emptyState(`No subscription now; ${referrers.length} did before.`, 'none')
        : html`<ul class="rows">${rows.slice(0, mostUsers)}</ul>${rows.length > mostUsers && html`<p class="soft">${rows.length - mostUsers} more: see the command below.</p>`}`,
  })
}
