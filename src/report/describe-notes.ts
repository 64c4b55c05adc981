import type { ChangeTimes } from '../model/change.ts'
import { isNoteOf, type Note } from '../model/note.ts'
import type { ReportCause, ReportDrift } from '../model/report.ts'
import { count } from '../model/text/count.ts'
import type { Inline, LinkedText } from './document/blocks.ts'
import { shorten } from './text/shorten.ts'
import { showTime } from './text/show-time.ts'

/** `between run 8, 2026-11-28 23:37 UTC, and run 9, 23:38 UTC`: the two runs around some changes. */
export function describeTimes(changes: readonly { readonly between: ChangeTimes }[]): string {
  const times = changes.map(({ between }) => between)
  const [last] = times.toSorted((a, b) => (a.before < b.before ? 1 : -1))
  if (last === undefined) return ''
  const [first = last] = times.toSorted((a, b) => ((a.after ?? '') < (b.after ?? '') ? -1 : 1))
  const found = `run ${last.before_run}, ${timeOf({ at: last.before }, first.after ?? '')}`
  if (first.after === null) return `before ${found}`
  const from = showTime(first.after)
  return `between ${first.after_run === null ? from : `run ${first.after_run}, ${from}`}, and ${found}`
}

/** The same of some changes as members of a message, with what people did then. Empty without changes. */
export function whenChanged(
  changes: readonly Pick<ReportDrift, 'project' | 'between'>[],
  all: readonly Note[],
): { readonly when?: string; readonly in_between?: string } {
  if (changes.length === 0) return {}
  const notes = all.filter((note) => changes.some(({ project, between }) => isNoteOf(note, project, between)))
  const when = `Changed ${describeTimes(changes)}.`
  return notes.length === 0 ? { when } : { when, in_between: describeNotes(notes, timesOf(changes)) }
}

const mostNotes = 3
const longestText = 200

/**
 * What people did while something came about, the nearest to the scan that found it first: `In between: deploy 4.2 (ada,
 * 14:03 UTC, 1f0c9a2)`. Empty without notes. It quotes people, and says nothing of causes.
 */
export function describeNotes(notes: readonly Note[], before: string): string {
  return sayNotes(notes, before)
    .map((span) => (typeof span === 'string' ? span : span.text))
    .join('')
}

/** The same, with a link where a reference is an address of the web. */
function sayNotes(notes: readonly Note[], before: string): readonly (string | LinkedText)[] {
  if (notes.length === 0) return []
  const named = notes.slice(0, mostNotes)
  const omitted = notes.length - named.length
  const said = named.flatMap((note, at) => {
    const words = `${at === 0 ? '' : '; '}${describeNote({ ...note, ref: null }, timeOf(note, before)).slice(0, -1)}`
    if (note.ref === null) return [`${words})`]
    const ref = shorten(note.ref, longestText)
    const isLink = ref === note.ref && isWebAddress(ref)
    return [`${words}, `, isLink ? { text: ref, to: { href: ref } } : ref, ')']
  })
  return ['In between: ', ...said, ...(omitted === 0 ? [] : [`; and ${count(omitted, 'more note')}`])]
}

/** The window in which changes may have been made, in words, then what people did: a line each, of those that there are. */
export function sayMeanwhile(window: string, notes: readonly Note[], before: string): readonly Inline[] {
  const noted = sayNotes(notes, before)
  return [...(window === '' ? [] : [window]), ...(noted.length === 0 ? [] : [noted])]
}

/** `deploy 4.2 (ada, 1f0c9a2)`. */
export function describeNote({ text, by, ref }: Note, ...times: readonly string[]): string {
  const facts = [by, ...times, ...(ref === null ? [] : [ref])].map((fact) => shorten(fact, longestText))
  return `${shorten(text, longestText)} (${facts.join(', ')})`
}

/** The day is left out where it is that of the other time. */
export function timeOf({ at }: Pick<Note, 'at'>, before: string): string {
  const text = showTime(at)
  return at.slice(0, 10) === before.slice(0, 10) ? text.slice(11) : text
}

/** The notes that some changes name, in the order of the report; each once. */
export function notesNamed(changes: readonly Pick<ReportDrift, 'notes'>[], notes: readonly Note[]): readonly Note[] {
  const named = new Set(changes.flatMap((change) => change.notes))
  return named.size === 0 ? [] : notes.filter(({ id }) => named.has(id))
}

/** The changes of a report that are part of a cause; none where an earlier run found it. */
export function changesOfCause(
  { kind, change, affected, first_run }: Pick<ReportCause, 'kind' | 'change' | 'affected' | 'first_run'>,
  { run, drift }: { readonly run: { readonly number: number }; readonly drift: readonly ReportDrift[] },
): readonly ReportDrift[] {
  if (first_run !== run.number) return []
  const keys = new Set(affected.map(({ project, uid }) => JSON.stringify([project, uid])))
  return drift.filter(
    (one) => one.kind === kind && one.change === change && keys.has(JSON.stringify([one.project, one.uid])),
  )
}

/** The time in which all of some changes came about. */
export function timesOf(changes: readonly { readonly between: ChangeTimes }[]): string {
  return changes.reduce((last, { between: { before } }) => (before > last ? before : last), '')
}

/** Whether a text may be a link: of the web, and nothing that a browser would run. */
export function isWebAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text)
}
