import type { EvaluatedRule } from '../model/evaluation.ts'
import { type Gap, gapsOfRules } from '../model/gap.ts'
import type { Report, ReportCoverage, ReportViolation } from '../model/report.ts'
import { cut, neutraliseJson } from '../model/text/neutralise.ts'
import type { Severity, ViolationState } from '../model/violation.ts'
import { describeEnding, describeWaiver } from './describe-ending.ts'
import { rulesOf } from './evaluated-rules.ts'
import { gapsOf } from './gaps.ts'
import { remediationFor } from './remediation-for.ts'
import type { ReportFormat } from './report-format.ts'

/** OCSF compliance findings, for a SIEM: lines for incomplete walks and unevaluated rules, then for violations. */
export const ocsf: ReportFormat = (report) => {
  const context = readOcsfContext(report)
  const findings = [
    ...gapsOf(report.coverage).map((walk) => findingOfWalk(walk, context)),
    ...gapsOfRules(report.gaps).map((gap) => findingOfGap(gap, context)),
    ...report.violations.map((violation) => findingOfViolation(violation, context)),
  ]
  return findings.map((finding) => `${neutraliseJson(JSON.stringify(finding))}\n`).join('')
}

/** The version of OCSF whose class 2003 findings have. */
const version = '1.3.0'

const classUid = 2003

/** What all findings of a report need. */
interface OcsfContext {
  readonly report: Report
  readonly rules: ReadonlyMap<string, EvaluatedRule>
  /** Labels of each project, as `key=value`. */
  readonly labels: ReadonlyMap<string, readonly string[]>
}

function readOcsfContext(report: Report): OcsfContext {
  return {
    report,
    rules: new Map(rulesOf(report).map((rule) => [rule.id, rule])),
    labels: new Map(
      report.projects.map(({ project, labels }) => [
        project,
        Object.entries(labels).map(([key, value]) => `${key}=${cut(value)}`),
      ]),
    ),
  }
}

function findingOfViolation(violation: ReportViolation, context: OcsfContext) {
  const { fingerprint, rule: id, severity, state, project, kind, uid, name, path, message, waiver, due_at } = violation
  const rule = context.rules.get(id)
  const { activity, status, compliance } = violation.ended_by === null ? states[state] : endedOtherwise
  const remediation = remediationFor(rule?.remediation ?? '', [violation])
  const first_seen_time = Date.parse(violation.first_seen)
  const last_seen_time = Date.parse(violation.last_seen)
  return {
    ...event(context, activity, fingerprint, due_at === null ? {} : { due_at }),
    ...severityOf(severity),
    status_id: status[0],
    status: status[1],
    status_detail: state,
    message: cut(message),
    finding_info: {
      uid: fingerprint,
      title: cut(rule?.title ?? id),
      desc: cut(message),
      types: ['violation'],
      analytic: { uid: id, name: id, type_id: 1, type: 'Rule' },
      first_seen_time,
      last_seen_time,
    },
    compliance: {
      ...complianceOf(rule),
      control: id,
      status_id: compliance[0],
      status: compliance[1],
      ...(waiver === undefined ? {} : { status_detail: cut(describeWaiver(waiver)) }),
      ...(violation.ended_by === null ? {} : { status_detail: cut(describeEnding(violation)) }),
    },
    resources: [
      {
        uid: cut(uid),
        name: cut(name),
        type: kind,
        namespace: cut(project),
        labels: context.labels.get(project) ?? [],
        data: { path: cut(path) },
      },
    ],
    ...(remediation === '' ? {} : { remediation: { desc: cut(remediation) } }),
  }
}

function findingOfWalk({ project, listing, status, reason }: ReportCoverage, context: OcsfContext) {
  return findingOfUnseen(context, {
    project,
    uid: `coverage/${cut(project)}/${listing}`,
    title: 'A listing could not be read to its end',
    message: `The walk of ${listing} is ${status}: ${cut(reason ?? '')}`,
    detail: status,
    control: 'coverage',
    data: { listing },
  })
}

function findingOfGap({ id, project, rule, text }: Gap, context: OcsfContext) {
  return findingOfUnseen(context, {
    project,
    uid: `gap/${id}`,
    title: 'A rule could not be evaluated',
    message: cut(text),
    detail: 'not_evaluated',
    control: rule ?? '',
    data: { rule: cut(rule ?? '') },
  })
}

interface Unseen {
  readonly project: string
  readonly uid: string
  readonly title: string
  readonly message: string
  readonly detail: string
  /** A rule, or `coverage`. */
  readonly control: string
  readonly data: object
}

/** Neither a violation nor a pass: the state of what was not seen is unknown, and so is the severity. */
function findingOfUnseen(context: OcsfContext, { project, uid, title, message, detail, control, data }: Unseen) {
  return {
    ...event(context, activities.create, uid),
    severity_id: 0,
    severity: 'Unknown',
    status_id: 1,
    status: 'New',
    status_detail: detail,
    message,
    finding_info: { uid, title, desc: message, types: ['coverage'] },
    compliance: {
      ...complianceOf(context.rules.get(control)),
      control: cut(control),
      status_id: notKnown[0],
      status: notKnown[1],
    },
    resources: [
      {
        uid: cut(project),
        name: cut(project),
        type: 'project',
        namespace: cut(project),
        labels: context.labels.get(project) ?? [],
        data,
      },
    ],
  }
}

type Word = readonly [id: number, caption: string]

const activities = { create: [1, 'Create'], update: [2, 'Update'], close: [3, 'Close'] } as const

const notKnown: Word = [2, 'Warning']

const fail: Word = [3, 'Fail']

/**
 * Compliance "Warning" is OCSF's word for a check without a result because information is missing. OCSF has no status
 * for a continuing violation that is not being worked on, nor for an unknown one.
 */
const states = {
  opened: { activity: activities.create, status: [1, 'New'], compliance: fail },
  continuing: { activity: activities.update, status: [99, 'continuing'], compliance: fail },
  unknown: { activity: activities.update, status: [0, 'Unknown'], compliance: notKnown },
  waived: { activity: activities.update, status: [3, 'Suppressed'], compliance: fail },
  resolved: { activity: activities.close, status: [4, 'Resolved'], compliance: [1, 'Pass'] },
} as const satisfies Record<ViolationState, { activity: Word; status: Word; compliance: Word }>

/** It is not mended: it is suppressed by who or what ended it, and does not pass. */
const endedOtherwise = { activity: activities.close, status: [3, 'Suppressed'], compliance: fail } as const

const severityIds = { info: 1, low: 2, medium: 3, high: 4, critical: 5 } as const satisfies Record<Severity, number>

const captions = ['Unknown', 'Informational', 'Low', 'Medium', 'High', 'Critical'] as const

function severityOf(severity: Severity) {
  const severity_id = severityIds[severity]
  return { severity_id, severity: captions[severity_id] }
}

/** The members of every event. */
function event(
  { report: { run, tool, verdict, digests } }: OcsfContext,
  [activity_id, activity_name]: Word,
  uid: string,
  more: object = {},
) {
  return {
    activity_id,
    activity_name,
    category_uid: 2,
    category_name: 'Findings',
    class_uid: classUid,
    class_name: 'Compliance Finding',
    type_uid: classUid * 100 + activity_id,
    type_name: `Compliance Finding: ${activity_name}`,
    time: Date.parse(run.finished_at),
    metadata: {
      version,
      product: { name: tool.name, vendor_name: tool.name, version: tool.version },
      log_name: tool.name,
      uid: `${run.number}/${uid}`,
      correlation_uid: String(run.number),
    },
    unmapped: { run: run.number, exit_code: verdict.exit_code, policy: digests.policy, chain: digests.chain, ...more },
  }
}

/** Frameworks and requirements that a rule gives evidence for; without any, the policy itself is the standard. */
function complianceOf(rule: EvaluatedRule | undefined) {
  const requirements = rule?.controls ?? []
  const frameworks = new Set(requirements.map((control) => control.replace(/:.*/s, '')))
  return {
    standards: frameworks.size === 0 ? ['hookdrift policy'] : [...frameworks],
    ...(requirements.length === 0 ? {} : { requirements }),
  }
}
