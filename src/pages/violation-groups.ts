import { readFirstViolations, type ViolationGroup } from '../history/sql/first-violations.ts'
import { globOf } from '../model/glob.ts'
import { severities } from '../model/violation.ts'
import { countGroups, type RankedGroup } from '../questions/count-groups.ts'
import type { Grouping } from '../report/group-by.ts'
import { cell, table } from '../report/html/components/table.ts'
import { html, type Markup, nothing } from '../report/html/markup.ts'
import { shorten } from '../report/text/shorten.ts'
import { linkToResource, paths, type SiteLinkQuery } from './link.ts'
import type { SiteRequest } from './page.ts'
import type { ChosenViolations } from './violation-list.ts'

/** On a page. */
export const mostGroups = 75

/** What the violations of a group have in common. */
export const groupKeys = {
  rule: ({ rule }) => rule,
  project: ({ project }) => project,
  owner: ({ owner }) => owner,
  resource: ({ project, kind, uid }) => resourceKey(project, kind, uid),
} as const satisfies Record<Grouping, (group: ViolationGroup) => string>

/** No kind has a slash, and a project has one. */
const resourceKey = (project: string, kind: string, uid: string) => `${project}/${kind}/${uid}`

export interface GroupTable {
  /** What was grouped. */
  readonly chosen: Omit<ChosenViolations, 'groups'>
  /** The first ones, and how many there are. */
  readonly ranked: { readonly first: readonly RankedGroup[]; readonly total: number }
  readonly grouping: Grouping
  readonly filters: SiteLinkQuery
}

/** Groups with their violations by severity; each links to the list of its own. */
export async function showGroups(
  request: SiteRequest,
  { chosen, ranked, grouping, filters }: GroupTable,
): Promise<Markup> {
  const groups = ranked.first
  const named = { chosen, ranked, grouping, filters: { ...filters, 'group-by': undefined } }
  const names = grouping === 'resource' ? await nameResources(request, named) : nameGroups(request, named)
  const rows = groups.map((group, at) => {
    const { total, severities: counts } = countGroups(group.groups)
    const cells = severities.map((severity) =>
      cell(severity, counts[severity] === 0 ? 0 : html`<b class="${severity}">${counts[severity]}</b>`, 'n'),
    )
    return html`<tr><th scope="row">${names[at] ?? ''}</th>${cells}${cell('all', total, 'n')}</tr>
`
  })
  const omitted = ranked.total - groups.length
  const columns = [{ title: grouping }, ...[...severities, 'all'].map((title) => ({ title, isNumber: true }))]
  return html`${table(`By ${grouping}`, columns, rows)}${omitted > 0 ? html`<p>The first ${groups.length} of ${ranked.total}; the filters find the others.</p>` : nothing}`
}

/** By the name that the first violation of each has. */
async function nameResources(
  { history, link }: SiteRequest,
  { chosen, ranked: { first: groups } }: GroupTable,
): Promise<readonly Markup[]> {
  const choice = { ...chosen, groups: groups.flatMap((one) => one.groups), most: Number.POSITIVE_INFINITY }
  const byResource = Map.groupBy(await readFirstViolations(history, choice), ({ project, kind, uid }) =>
    resourceKey(project, kind, uid),
  )
  return groups.map(({ first }) => {
    const { project, kind, uid } = first
    const name = byResource.get(groupKeys.resource(first))?.[0]?.name ?? ''
    const href = linkToResource(link, { project, kind, uid })
    return html`<a href="${href}">${shorten(name === '' ? uid : name, 120)}</a> <span class="soft">${kind} · ${project}</span>`
  })
}

function nameGroups({ link }: SiteRequest, { ranked, grouping, filters }: GroupTable): readonly Markup[] {
  const listed = (name: string, query: SiteLinkQuery) =>
    html`<a href="${link('/violations', { ...filters, ...query })}">${shorten(name, 120)}</a>`
  return ranked.first.map(({ first: { rule, project, owner } }) => {
    if (grouping === 'rule') return listed(rule, { rule })
    if (grouping === 'project') return listed(project, { project: globOf(project) })
    return owner === ''
      ? html`<span class="soft">no owner is known</span>`
      : html`${listed(owner, { owner: globOf(owner) })} <a class="soft" href="${link(paths.owner(owner))}">their endpoints</a>`
  })
}
