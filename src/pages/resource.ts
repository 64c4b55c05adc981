import { type Identity, readVersionsOf, type VersionSpan } from '../history/sql/resource-life.ts'
import { attributesOf } from '../questions/diff.ts'
import { readTimeline, type TimelineRow } from '../questions/timeline.ts'

import { factList } from '../report/html/components/facts.ts'
import { html, type Markup, nothing } from '../report/html/markup.ts'
import { pageSection } from '../report/html/render-page.ts'
import { shorten } from '../report/text/shorten.ts'
import { showTime } from '../report/text/show-time.ts'
import { count } from '../text/count.ts'
import { paths, type SiteLink } from './link.ts'
import { readRunNames } from './name-run.ts'
import { NotFound, type SitePage } from './page.ts'
import { identitiesAt, showCandidates } from './resource/find-identity.ts'
import { showActive } from './resource/show-active.ts'
import { showAsOf } from './resource/show-as-of.ts'
import { showAttributes } from './resource/show-attributes.ts'
import { showRestore } from './resource/show-restore.ts'
import { showTimeline } from './resource/show-timeline.ts'
import { showUsers } from './resource/show-users.ts'
import { showVersions } from './resource/show-versions.ts'
import { showGaps } from './show-gaps.ts'

/** A resource: what is wrong with it, what happened to it, who uses it, and how it is now. */
export const resourcePage: SitePage = {
  path: '/resources/:uid',
  parameters: ['project', 'kind', 'from', 'to'],
  // Ages count from the time of asking.
  isOfRun: 'past',
  async show(request) {
    const { history, run, link } = request
    const found = await identitiesAt(request)
    const [identity, ...others] = found
    if (identity === undefined)
      throw new NotFound(`As of run ${run.number}, there is no resource ${shorten(request.params.uid ?? '', 80)}`)
    const { project, kind, uid } = identity
    const crumbs = [{ title: project.name, href: link(paths.project(project.name)) }]
    if (others.length > 0)
      return {
        title: uid,
        crumbs: [],
        body: showCandidates(found, link),
        same: { command: ['timeline'], operands: { uid } },
      }
    const versions = await readVersionsOf(history, identity, run.number)
    const chosen = { uid, run, projects: [project.name], kind }
    const timeline = await readTimeline(history, { ...chosen, limit: Number.POSITIVE_INFINITY })
    const last = versions.at(-1)
    const runs = await readRunNames(request)
    const { coverage = [] } = timeline
    const name = last?.name ?? ''
    return {
      title: `${kind.charAt(0).toUpperCase()}${kind.slice(1)} ${name === '' ? uid : name}`,
      crumbs,
      alarm: showGaps(coverage, link),
      body: html`${showGone(last)}${await showAsOf(request, identity, { coverage, last })}${await showActive(request, identity)}${showVersions(request, identity, { versions, runs })}${showTimeline(identity, timeline.rows, { link, runs })}${await showRestore(request, identity)}${showUsers(timeline.more?.resources, link)}${showState(last)}`,
      aside: showFacts(identity, versions, timeline.rows, link),
      same: { command: ['timeline'], operands: { uid }, options: { project: project.name, kind } },
    }
  },
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
  const changed = rows.findLast(({ change }) => change === 'modified')
  return factList([
    ['Kind', kind],
    ['Project', html`<a href="${link(paths.project(project.name))}">${project.name}</a>`],
    ['uid', html`<code>${uid}</code>`],
    ['Owner', showOwner(last, link)],
    ['First seen', first === undefined ? '' : showTime(first.from)],
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
