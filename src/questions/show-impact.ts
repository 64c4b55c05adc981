import { deliveryStatuses } from '../gateway/deliveries.ts'
import { curlLines } from '../gateway/repair/curl.ts'
import { spell } from '../gateway/repair/pieces.ts'
import type { Json, JsonObject } from '../model/json.ts'
import { count } from '../model/text/count.ts'
import { quote } from '../model/text/neutralise.ts'
import type { AnswerView } from '../report/answer.ts'
import { asSentence } from '../report/describe-ending.ts'
import { type Block, list, section, text, verbatim } from '../report/document/blocks.ts'
import { shorten } from '../report/text/shorten.ts'
import { showTime } from '../report/text/show-time.ts'
import { type ImpactRow, isKnown, lossOf, type PrintedRequest } from './impact-row.ts'
import type { WindowEnd } from './impact-window.ts'
import type { RestoreRow } from './restore-row.ts'
import { describeRequest, variableFacts } from './show-restore.ts'

/** What it cost, before all else. */
export function introduceImpact(rows: readonly ImpactRow[], target: string): string[] {
  const [first, ...others] = rows
  if (first === undefined) return [`No endpoint is known that ${target} concerned in the window.`]
  if (others.length === 0) return [`${sayLoss(first)}.`]
  const losses = rows.map(lossOf)
  const failed = losses.reduce((sum, loss) => sum + (loss.failed ?? 0), 0)
  const undelivered = losses.reduce((sum, loss) => sum + (loss.undelivered ?? 0), 0)
  const unknown = losses.filter(({ isWhole }) => !isWhole).length
  const doubt = unknown === 0 ? '' : `; of ${count(unknown, 'endpoint')}, not all is known`
  return [`${count(rows.length, 'endpoint')}: ${sayNumbers({ failed, undelivered })}${doubt}.`]
}

/** `acme/orders endpoint "billing" 01M…: 312 deliveries failed, 40 events were never delivered, between …` */
function sayLoss(row: ImpactRow): string {
  const { project, kind, uid, name, from, to } = row
  const named = name === '' ? quote(uid) : `${quote(shorten(name, 60))} ${uid}`
  return `${project} ${kind} ${named}: ${sayNumbers(lossOf(row))}, between ${sayEnd(from)} and ${sayEnd(to)}`
}

function sayNumbers({ failed, undelivered }: { readonly failed: number | null; readonly undelivered: number | null }) {
  const deliveries =
    failed === null
      ? 'how many deliveries failed is not known'
      : `${count(failed, 'delivery').replace(/ys$/, 'ies')} failed`
  const events =
    undelivered === null
      ? 'how many events were never delivered is not known'
      : `${count(undelivered, 'event')} ${undelivered === 1 ? 'was' : 'were'} never delivered`
  return `${deliveries}, ${events}`
}

function sayEnd({ run, at }: WindowEnd): string {
  return run === null ? showTime(at) : `run ${run} (${showTime(at)})`
}

export function concludeImpact(rows: readonly ImpactRow[]): string[] {
  const isAsked = rows.some(({ retry, replay, first }) => retry !== null || replay !== null || first.length > 0)
  return isAsked ? ['hookdrift has sent nothing. Read the requests, send them, then ask again.'] : []
}

/** Those that lost something, or may have, with all that is known of them. */
function impactBlocks({ rows }: { readonly rows: readonly ImpactRow[] }): readonly Block[] {
  const isQuiet = (row: ImpactRow) => isKnown(row) && lossOf(row).failed === 0 && row.undelivered === 0
  const quiet = rows.length > 1 ? rows.filter((row) => isQuiet(row) && row.reasons.length === 0) : []
  const lossy = rows.filter((row) => !quiet.includes(row))
  return [
    ...lossy.flatMap((row) => (rows.length > 1 ? section(2, sayLoss(row), rowBlocks(row)) : rowBlocks(row))),
    ...(quiet.length > 0 ? [text(`${count(quiet.length, 'other endpoint')} lost nothing.`)] : []),
  ]
}

function rowBlocks(row: ImpactRow): readonly Block[] {
  const { first, retry, replay, reasons, undelivered } = row
  const requests = [
    ...first.map((request) => ({ title: asSentence(request.purpose), row: request, blocks: describeRequest(request) })),
    ...(retry === null ? [] : [retryOf(row, retry)]),
    ...(replay === null ? [] : [replayOf(row, replay)]),
  ]
  const facts = [
    ['Deliveries', sayStatuses(row)] as const,
    ['Events without one', undelivered === null ? 'not known' : String(undelivered)] as const,
  ]
  return [
    { kind: 'facts', facts },
    ...list(
      'reason',
      reasons.map((reason) => ({ text: reason })),
    ),
    ...requests.flatMap(({ title, blocks }, at) =>
      section(3, `${requests.length === 1 ? '' : `${at + 1}. `}${title}:`, blocks),
    ),
    ...section(
      3,
      'Set these variables first. Escape " and \\ in values.',
      variableFacts(requests.map((each) => each.row)),
    ),
  ]
}

function sayStatuses({ deliveries }: ImpactRow): string {
  const known = deliveryStatuses.flatMap((status) => (deliveries[status] ? [`${deliveries[status]} ${status}`] : []))
  const isUnknown = Object.values(deliveries).includes(null)
  if (known.length === 0) return isUnknown ? 'not known' : 'none'
  return `${known.join(', ')}${isUnknown ? ', others not known' : ''}`
}

function retryOf(row: ImpactRow, retry: NonNullable<ImpactRow['retry']>) {
  const title = `Retry ${retry.count === 1 ? '1 delivery' : `${retry.count} deliveries`}`
  const request = asRow(row, retry, title)
  return { title, row: request, blocks: describeRequest(request) }
}

/** A request for each event. What the service answers is the payload, which no terminal should show. */
function replayOf(row: ImpactRow, replay: NonNullable<ImpactRow['replay']>) {
  const title = `Replay ${count(replay.count, 'event')}`
  const request = asRow(row, replay, title)
  const [first = '', ...more] = curlLines(request)
  const command = [first, ...more].map((line) => `  ${line}`)
  const lines = [
    'for EVENT_ID in \\',
    ...inLines(replay.events),
    'do',
    ...command.slice(0, -1),
    `${command.at(-1)} > /dev/null`,
    'done',
  ]
  const placeholders = request.placeholders.filter(({ hint }) => hint !== eventHint)
  const reaches =
    replay.alsoReaches.length === 0
      ? []
      : [text(`Also reaches: ${replay.alsoReaches.map((uid) => quote(uid)).join(', ')}`)]
  return { title, row: { ...request, placeholders }, blocks: [verbatim(lines), ...reaches] }
}

/** What to fill in for the one placeholder that the command itself fills in. */
export const eventHint = 'the id of an event'

const inLine = 3

/** Words of a shell: plain ids. */
function inLines(events: readonly string[]): readonly string[] {
  const lines: string[] = []
  for (let at = 0; at < events.length; at += inLine) {
    const isLast = at + inLine >= events.length
    lines.push(`  ${events.slice(at, at + inLine).join(' ')}${isLast ? '' : ' \\'}`)
  }
  return lines
}

function asRow({ project, kind, uid }: ImpactRow, request: PrintedRequest, purpose: string): RestoreRow {
  return { project, kind, uid, purpose, ...request, body: null, restores: [], when: null }
}

const columnNames = 'project kind uid name from_run from to_run to'.split(' ')

export const impactView: AnswerView<ImpactRow> = {
  columns: [
    ...columnNames.map((name) => ({ name, value: (row: ImpactRow) => placeOf(row)[name] ?? null })),
    ...deliveryStatuses.map((status) => ({
      name: status.toLowerCase(),
      value: ({ deliveries }: ImpactRow) => deliveries[status],
    })),
    'undelivered',
    { name: 'retry', value: ({ retry }) => retry && spell(retry.url) },
    { name: 'replay', value: ({ replay }) => replay && [...replay.events] },
    { name: 'reasons', value: ({ reasons }) => [...reasons] },
  ],
  shape: shapeOf,
  blocks: impactBlocks,
  nothing: 'No endpoint is concerned.',
}

function placeOf({ project, kind, uid, name, from, to }: ImpactRow): Readonly<Record<string, Json>> {
  return { project, kind, uid, name, from_run: from.run, from: from.at, to_run: to.run, to: to.at }
}

function shapeOf({ from, to, deliveries, undelivered, first, retry, replay, reasons, ...row }: ImpactRow): object {
  return {
    ...row,
    from,
    to,
    deliveries,
    undelivered,
    first: first.map(({ purpose, method, url, headers, when }) => ({
      purpose,
      ...spelled({ method, url, headers }),
      when,
    })),
    retry: retry && { ...spelled(retry), placeholders: retry.placeholders, count: retry.count },
    replay: replay && {
      ...spelled(replay),
      placeholders: replay.placeholders,
      events: replay.events,
      count: replay.count,
      also_reaches: replay.alsoReaches,
    },
    reasons,
    sent: false,
  }
}

function spelled({ method, url, headers }: Pick<RestoreRow, 'method' | 'url' | 'headers'>): JsonObject {
  const shown = Object.entries(headers).map(([name, value]) => [name, spell(value)] as const)
  return { method, url: spell(url), headers: Object.fromEntries(shown) }
}
