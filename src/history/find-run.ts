import { AuditError } from '../model/errors.ts'
import type { SealedRun } from './reader.ts'

/**
 * The run that a person means: a number, `latest`, or `latest~2` for the second before it.
 * @throws AuditError 2 when it is none of these, or there is no such sealed run
 */
export function findRun(runs: readonly SealedRun[], name: string): number {
  const [, back = '0'] = /^latest(?:~(\d{1,9}))?$/.exec(name) ?? []
  const isRelative = name.startsWith('latest')
  if (isRelative ? !/^latest(~\d{1,9})?$/.test(name) : !/^\d{1,15}$/.test(name)) {
    throw new AuditError(2, `"${name}" names no run, expected a number, latest or latest~N`)
  }
  const run = isRelative ? runs.at(-1 - Number(back)) : runs.find(({ number }) => number === Number(name))
  if (run === undefined) throw new AuditError(2, `there is no sealed run ${name}; ${extent(runs)}`)
  return run.number
}

/**
 * The last run sealed by a time: ISO 8601, in UTC unless it says otherwise; a bare date means its end.
 * @throws AuditError 2 when it is no time, or nothing was sealed by then
 */
export function findRunAt(runs: readonly SealedRun[], time: string): number {
  const isDate = /^\d{4}-\d\d-\d\d$/.test(time)
  const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?$/.test(time)
  const hasZone = /(Z|[+-]\d\d:\d\d)$/.test(time) && isTime
  const instant = isDate ? Date.parse(`${time}T23:59:59.999Z`) : Date.parse(hasZone ? time : `${time}Z`)
  if (!(isDate || isTime) || Number.isNaN(instant)) {
    throw new AuditError(2, `"${time}" is no time, expected 2026-11-21 or 2026-11-21T03:00:00Z`)
  }
  const run = runs.findLast(({ finishedAt }) => Date.parse(finishedAt) <= instant)
  if (run === undefined) throw new AuditError(2, `no run was sealed by ${time}; ${extent(runs)}`)
  return run.number
}

function extent(runs: readonly SealedRun[]): string {
  const [first, last] = [runs.at(0), runs.at(-1)]
  if (first === undefined || last === undefined) return 'the history holds none yet'
  return `the history holds ${first.number} (${first.finishedAt}) to ${last.number} (${last.finishedAt})`
}
