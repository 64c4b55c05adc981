import { hash } from 'node:crypto'
import { describeUnevaluated } from '../compliance/describe-doubts.ts'
import type { EvaluatedRule } from '../model/evaluation.ts'
import type { Report, ReportCoverage, ReportProject, ReportViolation } from '../model/report.ts'
import { cut, neutralise } from '../text/neutralise.ts'
import { remediationFor } from './remediation-for.ts'

interface AssessmentFacts extends Pick<Report, 'run' | 'tool' | 'digests'> {
  /** Identifies the run; the UUIDs of the document derive from it. */
  readonly seed: string
  readonly title: string
  readonly inventory: ReturnType<typeof inventoryOf>
  readonly observations: readonly object[]
  /** Members of the result before the observations; `tail` has those after them. */
  readonly head: { readonly title: string; readonly [member: string]: unknown }
  readonly selection: object
  readonly tail?: object
}

/** An OSCAL document of assessment results with one result; empty lists are omitted. */
export function assessmentResults({ seed, title, run, tool, digests, ...result }: AssessmentFacts) {
  const { head, selection, tail, inventory, observations } = result
  return {
    'assessment-results': {
      uuid: nameUuid(seed, 'assessment-results'),
      metadata: {
        title,
        'last-modified': run.finished_at,
        version: String(run.number),
        'oscal-version': '1.1.2',
        props: property('tool', `${tool.name} ${tool.version}`),
      },
      'import-ap': { href: `urn:hookdrift:policy:${encodeURIComponent(digests.policy)}` },
      results: [
        {
          uuid: nameUuid(seed, 'result'),
          ...head,
          ...(inventory.length === 0 ? {} : { 'local-definitions': { 'inventory-items': inventory } }),
          'reviewed-controls': { 'control-selections': [selection] },
          ...(observations.length === 0 ? {} : { observations }),
          ...tail,
        },
      ],
    },
  }
}

export function observeViolation(violation: ReportViolation, { seed, collected, rules }: OscalContext) {
  const { fingerprint, rule: id, severity, state, project, kind, uid, path, message, waiver } = violation
  const by = violation.ended_by
  const rule = rules.get(id)
  const remediation = oscalText(remediationFor(rule?.remediation ?? '', [violation]))
  return {
    uuid: nameUuid(seed, 'violation', fingerprint),
    title: oscalText(rule?.title ?? id),
    description: oscalText(message) || oscalText(id) || 'no message',
    props: [
      ...property('fingerprint', fingerprint),
      ...property('rule', id),
      ...property('severity', severity),
      ...property('state', state),
      ...property('resolution', violation.resolution ?? undefined),
      ...property('ended-by', by?.kind),
      ...property('ended-by-person', by?.by ?? undefined),
      ...property('ended-by-reason', by?.reason ?? undefined),
      ...property('ended-by-time', by?.at ?? undefined),
      ...property('ended-by-run', by?.run === null || by?.run === undefined ? undefined : String(by.run)),
      ...property('ended-by-line', by?.configured_at ? `${by.configured_at.file}:${by.configured_at.line}` : undefined),
      ...property('project', project),
      ...property('kind', kind),
      ...property('uid', uid),
      ...property('path', path),
      ...property('first-seen', violation.first_seen),
      ...property('last-seen', violation.last_seen),
      ...property('due_at', violation.due_at ?? undefined),
      ...property('waiver-owner', waiver?.owner),
      ...property('waiver-reason', waiver?.reason),
      ...property('waiver-expires', waiver?.expires),
      ...property('waiver-ticket', waiver?.ticket),
      ...(rule?.controls ?? []).flatMap((control) => property('control', control)),
    ],
    methods: ['TEST'],
    types: ['finding'],
    subjects: [{ 'subject-uuid': resourceUuid(violation, seed), type: 'inventory-item' }],
    collected,
    ...(remediation === '' ? {} : { remarks: `How to fix: ${remediation}` }),
  }
}

/** Reports an incomplete walk: without it, a missing finding would pass for a clean result. */
export function observeGap(
  walk: Pick<ReportCoverage, 'project' | 'listing' | 'status' | 'reason'>,
  { seed, collected }: OscalContext,
) {
  const { project, listing, status, reason } = walk
  return {
    uuid: nameUuid(seed, 'coverage', project, listing),
    title: 'A listing could not be read to its end',
    description: oscalText(`The walk of ${listing} of ${project} is ${status}: ${reason}`),
    props: [...property('project', project), ...property('listing', listing), ...property('coverage', status)],
    methods: ['TEST'],
    types: ['coverage'],
    collected,
  }
}

/** Reports the rules that did not evaluate all of a project: their silence would pass for a clean result. */
export function observeUnevaluated(project: ReportProject, { seed, collected }: OscalContext) {
  return describeUnevaluated(project).map(({ rule, sentence }) => ({
    uuid: nameUuid(seed, 'not-evaluated', project.project, rule),
    title: 'A rule could not be evaluated',
    description: oscalText(`${project.project}: ${sentence}`),
    props: [...property('project', project.project), ...property('rule', rule)],
    methods: ['TEST'],
    types: ['coverage'],
    collected,
  }))
}

/** The resources that observations are about. */
export function inventoryOf(subjects: readonly Subject[], seed: string) {
  const items = new Map(subjects.map((subject) => [resourceUuid(subject, seed), subject]))
  return [...items].map(([uuid, { project, kind, uid, name }]) => ({
    uuid,
    description: oscalText(`${project} ${kind} ${name === '' ? uid : name}`),
    props: [
      ...property('project', project),
      ...property('kind', kind),
      ...property('uid', uid),
      ...property('name', name),
    ],
  }))
}

/** A control as an OSCAL identifier: `soc2_CC6.1`. */
export function controlToken(control: string): string {
  return control.replace(/[^\p{L}\p{N}._-]/gu, '_').replace(/^(?![\p{L}_])/u, '_')
}

/** The UUID (version 5, RFC 9562) of a name: the same each time that the report is written. */
export function nameUuid(...name: readonly (string | number | null)[]): string {
  const bytes = Buffer.concat([namespace, Buffer.from(JSON.stringify(name))])
  const digest = hash('sha1', bytes, 'buffer').subarray(0, 16)
  digest[6] = ((digest[6] ?? 0) & 0x0f) | 0x50
  digest[8] = ((digest[8] ?? 0) & 0x3f) | 0x80
  const hex = digest.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** OSCAL values must be trimmed and not empty; a property without a value is omitted. */
export function property(name: string, value: string | undefined) {
  const text = oscalText(value ?? '')
  return text === '' ? [] : [{ name, ns: propertyNamespace, value: text }]
}

/** Foreign text on one line. */
export function oscalText(text: string): string {
  return neutralise(cut(text)).trim()
}

/** What all observations of a run need. */
export interface OscalContext {
  /** Identifies the run; UUIDs derive from it. */
  readonly seed: string
  readonly collected: string
  readonly rules: ReadonlyMap<string, EvaluatedRule>
}

/** The resource that an observation is about. */
type Subject = Pick<ReportViolation, 'project' | 'kind' | 'uid' | 'name'>

export function resourceUuid({ project, kind, uid }: Omit<Subject, 'name'>, seed: string): string {
  return nameUuid(seed, 'resource', cut(project), kind, cut(uid))
}

/** The namespace of all names in hookdrift's reports. */
const namespace = Buffer.from('c8a0d1f45d0b5c7e9a533b1f6f6f0c27', 'hex')

/** The namespace of our property names. */
const propertyNamespace = 'urn:hookdrift:oscal'
