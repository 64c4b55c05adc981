import { gzipSync } from 'node:zlib'
import type { Invocation, Location, Notification, PhysicalLocation, ReportingDescriptor, Result, Run } from 'sarif'
import { isBuiltInRule } from '../model/built-in-rules.ts'
import { type CoverageStatus, isCoverageComplete } from '../model/coverage.ts'
import type { EvaluatedRule } from '../model/evaluation.ts'
import { gapsOfRules } from '../model/gap.ts'
import { ownManifest } from '../model/package-files.ts'
import type { Report, ReportCoverage, ReportViolation } from '../model/report.ts'
import type { FileLocation } from '../model/schema.ts'
import { count } from '../model/text/count.ts'
import { cut, neutralise, neutraliseJson, quote } from '../model/text/neutralise.ts'
import type { Severity, Waiver } from '../model/violation.ts'
import { describeEnding, describeWaiver } from './describe-ending.ts'
import { describeNotice } from './describe-notice.ts'
import { rulesOf } from './evaluated-rules.ts'
import { describeSeen } from './gaps.ts'
import { locateProjects } from './locate-projects.ts'
import { code, prose } from './markdown-prose.ts'
import type { ReportFormat } from './report-format.ts'

/**
 * SARIF 2.1.0, for code scanning: a result for each violation, a line each. What is waived or ended comes last, so that a
 * limit leaves it out first.
 */
export const sarif: ReportFormat = (report) => {
  const { run, violations, projects } = report
  const rules = rulesOf(report)
  const positionOf = locateProjects(projects)
  const context = { run, positionOf, ruleIndex: new Map(rules.map(({ id }, index) => [id, index])) }
  const isLast = ({ state }: ReportViolation) => state === 'waived' || state === 'resolved'
  const sorted = [...violations.filter((one) => !isLast(one)), ...violations.filter(isLast)]
  const lines = sorted.map((violation) => neutraliseJson(JSON.stringify(describeResult(violation, context))))
  const results = fitResults(lines)
  const omitted = describeOmitted(lines.length, results.length, run.number)
  const { homepage } = ownManifest()

  const head = {
    tool: {
      driver: {
        name: report.tool.name,
        version: report.tool.version,
        semanticVersion: report.tool.version,
        ...(homepage === undefined ? {} : { informationUri: homepage }),
        rules: rules.map(describeRule),
        notifications: Object.entries(notificationKinds).map(([id, [text, help]]) => ({
          id,
          shortDescription: { text },
          fullDescription: { text: `${text}.` },
          help: { text: help },
        })),
      },
    },
    automationDetails: { id: `hookdrift/${run.number}` },
    invocations: [describeInvocation(report, positionOf, omitted)],
    columnKind: 'utf16CodeUnits',
    properties: propertiesOf(report, results.length),
  } as const satisfies Run
  return writeLog(head, results)
}

function propertiesOf({ run, digests, verdict, violations }: Report, results: number) {
  return { run: run.number, digests, verdict, omitted: violations.length - results }
}

const schema = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json'

function writeLog(head: Run, results: readonly string[]): string {
  const members = neutraliseJson(JSON.stringify(head, null, 1)).slice(1, -2)
  return `{
"$schema": "${schema}",
"version": "2.1.0",
"runs": [{${members},
 "results": [${results.map((result) => `\n${result}`).join(',')}]
}]
}
`
}

/** What all results of a run need. */
interface SarifContext {
  readonly run: Report['run']
  /** The index of each rule in the list of rules. */
  readonly ruleIndex: ReadonlyMap<string, number>
  readonly positionOf: ReturnType<typeof locateProjects>
}

const longestName = 1000

function describeResult(violation: ReportViolation, { run, ruleIndex, positionOf }: SarifContext): Result {
  const { rule, severity, state, project, kind, uid, name, path, fingerprint, first_seen, last_seen, due_at } =
    violation
  return {
    ruleId: rule,
    ruleIndex: ruleIndex.get(rule) ?? -1,
    level: levels[severity],
    message: { text: plain(messageOf(violation), 6000) },
    locations: [locationOf(violation, positionOf(project))],
    partialFingerprints: {
      'hookdrift/v1': fingerprint,
      // Code scanning reads only this one; without it, all violations of a project would be one alert on one line.
      primaryLocationLineHash: `${fingerprint}:1`,
    },
    baselineState: baselineStateOf(violation, first_seen === run.started_at),
    // An empty list must be written: where one result has suppressions, all shall have them (3.27.23).
    suppressions: suppressionsOf(violation),
    properties: {
      state,
      severity,
      project: cut(project, longestName),
      kind,
      uid: cut(uid, longestName),
      name: cut(name, longestName),
      path: cut(path, longestName),
      first_seen,
      last_seen,
      ...(violation.resolution === null ? {} : { resolution: violation.resolution }),
      ...(violation.ended_by === null ? {} : { ended_by: plain(describeEnding(violation)) }),
      ...(due_at === null ? {} : { due_at }),
    },
  }
}

function messageOf({ message, project, kind, uid, name, state, last_seen }: ReportViolation): string {
  const who = `${project} ${kind} ${name === '' ? '' : `${quote(cut(name, 200))} `}${cut(uid, 200)}`
  const stale = state === 'unknown' ? `unknown, last seen ${last_seen}: ` : ''
  return `${stale}${cut(message)} (${who})`
}

/** Only what is gone is absent: what a person or the policy ended is still there, and suppressed. */
function suppressionsOf(violation: ReportViolation): Result['suppressions'] {
  if (violation.waiver !== undefined) return [suppressionOf(violation.waiver)]
  if (violation.ended_by === null) return []
  return [{ kind: 'external', status: 'accepted', justification: plain(describeEnding(violation)) }]
}

/** A waived violation is new or unchanged like any other. An unknown one is unchanged, not absent. */
function baselineStateOf({ state, ended_by: by }: ReportViolation, isNew: boolean): Result.baselineState {
  if (state === 'resolved') return by === null ? 'absent' : 'unchanged'
  return state === 'opened' || (state === 'waived' && isNew) ? 'new' : 'unchanged'
}

function suppressionOf(waiver: Waiver) {
  const { owner, expires, ticket } = waiver
  return {
    kind: 'external',
    status: 'accepted',
    justification: plain(describeWaiver(waiver)),
    properties: {
      owner: cut(owner, longestName),
      expires,
      ...(ticket === undefined ? {} : { ticket: cut(ticket, longestName) }),
    },
  } as const
}

/** The resource, with the file that configures its project, because viewers need a file. */
function locationOf(
  { project, kind, uid, name, path }: Pick<ReportViolation, 'project' | 'kind' | 'uid' | 'name' | 'path'>,
  position: FileLocation,
): Location {
  return {
    physicalLocation: physicalLocation(position),
    logicalLocations: [
      {
        name: cut(name === '' ? uid : name, longestName),
        fullyQualifiedName: cut(`${project}/${kind}/${uid}${path}`, 4000),
        kind,
      },
    ],
  }
}

function physicalLocation({ file, line }: FileLocation): PhysicalLocation {
  return { artifactLocation: { uri: uriOf(file) }, region: { startLine: line } }
}

/** A path as a relative URI. */
function uriOf(file: string): string {
  return file.toWellFormed().split(/[\\/]/).map(encodeURIComponent).join('/')
}

/** The limits of code scanning for a run: results, and compressed bytes. */
const mostResults = 25_000

const mostPackedBytes = 10_000_000

/** The part of these bytes for rules and notifications. */
const reservedBytes = 1_000_000

/** The first lines, as many as fit. The lines are results as JSON. */
function fitResults(lines: readonly string[]): readonly string[] {
  let fitting = lines.slice(0, mostResults)
  for (;;) {
    const packed = packedSize(fitting)
    const room = mostPackedBytes - reservedBytes
    if (packed <= room) return fitting
    fitting = fitting.slice(0, Math.floor(fitting.length * Math.min(0.95, (room / packed) * 0.97)))
  }
}

/** Small text needs no compression to know that it fits; a quick compression is never smaller than a good one. */
function packedSize(lines: readonly string[]): number {
  const text = lines.join(',\n')
  const bytes = Buffer.byteLength(text)
  return bytes <= mostPackedBytes - reservedBytes ? bytes : gzipSync(text, { level: 1 }).length
}

function describeOmitted(all: number, included: number, run: number): string | undefined {
  if (included === all) return undefined
  const omitted = `${count(all - included, 'result')} of ${all} omitted, what is not open and the least severe`
  return `${omitted}: readers accept ${mostResults} and ${mostPackedBytes / 1_000_000} MB compressed; hookdrift report --run ${run} --format json shows all`
}

/** Code scanning shows no more tags. */
const mostTags = 10

/** The rule as a viewer shows it: what is wrong, how to fix it, and where to read more. */
function describeRule({ id, kind, title, remediation, severity, controls }: EvaluatedRule): ReportingDescriptor {
  const command = isBuiltInRule(id) ? [`hookdrift rules ${id}`] : []
  const fix = remediation === '' ? [] : [remediation]
  return {
    id,
    shortDescription: { text: plain(title) },
    fullDescription: { text: [title, ...fix].map((text) => plain(endSentence(text))).join(' ') },
    help: {
      text: [`${title}`, ...fix.map((text) => `How to fix: ${text}`), ...command.map((text) => `More: ${text}`)]
        .map((text) => plain(text))
        .join('\n\n'),
      markdown: [
        `**${prose(title)}**`,
        ...fix.map((text) => `How to fix: ${prose(text)}`),
        ...command.map((text) => `More: ${code(text)}`),
      ].join('\n\n'),
    },
    helpUri: addressOf(id),
    defaultConfiguration: { level: levels[severity] },
    properties: {
      tags: [...new Set(['security', ...controls])].slice(0, mostTags),
      kind,
      severity,
      precision: 'very-high',
      'security-severity': scores[severity],
    },
  }
}

/** A stable name of the rule. The project has no public web page, so it is a URN. */
function addressOf(rule: string): string {
  return `urn:hookdrift:rule:${encodeURIComponent(rule.toWellFormed()).replaceAll('%2F', '/')}`
}

function endSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}

const levels = {
  critical: 'error',
  high: 'error',
  medium: 'warning',
  low: 'note',
  info: 'note',
} as const satisfies Record<Severity, string>

/** CVSS scores in the middle of its ranges, which code scanning reads as critical, high, medium, low; 0.0 is none. */
const scores = {
  critical: '9.5',
  high: '8.0',
  medium: '5.5',
  low: '2.0',
  info: '0.0',
} as const satisfies Record<Severity, string>

/** The notifications that a run can have, and what to do about them. */
const notificationKinds = {
  'walk-incomplete': ['A listing could not be read to its end', 'Mend what the message names, and audit again.'],
  'walk-skipped': ['A listing is not offered by the service', 'Read in the message why it has none.'],
  'walk-narrowed': [
    'A listing was read through a filter',
    'Remove the filter from the configuration to read all of it.',
  ],
  'rule-not-evaluated': [
    'A rule could not be evaluated in a project, or missed resources of it',
    'Mend what the message names, and audit again: what was missed is unknown.',
  ],
  notice: ['Information that is not a fault', 'Read it.'],
  'results-cut': ['Results were omitted', 'Read the report in JSON, which has all.'],
} as const satisfies Record<string, readonly [title: string, help: string]>

type NotificationKind = keyof typeof notificationKinds

/** The outcome of the run: its exit code, gaps, rules without a result and the number of omitted results. */
function describeInvocation(
  report: Report,
  positionOf: SarifContext['positionOf'],
  omitted: string | undefined,
): Invocation {
  const { run, verdict, coverage, gaps, notices } = report
  const notify = (id: NotificationKind, level: Notification.level, text: string, project?: string): Notification => ({
    descriptor: { id },
    level,
    message: { text: plain(text) },
    ...(project === undefined ? {} : { locations: [projectLocation(project, positionOf(project))] }),
  })
  return {
    executionSuccessful: isCoverageComplete(coverage),
    exitCode: verdict.exit_code,
    exitCodeDescription: plain(verdict.text),
    startTimeUtc: run.started_at,
    endTimeUtc: run.finished_at,
    toolExecutionNotifications: [
      ...(omitted === undefined ? [] : [notify('results-cut', 'warning', omitted)]),
      ...coverage.flatMap((walk) =>
        describeWalk(walk).map(([id, level, text]) => notify(id, level, text, walk.project)),
      ),
      ...gapsOfRules(gaps).map(({ project, text }) =>
        notify('rule-not-evaluated', 'warning', `${project}: ${text}`, project),
      ),
      ...notices.map((notice) => notify('notice', 'note', describeNotice(notice), notice.project ?? undefined)),
    ],
  }
}

const levelOf = {
  failed: 'error',
  partial: 'error',
  suspect: 'warning',
} as const satisfies Record<Exclude<CoverageStatus, 'complete' | 'skipped'>, Notification.level>

function describeWalk(walk: ReportCoverage): [NotificationKind, Notification.level, string][] {
  const { project, listing, status, reason, filter, items, pages } = walk
  const notifications: [NotificationKind, Notification.level, string][] = []
  if (status === 'skipped') notifications.push(['walk-skipped', 'note', `${project} ${listing}: skipped: ${reason}`])
  else if (status !== 'complete') {
    const seen = pages === 0 && items === 0 ? 'nothing seen' : `${describeSeen(walk)} seen`
    notifications.push(['walk-incomplete', levelOf[status], `${project} ${listing}: ${status}, ${seen}: ${reason}`])
  }
  if (filter !== null) notifications.push(['walk-narrowed', 'note', `${project} ${listing}: only those with ${filter}`])
  return notifications
}

function projectLocation(project: string, position: FileLocation) {
  return {
    physicalLocation: physicalLocation(position),
    logicalLocations: [{ fullyQualifiedName: project, kind: 'project' }],
  }
}

/**
 * Foreign text as a plain SARIF message (3.11.2): `[words](address)` would be a link and `{0}` a placeholder, so
 * brackets and such braces are escaped as the standard requires.
 */
function plain(text: string, longest?: number): string {
  return neutralise(cut(text, longest))
    .replace(/(?<!\\)(\\*)([[\]])/g, '$1$1\\$2')
    .replace(/\{(\d+)\}/g, '{{$1}}')
}
