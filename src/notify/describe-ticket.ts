import { matchesGlob } from '../model/glob.ts'
import { showTime } from '../report/text/show-time.ts'
import { cut, neutralise } from '../text/neutralise.ts'
import type { Message } from './message.ts'
import { type Line, showMessage } from './show-message.ts'

/** GitHub takes 256 characters, Jira 255. */
const longestTitle = 200

/** `[high] endpoint/auth-missing: Acme checkout (acme/payments)`. It mentions no user and no other ticket. */
export function titleOfTicket({ events, more, title }: Message): string {
  const [first] = events
  const severity = first === undefined ? '' : `[${first.severity}] `
  const isOne = first?.rule !== undefined && events.length === 1 && more === 0
  const what = isOne ? `${first.rule}: ${first.name || (first.uid ?? '')} (${first.project ?? ''})` : title
  return neutralise(cut(severity + what, longestTitle)).replace(/[@#]|:(?=\/\/)/g, '$&\u2060')
}

/** What a ticket or a comment says: what happened, how to fix it, where to see it, and which run says so. */
export function linesOfTicket(message: Message): readonly Line[] {
  const { run, events } = message
  const said = showMessage({ ...message, verdict: null }).slice(1)
  const silent = events.length === 0 && run !== null
  return [
    ...(silent ? [{ level: 'text', pieces: [{ own: 'It is no longer open.' }] } as const] : []),
    ...said,
    ...(run === null
      ? []
      : [{ level: 'text', pieces: [{ own: `Run ${run.number}, ${showTime(run.finished_at)}` }] } as const]),
  ]
}

/** What a channel has for the owners of some events: a value for all, or those whose patterns match, as written. */
export function chosenFor<Value extends string | readonly string[]>(
  chosen: Value | Readonly<Record<string, Value>> | undefined,
  { events }: Message,
): readonly Value[] {
  if (chosen === undefined) return []
  if (isForAll(chosen)) return [chosen]
  const owners = new Set(events.length === 0 ? [''] : events.map(({ owner = '' }) => owner))
  return Object.entries(chosen).flatMap(([pattern, value]) =>
    [...owners].some((owner) => matchesGlob(owner, pattern)) ? [value] : [],
  )
}

function isForAll<Value extends string | readonly string[]>(
  chosen: Value | Readonly<Record<string, Value>>,
): chosen is Value {
  return typeof chosen === 'string' || Array.isArray(chosen)
}
