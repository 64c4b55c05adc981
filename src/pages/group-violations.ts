import type { ViolationOutline } from '../history/reader.ts'
import { countSeverities, type Severity, severities, totalOf } from '../model/violation.ts'
import type { Grouping } from '../report/group-by.ts'
import { cell, table } from '../report/html/components/table.ts'
import { html, type Markup } from '../report/html/markup.ts'
import type { SiteLink, SiteLinkQuery } from './link.ts'

interface Group {
  readonly name: string
  readonly counts: Readonly<Record<Severity, number>>
}

/** Counts violations by what groups them, without holding them. */
export function countGroups(by: Grouping | undefined) {
  const counts = new Map<string, Record<Severity, number>>()
  return {
    add(violation: ViolationOutline): void {
      if (by === undefined) return
      const name = nameOf(violation, by)
      const ofGroup = counts.get(name) ?? countSeverities([])
      ofGroup[violation.severity]++
      counts.set(name, ofGroup)
    },
    /** The worst first, then the largest. */
    groups: (): readonly Group[] =>
      [...counts]
        .map(([name, ofGroup]) => ({ name, counts: ofGroup }))
        .sort((a, b) => worstOf(a) - worstOf(b) || totalOf(b.counts) - totalOf(a.counts)),
  }
}

function nameOf({ rule, project, owner, uid }: ViolationOutline, by: Grouping): string {
  return by === 'rule' ? rule : by === 'project' ? project : by === 'owner' ? (owner ?? '') : uid
}

function worstOf({ counts }: Group): number {
  return severities.findIndex((severity) => counts[severity] > 0)
}

const mostShown = 100

interface GroupedBy {
  readonly groupBy: Grouping
  /** The parameters of the page. */
  readonly given: SiteLinkQuery
  readonly link: SiteLink
}

/** Groups with their numbers; the name of each leads to the list of its violations. */
export function showGroups(groups: readonly Group[], { groupBy, given, link }: GroupedBy): Markup {
  const filter = groupBy === 'resource' ? 'q' : groupBy
  const columns = [
    { title: groupBy },
    ...severities.map((severity) => ({ title: severity, isNumber: true })),
    { title: 'all', isNumber: true },
  ]
  const rows = groups.slice(0, mostShown).map(({ name, counts }) => {
    const list = { ...given, 'group-by': undefined, 'from-row': undefined, [filter]: name }
    const shown =
      name === '' ? html`<span class="soft">none</span>` : html`<a href="${link('/violations', list)}">${name}</a>`
    return html`<tr><th scope="row">${shown}</th>${severities.map((severity) => cell(severity, counts[severity], 'n'))}${cell('all', html`<b>${totalOf(counts)}</b>`, 'n')}</tr>
`
  })
  const left = groups.length - rows.length
  return html`${table(`Violations by ${groupBy}`, columns, rows)}${left > 0 ? html`<p class="soft">${left} more groups: filter to see them.</p>` : html``}`
}
