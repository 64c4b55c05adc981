import type { ListedViolation } from '../history/sql/list-violations.ts'
import { readViolationsByKey } from '../history/sql/violation-keys.ts'
import { globOf } from '../model/glob.ts'
import { countSeverities, severities } from '../model/violation.ts'
import type { RankedGroup } from '../questions/choose-violations.ts'
import type { Grouping } from '../report/group-by.ts'
import { cell, table } from '../report/html/components/table.ts'
import { html, type Markup, nothing } from '../report/html/markup.ts'
import { shorten } from '../report/text/shorten.ts'
import { linkToResource, paths, type SiteLinkQuery } from './link.ts'
import type { SiteRequest } from './page.ts'

/** On a page. */
const mostGroups = 75

/** What the violations of a group have in common. */
export const groupKeys = {
  rule: ({ rule }) => rule,
  project: ({ project }) => project,
  owner: ({ owner }) => owner ?? '',
  // No kind has a slash, and a project has one.
  resource: ({ project, kind, uid }) => `${project}/${kind}/${uid}`,
} as const satisfies Record<Grouping, (violation: GroupedViolation) => string>

type GroupedViolation = Pick<ListedViolation, 'rule' | 'project' | 'kind' | 'uid'> & { readonly owner?: string | null }

export interface GroupTable {
  readonly ranked: readonly RankedGroup[]
  readonly grouping: Grouping
  readonly filters: SiteLinkQuery
}

/** The first groups with their violations by severity; each links to the list of its own. */
export async function showGroups(request: SiteRequest, { ranked, grouping, filters }: GroupTable): Promise<Markup> {
  const groups = ranked.slice(0, mostGroups)
  const named = { ranked: groups, grouping, filters: { ...filters, 'group-by': undefined } }
  const names = grouping === 'resource' ? await nameResources(request, groups) : nameGroups(request, named)
  const rows = groups.map(({ violations }, at) => {
    const counts = countSeverities(violations)
    const cells = severities.map((severity) =>
      cell(severity, counts[severity] === 0 ? 0 : html`<b class="${severity}">${counts[severity]}</b>`, 'n'),
    )
    return html`<tr><th scope="row">${names[at] ?? ''}</th>${cells}${cell('all', violations.length, 'n')}</tr>
`
  })
  const omitted = ranked.length - groups.length
  const columns = [{ title: grouping }, ...[...severities, 'all'].map((title) => ({ title, isNumber: true }))]
  return html`${table(`By ${grouping}`, columns, rows)}${omitted > 0 ? html`<p>The first ${groups.length} of ${ranked.length}; the filters find the others.</p>` : nothing}`
}

/** By the name that the first violation of each has. */
async function nameResources(
  { history, link }: SiteRequest,
  groups: readonly RankedGroup[],
): Promise<readonly Markup[]> {
  const violations = await readViolationsByKey(
    history,
    groups.map(({ first }) => first),
  )
  const names = new Map(violations.map((violation) => [groupKeys.resource(violation), violation.name]))
  return groups.map(({ first }) => {
    const { project, kind, uid } = first
    const name = names.get(groupKeys.resource(first)) ?? ''
    const href = linkToResource(link, { project, kind, uid })
    return html`<a href="${href}">${shorten(name === '' ? uid : name, 120)}</a> <span class="soft">${kind} · ${project}</span>`
  })
}

function nameGroups({ link }: SiteRequest, { ranked, grouping, filters }: GroupTable): readonly Markup[] {
  const listed = (name: string, query: SiteLinkQuery) =>
    html`<a href="${link('/violations', { ...filters, ...query })}">${shorten(name, 120)}</a>`
  return ranked.map(({ first: { rule, project, owner = '' } }) => {
    if (grouping === 'rule') return listed(rule, { rule })
    if (grouping === 'project') return listed(project, { project: globOf(project) })
    return owner === ''
      ? html`<span class="soft">no owner is known</span>`
      : html`${listed(owner, { owner: globOf(owner) })} <a class="soft" href="${link(paths.owner(owner))}">their endpoints</a>`
  })
}
