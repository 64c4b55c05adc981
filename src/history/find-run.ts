import { AuditError } from '../model/errors.ts'
import type { CommittedRun } from './reader.ts'

/**
 * The run that a person means: a number, `latest`, `latest~2` for the second before it, or a time, for the last run
 * sealed by then.
 * @throws AuditError.usage when it is none of these, or there is no such sealed run
 */
export function findRun(runs: readonly CommittedRun[], name: string): CommittedRun {
  if (/^\d{4}-/.test(name)) return findRunAt(runs, name)
  const [isRelative, back = '0'] = /^latest(?:~(\d{1,9}))?$/.exec(name) ?? []
  if (isRelative === undefined && !/^\d{1,15}$/.test(name)) {
    throw AuditError.usage(`"${name}" names no run, expected a number, latest, latest~N or a date such as 2026-11-21`)
  }
  const run = isRelative === undefined ? runs.find(({ number }) => number === Number(name)) : runs.at(-1 - Number(back))
  if (run === undefined) throw AuditError.usage(`there is no sealed run ${name}; ${extent(runs)}`)
  return run
}

/**
 * The last run sealed by a time: ISO 8601, in UTC unless it says otherwise; a bare date means its end.
 * @throws AuditError.usage when it is no time, or nothing was sealed by then
 */
export function findRunAt(runs: readonly CommittedRun[], time: string): CommittedRun {
  const instant = instantOf(time, 'end')
  const run = runs.findLast(({ finishedAt }) => Date.parse(finishedAt) <= instant)
  if (run === undefined) throw AuditError.usage(`no run was sealed by ${time}; ${extent(runs)}`)
  return run
}

/**
 * The last run before those that a person means by "since": a run as above, or a time, of which a bare date means its
 * beginning. 0 when they mean all runs.
 * @throws AuditError.usage when it is no run and no time
 */
export function runBefore(runs: readonly CommittedRun[], since: string): number {
  if (!/^\d{4}-/.test(since)) return findRun(runs, since).number - 1
  const instant = instantOf(since, 'start')
  return runs.findLast(({ startedAt }) => Date.parse(startedAt) < instant)?.number ?? 0
}

function instantOf(time: string, ofDay: 'start' | 'end'): number {
  const isDate = /^\d{4}-\d\d-\d\d$/.test(time)
  const [isTime, zone] = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)?$/.exec(time) ?? []
  const day = ofDay === 'end' ? `${time}T23:59:59.999Z` : `${time}T00:00:00Z`
  const instant = isDate ? Date.parse(day) : Date.parse(zone === undefined ? `${time}Z` : time)
  if (!(isDate || isTime !== undefined) || Number.isNaN(instant) || isImpossible(time)) {
    throw AuditError.usage(`"${time}" is no time, expected 2026-11-21 or 2026-11-21T03:00:00Z`)
  }
  return instant
}

/** `Date.parse` takes the 31st of June for the 1st of July. */
function isImpossible(time: string): boolean {
  const day = time.slice(0, 10)
  return new Date(`${day}T00:00:00Z`).toISOString().slice(0, 10) !== day
}

function extent(runs: readonly CommittedRun[]): string {
  const [first, last] = [runs.at(0), runs.at(-1)]
  if (first === undefined || last === undefined) return 'the history holds none yet'
  const gaps =
    last.number - first.number + 1 > runs.length ? ', not all of them: others were interrupted or pruned' : ''
  return `the history holds ${first.number} (${first.finishedAt}) to ${last.number} (${last.finishedAt})${gaps}`
}
