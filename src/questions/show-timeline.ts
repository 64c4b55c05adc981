import { isJsonObject, type Json } from '../model/json.ts'
import type { Note } from '../model/note.ts'
import type { Answer } from '../report/answer.ts'
import { describeEnding } from '../report/describe-ending.ts'
import { schemas } from '../report/report-schema.ts'
import type { TextPage } from '../report/text/page.ts'
import { shorten, shortenSeals } from '../report/text/shorten.ts'
import { showFields, showNotes } from '../report/text/show-drift.ts'
import { showResource } from '../report/text/show-resource.ts'
import { showTime } from '../report/text/show-time.ts'
import { wrapPieces, wrapProse } from '../text/columns.ts'
import { count } from '../text/count.ts'
import { neutralise } from '../text/neutralise.ts'
import type { TimelineChange, TimelineRow, TimelineViolation } from './timeline-row.ts'

const words = {
  added: 'added',
  removed: 'removed',
  modified: 'modified',
  first_seen: 'first seen, by the first scan of its kind',
  restated: 'restated: stored again without a changed field',
} as const satisfies Record<Exclude<TimelineChange, null>, string>

const mostReferrers = 20

/** Each resource of the uid with its changes, then the subscriptions that referred to it. */
export function showTimeline({ rows, more }: Answer<TimelineRow>, page: TextPage): string[] {
  const notes = readNotes(more?.notes)
  const resources = Array.isArray(more?.resources) ? more.resources.filter(isJsonObject) : []
  return resources.flatMap((resource, at) => {
    const own = rows.filter(({ project, kind }) => project === resource.project && kind === resource.kind)
    const [last] = own.slice(-1)
    if (last === undefined) return []
    return [
      ...(at === 0 ? [] : ['']),
      ...wrapPieces(showResource(last), page.width).map((line) => page.paint('heading', line)),
      ...own.flatMap((row) => ['', ...showMoment(row, notes, page)]),
      ...showReferrers(resource.referrers ?? null, page),
    ]
  })
}

/** The notes that an answer has besides its rows. */
export function readNotes(given: Json | undefined): readonly Note[] {
  return schemas.note.array().safeParse(given).data ?? []
}

function showMoment(row: TimelineRow, notes: readonly Note[], page: TextPage): string[] {
  const { run, at, change, fields, between, violations } = row
  const what = change === null ? '' : `  ${words[change]}`
  return [
    `Run ${run}, ${at === '' ? 'its time was pruned' : showTime(at)}${what}`,
    ...showFields(fields, page),
    ...(between === null ? [] : showNotes([{ notes: row.notes, between }], notes, page)),
    ...violations.flatMap((violation) => showTurn(violation, page)),
  ]
}

function showTurn(violation: TimelineViolation, page: TextPage): string[] {
  const { severity, rule, message } = violation
  const [shown] = shortenSeals(message)
  const text = `${turnOf(violation)}: ${severity} ${neutralise(rule)}: ${shorten(neutralise(shown), 300)}`
  return wrapProse(text, page.width - 8).map((line, at) => `    ${at === 0 ? '' : '    '}${line}`)
}

/** What became of it: its state, or how it ended. */
function turnOf(violation: TimelineViolation): string {
  const { state, ended_by: by } = violation
  if (state !== 'resolved') return state
  const how = neutralise(describeEnding(violation))
  return by === null ? how : `ended (${how})`
}

function showReferrers(referrers: Json, page: TextPage): string[] {
  const all = Array.isArray(referrers) ? referrers.filter(isJsonObject) : []
  if (all.length === 0) return []
  const lines = all.slice(0, mostReferrers).flatMap(({ uid, name, from_run, to_run }) => {
    const until = to_run === null ? '' : `, until run ${to_run}`
    const who = showResource({ project: '', kind: 'subscription', uid: String(uid), name: String(name) }).slice(1)
    return wrapPieces([...who, `from run ${from_run}${until}`], page.width - 4).map((line) => `    ${line}`)
  })
  const left = all.length - mostReferrers
  const more = left > 0 ? [`    … and ${left} more; --format json shows all`] : []
  const are = all.filter(({ to_run }) => to_run === null).length
  return [
    '',
    `Referred to by ${count(are, 'subscription')}${are < all.length ? `, ${all.length - are} in the past` : ''}:`,
    ...lines,
    ...more,
  ]
}
