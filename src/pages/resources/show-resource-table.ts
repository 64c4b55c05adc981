import type { ListedResource } from '../../history/resource-list.ts'
import { cell, table } from '../../report/html/components/table.ts'
import { html, type Markup } from '../../report/html/markup.ts'
import { shorten } from '../../report/text/shorten.ts'
import { showTime } from '../../report/text/show-time.ts'
import { paths, type SiteLink } from '../link.ts'

export function showResourceTable(rows: readonly ListedResource[], link: SiteLink): Markup {
  const columns = [
    { title: 'Name' },
    { title: 'Kind' },
    { title: 'Project' },
    { title: 'uid' },
    { title: 'Unchanged since' },
  ]
  return table(
    'Resources',
    columns,
    rows.map(({ project, kind, uid, name, since, removedBy }) => {
      const href = link(paths.resource(uid), { project: project.name, kind })
      const state =
        removedBy === null
          ? html`<time datetime="${since}">${showTime(since)}</time>`
          : html`<b>− removed</b>, run ${removedBy}`
      return html`<tr><th scope="row"><a href="${href}">${name === '' ? shorten(uid, 80) : shorten(name, 120)}</a></th>${cell('Kind', kind)}${cell('Project', html`<a href="${link(paths.project(project.name))}">${project.name}</a>`)}${cell('uid', html`<code>${shorten(uid, 80)}</code>`)}${cell('Unchanged since', state)}</tr>
`
    }),
  )
}
