import type { History } from '../../src/history/history.ts'
import { findFirstWaiting, listChannels } from '../../src/history/sql/outbox.ts'
import { listEndedRuns, listRuns } from '../../src/history/sql/runs.ts'
import { canonicalJson } from '../../src/model/canonical-json.ts'
import type { Report } from '../../src/model/report.ts'
import { answersAt } from '../history/answers-of.ts'
import { reports as formats } from '../report/all-reports.ts'

/** A report in every format, without what depends on where and how fast a run was audited. */
export function renderAll(report: Report): ReadonlyMap<string, string> {
  const text = JSON.stringify({ ...report, digests: { ...report.digests, chain: null } })
  const masked: Report = JSON.parse(
    text
      .replaceAll(requestId, 'the answer')
      .replaceAll(/"(duration_ms|requests|retries)":\d+/g, '"$1":0')
      .replaceAll(/"finished_at":"[^"]+"/g, '"finished_at":"2026-11-21T03:00:00.000Z"')
      // What a run saw changed was so at its end.
      .replaceAll(`"before":"${report.run.finished_at}"`, '"before":"2026-11-21T03:00:00.000Z"'),
  )
  const options = { colour: false, width: 100, full: true }
  return new Map(Object.entries(formats).map(([name, render]) => [name, String(render(masked, options))]))
}

export interface AnswerQuestions {
  /** Of committed runs, as of which all is asked. Default: all. */
  readonly runs?: readonly number[]
  /** Whose timelines are asked for. */
  readonly uids: readonly string[]
}

/** Everything that a history answers, with the bodies of all messages: each is taken for delivered. */
export async function answersOf(history: History, { runs, uids }: AnswerQuestions): Promise<readonly string[]> {
  const answers: unknown[] = [
    await listRuns(history),
    await listEndedRuns(history, 3),
    await listEndedRuns(history, 1000),
  ]
  const committed = await listRuns(history)
  for (const { number } of committed) {
    if (runs === undefined || runs.includes(number)) answers.push(await answersAt(history, number, uids))
  }
  const ends = committed.map(({ finished_at }) => `"before":"${finished_at}"`)
  return [...answers, ...(await takeMessages(history))]
    .map(masked)
    .map((answer) => ends.reduce((text, end) => text.replaceAll(end, '"before":"then"'), answer))
}

/** Every message of the outbox, with its body. */
async function takeMessages(outbox: History): Promise<unknown[]> {
  const taken: unknown[] = [await listChannels(outbox)]
  for (const { name } of await listChannels(outbox)) {
    for (;;) {
      const message = await findFirstWaiting(outbox, name)
      if (message === undefined) break
      taken.push({ ...message, body: JSON.parse(message.body) })
      await outbox.delivered(message.id, message.createdAt)
    }
  }
  return taken
}

function masked(answer: unknown): string {
  // Members in one order, and none that are undefined.
  return canonicalJson(JSON.parse(JSON.stringify(answer ?? null)))
    .replaceAll(requestId, 'the answer')
    .replaceAll(/"(duration_ms|requests|retries|originId)":\d+/g, '"$1":0')
    .replaceAll(/"id":\d+/g, '"id":0')
    .replaceAll(/"chain":"[0-9a-f]+"/g, '"chain":null')
    .replaceAll(/"(finishedAt|finished_at|createdAt|created_at|nextTryAt)":"[^"]+"/g, '"$1":"then"')
}

const requestId = /demo\/simulated-\d{6}/g

/** The first place where two texts differ; undefined where none does. */
export function firstDifference(left = '', right = ''): string | undefined {
  if (left === right) return undefined
  let at = 0
  while (at < left.length && left[at] === right[at]) at++
  return `${left.slice(Math.max(0, at - 60), at + 60)} … ${right.slice(Math.max(0, at - 60), at + 60)}`
}
