import type { Note } from '../../../model/note.ts'
import { count } from '../../../text/count.ts'
import { isWebAddress, timeOf } from '../../describe-notes.ts'
import { shorten } from '../../text/shorten.ts'
import { html, type Markup, nothing } from '../markup.ts'

const mostNotes = 10
/** Notes are no longer. */
const longest = 500

/** What people did while something came about: a line each. `before`: when the scan that found it ended. */
export function noteList(notes: readonly Note[], before: string): Markup {
  if (notes.length === 0) return nothing
  const lines = notes.slice(0, mostNotes).map((note) => html`<li>${noteLine(note, timeOf(note, before))}</li>`)
  const omitted = notes.length - lines.length
  const more = omitted === 0 ? nothing : html`<li>and ${count(omitted, 'more note')}</li>`
  return html`<div class="where">In between:<ul class="plain">${lines}${more}</ul></div>`
}

/** `deploy 4.2 (ada, 14:03 UTC, REF)`: the reference is a link where it is an address of the web. */
export function noteLine({ text, by, ref }: Note, displayTime: string): Markup {
  const shownRef = shorten(ref ?? '', longest)
  const link =
    ref === null
      ? nothing
      : isWebAddress(ref) && ref.length <= longest
        ? html`, <a href="${ref}" rel="noreferrer">${shownRef}</a>`
        : html`, <code>${shownRef}</code>`
  return html`${shorten(text, longest)} (${shorten(by, longest)}, <span class="when">${displayTime}</span>${link})`
}
