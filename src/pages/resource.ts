import { unknownGateway } from '../config/read-gateway.ts'
import type { Identity, VersionSpan } from '../history/reader.ts'
import { shownJson } from '../model/exact-number.ts'
import { isJsonObject, type JsonObject } from '../model/json.ts'
import { kinds } from '../model/resource.ts'
import { readRestore } from '../queries/read-restore.ts'
import { readTimeline } from '../queries/read-timeline.ts'
import { resolveUid } from '../queries/resolve-uid.ts'
import type { TimelineRow } from '../queries/timeline-row.ts'
import { curlLines } from '../repair/curl.ts'
import { fieldTable } from '../report/html/components/change-card.ts'
import { emptyState } from '../report/html/components/empty-state.ts'
import { type Fact, factList } from '../report/html/components/facts.ts'
import { html, type Markup, nothing } from '../report/html/markup.ts'
import { pageSection } from '../report/html/render-page.ts'
import { shorten } from '../report/text/shorten.ts'
import { showTime } from '../report/text/show-time.ts'
import { count } from '../text/count.ts'
import { paths, type SiteLink } from './link.ts'
import { NotFound, type SitePage, type SiteRequest } from './page.ts'
import { readChoice } from './query.ts'

const mostMoments = 100

/** A resource: what is wrong with it, what happened to it, who uses it, and how it is now. */
export const resourcePage: SitePage = {
  path: '/resources/:uid',
  parameters: ['project', 'kind'],
  isOfRun: true,
  async show(request) {
    const { history, run, link } = request
    const found = await identitiesOf(request)
    const [identity, ...others] = found
    if (identity === undefined)
      throw new NotFound(`As of run ${run.number}, there is no resource ${shorten(request.params.uid ?? '', 80)}`)
    const { project, kind, uid } = identity
    const crumbs = [{ title: project.name, href: link(paths.project(project.name)) }]
    if (others.length > 0)
      return { title: uid, crumbs: [], body: showCandidates(found, link), command: `hookdrift timeline ${uid}` }
    const versions = await history.versionsOf(identity, run.number)
    const chosen = { uid, run, projects: [project.name], kind }
    const timeline = await readTimeline(history, { ...chosen, limit: Number.POSITIVE_INFINITY })
    const last = versions.at(-1)
    const name = last?.name ?? ''
    return {
      title: name === '' ? uid : name,
      crumbs,
      body: html`${showGone(last)}${await showOpen(request, identity)}${showTimeline(timeline.rows, link)}${await showRepair(request, identity)}${showUsers(timeline.more?.resources, link)}${showState(last)}`,
      aside: showFacts(identity, versions, timeline.rows, link),
      command: `hookdrift timeline ${uid}`,
      json: link('/api/v1/timeline', { uid, project: project.name, kind }),
    }
  },
}

/** By uid, by name, or by the beginning of a uid, as the commands read it. */
async function identitiesOf({ history, run, params, query }: SiteRequest): Promise<readonly Identity[]> {
  const [named = '', kind, projects] = [params.uid, readChoice(query, 'kind', kinds), query.all('project')]
  const isChosen = (identity: Identity) =>
    (kind === undefined || identity.kind === kind) &&
    (projects.length === 0 || projects.includes(identity.project.name))
  const found = (await history.find(named, run.number)).filter(isChosen)
  if (found.length > 0) return found
  const uid = await resolveUid(history, named, { run: run.number, projects, kind })
  return (await history.find(uid, run.number)).filter(isChosen)
}

function showCandidates(found: readonly Identity[], link: SiteLink): Markup {
  return html`<p>${found.length} resources have this uid:</p><ul class="rows">${found.map(
    ({ project, kind, uid }) =>
      html`<li><p><a href="${link(paths.resource(uid), { project: project.name, kind })}">${project.name} · ${kind}</a></p></li>`,
  )}</ul>`
}

function showGone(last: VersionSpan | undefined): Markup {
  if (last === undefined || last.to === null) return nothing
  return html`<div class="unscanned" role="note"><p><b>− Removed.</b> Run ${last.toRun ?? ''}, ${showTime(last.to)}, no longer found it.</p></div>
`
}

async function showOpen({ history, run, link }: SiteRequest, identity: Identity): Promise<Markup> {
  const active = (await history.violationsOf(identity, run.number)).filter(({ toRun }) => toRun === null)
  if (active.length === 0) return nothing
  const rows = active.map(
    ({ fingerprint, rule, severity, state, message, path }) =>
      html`<li data-severity="${severity}"><p><span class="chip ${severity}">${severity}</span> <a href="${link(paths.violation(fingerprint))}"><code>${rule}</code></a> ${shorten(message, 2000)}</p><p class="where">${state}${path === '' ? nothing : html` · at <code>${shorten(path, 200)}</code>`}</p></li>
`,
  )
  return pageSection({
    id: 'violations',
    title: 'Violations',
    count: active.length,
    content: html`<ul class="rows">${rows}</ul>`,
  })
}

const marks = { added: '+', removed: '−', modified: '~', first_seen: '+', restated: '·' } as const
const words = {
  added: 'added',
  removed: 'removed',
  modified: 'modified',
  first_seen: 'first seen',
  restated: 'stored again',
} as const

function showTimeline(rows: readonly TimelineRow[], link: SiteLink): Markup {
  const shown = rows.toReversed().slice(0, mostMoments)
  const left = rows.length - shown.length
  const items = shown.map(({ run, at, change, fields, violations }) => {
    const kind = change === 'first_seen' ? 'added' : (change ?? '')
    const what = change === null ? nothing : html` <b class="change">${marks[change]} ${words[change]}</b>`
    const turns = violations.map(
      ({ fingerprint, rule, state, severity }) =>
        html`<li><span class="chip ${severity}">${severity}</span> <a href="${link(paths.violation(fingerprint))}"><code>${rule}</code></a> ${state}</li>`,
    )
    return html`<li class="${kind}"><p><time datetime="${at}">${showTime(at)}</time> <a href="${link(paths.run(run))}">run ${run}</a>${what}</p>
${fieldTable(fields)}${turns.length === 0 ? nothing : html`<ul class="plain">${turns}</ul>`}</li>
`
  })
  return pageSection({
    ...{ id: 'timeline', title: 'Timeline', count: rows.length },
    content: html`<ul class="rows">${items}</ul>${left > 0 ? html`<p class="soft">${left} earlier moments: see the command below.</p>` : nothing}`,
  })
}

/** The requests that put it back, as commands to copy. They are shown, not sent. */
async function showRepair({ history, run }: SiteRequest, { project, kind, uid }: Identity): Promise<Markup> {
  const {
    rows,
    remarks = [],
    conclusion = [],
  } = await readRestore(history, {
    ...{ uid, run, asked: undefined, rule: undefined, projects: [project.name], kind, limit: 20 },
    gatewayOf: ({ service }) => unknownGateway(service),
    policyOf: async () => undefined,
  })
  const requests = rows.map((row) => {
    const lines = curlLines(
      row,
      row.placeholders.map(({ name }) => name),
    )
    return html`<p>${sentence(row.purpose)}</p>
<pre class="command">${lines.map(
      (line) => html`${line}
`,
    )}</pre>
`
  })
  return pageSection({
    ...{ id: 'repair', title: 'How to put it back' },
    content: html`${remarks.map((line) => html`<p>${line}</p>`)}${requests}${rows.length === 0 ? nothing : conclusion.map((line) => html`<p class="soft">${line}</p>`)}<p class="soft">hookdrift sends none of this: <code>hookdrift restore ${uid}</code> prints it with your addresses.</p>`,
  })
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}:`
}

/** Subscriptions that refer to it. The timeline has them as JSON. */
function showUsers(resources: unknown, link: SiteLink): Markup {
  const [first] = Array.isArray(resources) ? resources : []
  const referrers = isJsonObject(first) && Array.isArray(first.referrers) ? first.referrers.filter(isJsonObject) : []
  const now = referrers.filter(({ to_run }) => to_run === null)
  if (referrers.length === 0) return nothing
  const rows = now.map((referrer) => {
    const [uid, name] = [String(referrer.uid), String(referrer.name)]
    return html`<li><p>subscription <a href="${link(paths.resource(uid))}">${name === '' ? uid : shorten(name, 120)}</a></p></li>`
  })
  return pageSection({
    ...{ id: 'users', title: 'Used by', count: now.length },
    content:
      now.length === 0
        ? emptyState(`No subscription now; ${referrers.length} did before.`, 'none')
        : html`<ul class="rows">${rows.slice(0, 50)}</ul>`,
  })
}

function showState(last: VersionSpan | undefined): Markup {
  if (last === undefined) return nothing
  const attributes: JsonObject = JSON.parse(last.body)
  const facts = Object.entries(attributes).map(
    ([name, value]): Fact => [
      name,
      html`<code>${shorten(typeof value === 'string' ? value : shownJson(value), 2000)}</code>`,
    ],
  )
  return pageSection({ id: 'state', title: last.to === null ? 'State' : 'Last state', content: factList(facts) })
}

function showFacts(
  { project, kind, uid }: Identity,
  versions: readonly VersionSpan[],
  rows: readonly TimelineRow[],
  link: SiteLink,
): Markup {
  const [first, last] = [versions[0], versions.at(-1)]
  const changed = rows.findLast(({ change }) => change === 'modified')
  return factList([
    ['Kind', kind],
    ['Project', html`<a href="${link(paths.project(project.name))}">${project.name}</a>`],
    ['uid', html`<code>${uid}</code>`],
    ['Owner', ownerOf(last)],
    ['First seen', first === undefined ? '' : showTime(first.from)],
    ['Last change', changed === undefined ? 'none' : showTime(changed.at)],
    ['Versions', count(versions.length, 'version')],
  ])
}

function ownerOf(last: VersionSpan | undefined): string {
  const attributes: JsonObject = last === undefined ? {} : JSON.parse(last.body)
  return typeof attributes.owner_id === 'string' ? attributes.owner_id : 'none'
}
