import { AuditError } from '../model/errors.ts'
import { isoTime, readPastTime, type WrittenTime } from '../model/time.ts'
import type { CommittedRun } from './sql/runs.ts'

/**
 * Finds a run by number, `latest`, `latest~2` (the second before it), or a time: the last run committed by then. A date
 * means its end. `now` in milliseconds, for relative times such as `yesterday` and `7d`.
 * @throws AuditError.usage when the name is none of these, or there is no such run
 */
export function findRun(runs: readonly CommittedRun[], name: string, now: number): CommittedRun {
  const reference = readReference(name, now)
  if ('end' in reference) return findRunAt(runs, name, reference.end)
  const run =
    'back' in reference ? runs.at(-1 - reference.back) : runs.find(({ number }) => number === reference.number)
  if (run === undefined) throw AuditError.usage(`there is no committed run ${name}; ${extent(runs)}`)
  return run
}

/**
 * The number of the last run before `since`: a run as above, or a time; a date means its start. 0 when all runs follow.
 * @throws AuditError.usage when it is neither a run nor a time, or lies after `now`
 */
export function runBefore(runs: readonly CommittedRun[], since: string, now: number): number {
  const reference = readReference(since, now)
  if (!('start' in reference)) return findRun(runs, since, now).number - 1
  // No run could say anything of it, which would read as none.
  if (reference.start > now) throw AuditError.usage(`${since} is in the future of ${isoTime(now)}`)
  return runs.findLast(({ started_at }) => Date.parse(started_at) < reference.start)?.number ?? 0
}

/**
 * A period in milliseconds, from the start of `from` to the end of `to`, which are named as runs are, and the runs that
 * were committed in it.
 * @throws AuditError.usage when one of them is neither a run nor a time, or the period is empty
 */
export function findPeriod(
  runs: readonly CommittedRun[],
  { from, to }: { readonly from: string; readonly to: string },
  now: number,
): { readonly start: number; readonly end: number; readonly within: readonly [CommittedRun, ...CommittedRun[]] } {
  const [first, last] = [readReference(from, now), readReference(to, now)]
  const start = 'start' in first ? first.start : Date.parse(findRun(runs, from, now).started_at)
  const end = 'end' in last ? last.end : Date.parse(findRun(runs, to, now).finished_at)
  if (start >= end) throw AuditError.usage(`--from ${from} is not before --to ${to}`)
  const [run, ...others] = runs.filter(
    ({ finished_at }) => Date.parse(finished_at) >= start && Date.parse(finished_at) <= end,
  )
  if (run !== undefined) return { start, end, within: [run, ...others] }
  findRunAt(runs, to, end)
  throw AuditError.usage(`no run was committed from ${from} to ${to}`)
}

function findRunAt(runs: readonly CommittedRun[], time: string, instant: number): CommittedRun {
  const run = runs.findLast(({ finished_at }) => Date.parse(finished_at) <= instant)
  if (run === undefined) throw AuditError.usage(`no run was committed by ${time}; ${extent(runs)}`)
  return run
}

type Reference = { readonly number: number } | { readonly back: number } | WrittenTime

function readReference(text: string, now: number): Reference {
  if (/^\d{1,15}$/.test(text)) return { number: Number(text) }
  const [isRelative, back = '0'] = /^latest(?:~(\d{1,9}))?$/.exec(text) ?? []
  if (isRelative !== undefined) return { back: Number(back) }
  const time = readPastTime(text, now)
  if (time !== undefined) return time
  const what = /^\d{4}-/.test(text) ? 'a valid time' : 'a run or a time'
  throw AuditError.usage(`"${text}" is not ${what}`, {
    advice: 'expected a run (12, latest, latest~2) or a time (2026-11-21, 2026-11-21T03:00:00Z, yesterday, 7d)',
  })
}

function extent(runs: readonly CommittedRun[]): string {
  const [first, last] = [runs.at(0), runs.at(-1)]
  if (first === undefined || last === undefined) return 'the history has none yet'
  const gaps =
    last.number - first.number + 1 > runs.length ? ', not all of them: others were interrupted or pruned' : ''
  return `the history has runs ${first.number} (${first.finished_at}) to ${last.number} (${last.finished_at})${gaps}`
}
