import { matchesProject } from '../config/choose-projects.ts'
import type { HistoryReader } from '../history/reader.ts'
import type { RecordedViolation } from '../history/records.ts'
import type { CommittedRun } from '../history/sql/runs.ts'
import { readLatestScans } from '../history/sql/scans.ts'
import { readViolationsAt } from '../history/sql/violations.ts'
import { AuditError } from '../model/errors.ts'
import { matchesGlob } from '../model/glob.ts'
import type { Json } from '../model/json.ts'
import { cut, neutralise, quote } from '../model/text/neutralise.ts'
import { isAtLeast, isOpen, isUnchecked, overdueRule, type Severity } from '../model/violation.ts'
import { writeYaml } from '../model/yaml/write-yaml.ts'
import { isTooFarAhead, maxDaysAhead, readExpiry } from '../policy/expiry.ts'
import type { AnswerCoverage } from '../report/answer.ts'
import { selectProjects, toCoverageOfAll } from './as-of.ts'
import { refuseUnknownRule } from './violations.ts'

export interface DraftQuery {
  readonly run: CommittedRun
  readonly owner: string
  readonly expires: string
  readonly reason: string | undefined
  readonly projects: readonly string[]
  /** A rule, or several with `*`; undefined: all. */
  readonly rule?: string | undefined
  /** The least severity; undefined: all. */
  readonly severity?: Severity | undefined
}

export interface WaiverDraft {
  /** A mapping with `waivers`, one for each rule, project and kind. */
  readonly yaml: string
  /** Violations that the waivers accept. */
  readonly accepted: number
  /** Open violations about waivers themselves, which none can accept. */
  readonly notWaivable: number
  /** Violations that the last scan could not check: none is waived. */
  readonly unknown: number
  readonly coverage: readonly AnswerCoverage[]
}

/**
 * Waivers for what is open, each uid with the name and the message in a comment.
 * @throws AuditError.usage when there is no such rule or project
 */
export async function draftWaivers(reader: HistoryReader, query: DraftQuery): Promise<WaiverDraft> {
  const { run, projects, rule: pattern = '*', severity: least = 'info' } = query
  const scans = selectProjects(await readLatestScans(reader, run.number), projects)
  if (query.rule !== undefined) await refuseUnknownRule(query.rule, run.number, reader)
  const active = (await readViolationsAt(reader, run.number)).filter(
    (violation) =>
      matchesProject(violation.project, projects) &&
      matchesGlob(violation.rule, pattern) &&
      isAtLeast(violation.severity, least),
  )
  // What is overdue ends with the violations that are waived.
  const notOverdue = active.filter((violation) => isOpen(violation) && violation.rule !== overdueRule)
  const waivable = notOverdue.filter(({ kind }) => kind !== 'policy')
  const groups = Map.groupBy(waivable, ({ rule, project, kind }) => JSON.stringify([rule, project, kind]))
  const waivers = [...groups.values()].map((group) => writeWaiver(group, query))
  return {
    yaml: waivers.length === 0 ? 'waivers: []\n' : `waivers:\n${waivers.join('')}`,
    accepted: waivable.length,
    notWaivable: notOverdue.length - waivable.length,
    unknown: active.filter((violation) => isUnchecked(violation) && violation.rule !== overdueRule).length,
    coverage: toCoverageOfAll(scans),
  }
}

/**
 * Checks the end of the waivers.
 * @throws AuditError.usage when it is not a date, over already, or too far ahead. `now`: milliseconds
 */
export function refuseExpiry(expires: string, now: number): void {
  const until = readExpiry(expires)
  const problem =
    until === undefined
      ? 'expected a date such as 2027-03-31, or a time with its zone such as 2027-03-31T18:00:00+02:00'
      : until <= now
        ? 'it has passed'
        : isTooFarAhead(expires, now)
          ? `it is more than ${maxDaysAhead} days ahead: choose an earlier end, and review the violations then`
          : undefined
  if (problem !== undefined) throw AuditError.usage(`--expires ${expires}: ${problem}`)
}

function writeWaiver(group: readonly RecordedViolation[], { run, owner, expires, reason }: DraftQuery): string {
  const [first] = group
  if (first === undefined) return ''
  const { rule, project, kind } = first
  const why = reason ?? `open in run ${run.number} (${run.started_at.slice(0, 10)}), accepted until it is fixed`
  const byUid = Map.groupBy(group, ({ uid }) => uid)
  const uids = [...byUid].map(([uid, violations]) => `        - ${inline(uid)} # ${describe(violations)}\n`)
  return [
    `  - rule: ${inline(rule)}\n    match:\n      project: ${inline(project)}\n      kind: ${inline(kind)}\n      uid:\n`,
    ...uids,
    `    owner: ${inline(owner)}\n    reason: ${inline(why)}\n    expires: ${inline(expires)}\n`,
  ].join('')
}

/** A scalar of one line. JSON is YAML, and has an escape for each character that a terminal obeys. */
function inline(value: Json & string): string {
  const plain = writeYaml(value).trimEnd()
  return !/[^ -~]/.test(plain) ? plain : asciiJson(value)
}

function asciiJson(text: string): string {
  return JSON.stringify(text).replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** The name and the first message: what a person reviews. */
function describe(violations: readonly RecordedViolation[]): string {
  const [first] = violations
  if (first === undefined) return ''
  const more = violations.length === 1 ? '' : `, and ${violations.length - 1} more`
  const named = first.name === '' ? '' : `${quote(cut(first.name, 60))}: `
  return `${first.severity}, ${named}${neutralise(cut(first.message, 200))}${more}`
}
