import type { Report, ReportCause } from '../../model/report.ts'
import { count } from '../../text/count.ts'
import { describeCause, describeFollowing, fieldsOfCause } from '../describe-cause.ts'
import { changesOfCause, notesNamed, timesOf } from '../describe-notes.ts'
import { shorten } from '../text/shorten.ts'
import { fieldTable } from './components/change-card.ts'
import {
  anchorOf,
  command,
  fold,
  noteList,
  type ReportLinks,
  resource,
  rowList,
  severityChip,
} from './components/parts.ts'
import { html, type Markup, nothing } from './markup.ts'
import type { PageSection } from './render-page.ts'
import { showWindows } from './show-changes.ts'

/** What happened once and hit many, and updates of several fields: first, because what follows repeats it. */
export function causeSection(report: Report, links?: ReportLinks): PageSection[] {
  const { causes, run, notes, projects } = report
  if (causes.length === 0) return []
  const cards = causes.map((cause) => {
    const changes = changesOfCause(cause, report)
    const meanwhile = html`${showWindows(changes, projects)}${noteList(notesNamed(changes, notes), timesOf(changes))}`
    return causeCard(cause, run.number, { links, meanwhile })
  })
  return [{ id: 'causes', title: 'Causes', count: causes.length, content: rowList(cards) }]
}

const mostAffected = 200

/**
 * A cause: what happened to what, its fields, what follows from it, whom it hit, and what puts it back. `run`: that of
 * the page.
 */
export function causeCard(
  cause: ReportCause,
  run: number,
  { links, meanwhile = nothing }: { readonly links?: ReportLinks | undefined; readonly meanwhile?: Markup } = {},
): Markup {
  const following = describeFollowing(cause)
  const { id, severity, fields, affected, kind, first_run } = cause
  const since = first_run !== run && html` · since run ${first_run}`
  const rows = affected.slice(0, mostAffected).map(
    (each) => html`<li>${resource({ ...each, kind }, links?.resource({ ...each, kind }))}${showOwner(each.owner)}</li>
`,
  )
  const omitted = affected.length - rows.length
  const all = omitted !== 0 && html`<p class="soft">and ${omitted} more</p>`
  return html`<li id="${anchorOf('cause', id)}" data-cause="${id}"><p>${severityChip(severity)} <b>${describeCause(cause)}</b></p>
<p class="where">${following}${since}</p>${fields.length > 1 && fieldTable(fieldsOfCause(cause))}${meanwhile}
${fold(
  html`${count(affected.length, 'resource')}`,
  html`<ul>
${rows}</ul>${all}`,
)}<p>${command(['hookdrift', 'restore', '--cause', id])}</p></li>
`
}

function showOwner(owner: string | null): Markup {
  return owner === null ? nothing : html` · owner ${shorten(owner, 60)}`
}
