import type { EvaluatedRule } from '../../model/evaluation.ts'
import type { ReportCoverage, ReportViolation } from '../../model/report.ts'
import { cut } from '../../text/neutralise.ts'
import { nameUuid } from './name-uuid.ts'
import { property, shown } from './property.ts'

/** What all observations of a run need. */
export interface OscalContext {
  /** Identifies the run; UUIDs derive from it. */
  readonly seed: string
  readonly collected: string
  readonly rules: ReadonlyMap<string, EvaluatedRule>
}

export function observeViolation(violation: ReportViolation, { seed, collected, rules }: OscalContext) {
  const { fingerprint, rule: id, severity, state, project, kind, uid, path, message, waiver } = violation
  const by = violation.ended_by
  const rule = rules.get(id)
  const remediation = shown(rule?.remediation ?? '')
  return {
    uuid: nameUuid(seed, 'violation', fingerprint),
    title: shown(rule?.title ?? id),
    description: shown(message) || shown(id) || 'no message',
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
    description: shown(`The walk of ${listing} of ${project} is ${status}: ${reason}`),
    props: [...property('project', project), ...property('listing', listing), ...property('coverage', status)],
    methods: ['TEST'],
    types: ['coverage'],
    collected,
  }
}

/** The resources that violations are about. */
export function inventoryOf(violations: readonly ReportViolation[], seed: string) {
  const items = new Map(violations.map((violation) => [resourceUuid(violation, seed), violation]))
  return [...items].map(([uuid, { project, kind, uid, name }]) => ({
    uuid,
    description: shown(`${project} ${kind} ${name === '' ? uid : name}`),
    props: [
      ...property('project', project),
      ...property('kind', kind),
      ...property('uid', uid),
      ...property('name', name),
    ],
  }))
}

function resourceUuid({ project, kind, uid }: ReportViolation, seed: string): string {
  return nameUuid(seed, 'resource', cut(project), kind, cut(uid))
}
