import { globOf } from '../../model/glob.ts'
import { severities } from '../../model/violation.ts'
import type { RowGroup } from '../../queries/page-violations.ts'
import type { ViolationIndex } from '../../queries/violation-index.ts'
import type { Grouping } from '../../report/group-by.ts'
import { cell, table } from '../../report/html/components/table.ts'
import { html, type Markup, nothing } from '../../report/html/markup.ts'
import { shorten } from '../../report/text/shorten.ts'
import { linkToResource, paths, type SiteLinkQuery } from '../link.ts'
import type { SiteRequest } from '../page.ts'

const mostGroups = 75

export interface Groups {
  readonly index: ViolationIndex
  readonly groups: readonly RowGroup[]
  readonly grouping: Grouping
  readonly filters: SiteLinkQuery
}

/** Groups with their violations by severity; each links to the list of its own. */
export async function showGroups(request: SiteRequest, { index, groups, grouping, filters }: Groups): Promise<Markup> {
  const shown = groups.slice(0, mostGroups)
  const names = await nameGroups(request, {
    index,
    groups: shown,
    grouping,
    filters: { ...filters, 'group-by': undefined },
  })
  const rows = shown.map(({ total, severities: counts }, at) => {
    const cells = severities.map((severity) =>
      cell(severity, counts[severity] === 0 ? 0 : html`<b class="${severity}">${counts[severity]}</b>`, 'n'),
    )
    return html`<tr><th scope="row">${names[at] ?? ''}</th>${cells}${cell('all', total, 'n')}</tr>
`
  })
  const left = groups.length - shown.length
  const columns = [{ title: grouping }, ...[...severities, 'all'].map((title) => ({ title, isNumber: true }))]
  return html`${table(`By ${grouping}`, columns, rows)}${left > 0 ? html`<p>The first ${shown.length} of ${groups.length}; the filters find the others.</p>` : nothing}`
}

async function nameGroups(
  { history, link }: SiteRequest,
  { index, groups, grouping, filters }: Groups,
): Promise<readonly Markup[]> {
  const listed = (name: string, query: SiteLinkQuery) =>
    html`<a href="${link('/violations', { ...filters, ...query })}">${shorten(name, 120)}</a>`
  if (grouping === 'resource') {
    const found = await history.foundViolations(groups.map(({ row }) => index.found(row)))
    return found.map(({ project, kind, uid, name }) => {
      const href = linkToResource(link, { project, kind, uid })
      return html`<a href="${href}">${shorten(name === '' ? uid : name, 120)}</a> <span class="soft">${kind} · ${project}</span>`
    })
  }
  return groups.map(({ row }) => {
    if (grouping === 'rule')
      return listed(index.rules[index.rule[row] ?? 0] ?? '', { rule: index.rules[index.rule[row] ?? 0] })
    if (grouping === 'project') {
      const project = index.projects[index.project[row] ?? 0] ?? ''
      return listed(project, { project: globOf(project) })
    }
    const owner = index.owners[index.owner[row] ?? 0] ?? ''
    return owner === ''
      ? html`<span class="soft">no owner is known</span>`
      : html`${listed(owner, { owner: globOf(owner) })} <a class="soft" href="${link(paths.owner(owner))}">their endpoints</a>`
  })
}
