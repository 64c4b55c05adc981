import type { Note } from '../../../model/note.ts'
import type { Kind } from '../../../model/resource.ts'
import { count, countEach } from '../../../model/text/count.ts'
import { type Severity, severities, totalOf } from '../../../model/violation.ts'
import { isWebAddress, timeOf } from '../../describe-notes.ts'
import { shellWord } from '../../text/commands.ts'
import { shorten } from '../../text/shorten.ts'
import { showTime } from '../../text/show-time.ts'
import { html, type Markup, nothing, withCode } from '../markup.ts'

export type Fact = readonly [name: string, value: string | Markup]

/** Names and values. */
export function factList(facts: readonly Fact[]): Markup {
  return html`<dl class="facts">
${facts.map(
  ([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>
`,
)}</dl>
`
}

/** Why there is nothing to show. `unknown`: because nothing was scanned, which is not the same as nothing found. */
export function emptyState(sentence: string, reason: 'none' | 'unknown'): Markup {
  return html`<p class="empty${reason === 'unknown' && ' unseen'}">${reason === 'unknown' && '? '}${sentence}</p>
`
}

/**
 * A command to copy: one click selects all of it. Each word is quoted, because names in it are foreign text. An option
 * and its value are one piece: a browser goes on in the next line at each hyphen of a text.
 */
export function command(words: readonly string[]): Markup {
  const pieces: string[] = []
  for (const word of words.map(shellWord)) {
    const last = pieces.at(-1)
    const isValue = last !== undefined && /^--[^ ]{1,40}$/.test(last) && !word.startsWith('--')
    if (isValue) pieces[pieces.length - 1] = `${last} ${word}`
    else pieces.push(word)
  }
  const content = pieces.map((piece, at) => {
    const word = piece.includes('-') ? html`<span>${piece}</span>` : piece
    return html`${at !== 0 && ' '}${word}`
  })
  return html`<code class="command">${content}</code>`
}

/** A severity as icon, word and colour: none of them alone carries it. The style sheet adds the icon. */
export function severityChip(severity: Severity): Markup {
  return html`<span class="chip ${severity}">${severity}</span>`
}

/**
 * Open violations by severity as one bar; nothing when there are none. Numbers next to it are its legend. `most`: how many
 * fill its place.
 */
export function severityBar(counts: Readonly<Record<Severity, number>>, most = totalOf(counts)): Markup {
  const total = totalOf(counts)
  if (total === 0) return nothing
  let x = 0
  const parts = severities.flatMap((severity) => {
    const width = (counts[severity] / most) * 1000
    const part = html`<rect class="${severity}" x="${x.toFixed(1)}" y="0" width="${Math.max(width - 2, 1).toFixed(1)}" height="8"/>`
    x += width
    return counts[severity] === 0 ? [] : [part]
  })
  return html`<svg class="bar" viewBox="0 0 1000 8" preserveAspectRatio="none" role="img" aria-label="${count(total, 'open violation')}: ${countEach(severities, counts)}">${parts}</svg>
`
}

/** Content behind a summary. Printing opens all folds. */
export function fold(summary: Markup, content: Markup, isOpen = false): Markup {
  const opened = isOpen && html` open=""`
  return html`<details${opened}><summary>${summary}</summary>
${content}</details>
`
}

/** The rest of a list or table. On paper the summary, which only counts it, is left out. */
export function foldRest(summary: string, content: Markup): Markup {
  return html`<details class="rest"><summary>${summary}</summary>
${content}</details>
`
}

const mostShown = 20

/** A list of rows, the first of them shown and the others behind a fold that counts them. */
export function rowList(rows: readonly Markup[], inFront = mostShown): Markup {
  const [first, rest] = [rows.slice(0, inFront), rows.slice(inFront)]
  return html`${list(first)}${rest.length !== 0 && foldRest(`${rest.length} more of ${rows.length}`, list(rest))}`
}

function list(rows: readonly Markup[]): Markup {
  return html`<ul class="rows">
${rows}</ul>
`
}

interface Resource {
  readonly project: string
  readonly kind: Kind
  readonly uid: string
  readonly name: string
  readonly ui_url?: string
}

/**
 * A resource: project, kind, name, uid. With `href`, its name links there: to its page, or to the entry itself, to be sent
 * around. Where the gateway's own UI shows it, the uid is followed by a link to that.
 */
export function resource({ project, kind, uid, name, ui_url }: Resource, href?: string): Markup {
  const link =
    ui_url !== undefined && html` <a class="gateway" href="${ui_url}" rel="noreferrer">open in the gateway</a>`
  const [shownName, shownUid] = [shorten(name, 120), html`<code>${shorten(uid, 80)}</code>${link}`]
  const named = name !== '' && html`<b>${shownName}</b> `
  if (href === undefined) return html`${project} · ${kind} ${named}${shownUid}`
  return name === ''
    ? html`${project} · ${kind} <a href="${href}"><code>${shorten(uid, 80)}</code></a>${link}`
    : html`${project} · ${kind} <a href="${href}">${shownName}</a> ${shownUid}`
}

const mostNotes = 10
/** Notes are no longer. */
const longest = 500

/** What people did while something came about: a line each. `before`: when the scan that found it ended. */
export function noteList(notes: readonly Note[], before: string): Markup {
  if (notes.length === 0) return nothing
  const lines = notes.slice(0, mostNotes).map((note) => html`<li>${noteLine(note, timeOf(note, before))}</li>`)
  const omitted = notes.length - lines.length
  const more = omitted !== 0 && html`<li>and ${count(omitted, 'more note')}</li>`
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

/** How to fix violations of a rule. Steps and choices, which come on one line, become a list. */
export function remediation(text: string): Markup {
  const steps = stepsOf(text)
  if (steps === undefined)
    return html`<p class="remediation"><b>How to fix.</b> ${withCode(text)}</p>
`
  const items = steps.items.map((step) => html`<li>${withCode(step)}</li>`)
  const list = steps.isOrdered ? html`<ol>${items}</ol>` : html`<ul>${items}</ul>`
  return html`<div class="remediation"><p><b>How to fix.</b></p>${list}</div>
`
}

function stepsOf(text: string): { isOrdered: boolean; items: readonly string[] } | undefined {
  if (text.startsWith('- ')) return { isOrdered: false, items: text.slice(2).split(' - ') }
  if (!text.startsWith('1. ')) return undefined
  const items: string[] = []
  let rest = text.slice('1. '.length)
  for (let next = 2; ; next++) {
    const end = rest.indexOf(` ${next}. `)
    if (end === -1) return { isOrdered: true, items: [...items, rest] }
    items.push(rest.slice(0, end))
    rest = rest.slice(end + ` ${next}. `.length)
  }
}

/** An instant, ISO 8601 in UTC, to which the script adds how long ago it is. */
export function showInstant(iso: string): Markup {
  return html`<time datetime="${iso}">${showTime(iso)}</time>`
}
