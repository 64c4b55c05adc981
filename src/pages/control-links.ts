import { builtInFrameworkIds, controlsOf } from '../compliance/built-in-frameworks.ts'
import { anchorOf } from '../report/html/anchors.ts'
import { rowList } from '../report/html/components/fold.ts'
import { html, type Markup, nothing } from '../report/html/markup.ts'
import { nameControl } from '../report/html/show-rules.ts'
import { paths, type SiteLink } from './link.ts'

/** The controls that a rule gives evidence for, each with its place in the report by control. */
export function showControls(rule: string, recorded: readonly string[], link: SiteLink): Markup {
  const controls = [...new Set([...controlsOf(rule), ...recorded])]
  if (controls.length === 0) return nothing
  const rows = controls.map((control) => {
    const [framework = '', ...rest] = control.split(':')
    const isBuiltIn = builtInFrameworkIds.some((id) => id === framework)
    const place = `${link(paths.framework(framework))}#${anchorOf('control', rest.join(':'))}`
    return html`<li>${isBuiltIn ? html`<a href="${place}">${nameControl(control)}</a>` : nameControl(control)}</li>
`
  })
  return html`<h2>Controls <span class="count">${controls.length}</span></h2>
${rowList(rows, 8)}`
}
