import { matchesGlob } from '../model/glob.ts'
import type { PolicyException, PolicyFacts } from '../model/policy-facts.ts'
import type { ReportViolation } from '../model/report.ts'
import { type AcceptedViolation, isSolved, type Resolution, type Waiver } from '../model/violation.ts'
import type { ControlViolation, Exemption } from './compliance.ts'

/** The exemption of a violation that a waiver covers. `resource`: null where only an earlier run knows it. */
export function exemptByWaiver(
  { rule, fingerprint }: Pick<ControlViolation, 'rule' | 'fingerprint'>,
  waiver: Waiver,
  { policy: { waivers }, resource }: { readonly policy: PolicyFacts; readonly resource: Exemption['resource'] },
): Exemption {
  const { owner, reason, expires, ticket } = waiver
  const [written, another] = waivers.filter(
    (one) =>
      matchesGlob(rule, one.rule) &&
      one.owner === owner &&
      one.reason === reason &&
      one.expires === expires &&
      one.ticket === ticket,
  )
  return {
    kind: 'waiver',
    rule,
    fingerprint,
    ...unknown,
    by: owner,
    reason,
    until: expires,
    // Of several that say the same, for other resources, it is not known which.
    configured_at: another === undefined ? (written?.configured_at ?? null) : null,
    resource,
    ...(ticket === undefined ? {} : { ticket }),
  }
}

/** What is not known of an exemption, or does not apply to it. */
const unknown = { by: null, reason: null, at: null, until: null, configured_at: null, match: null, resource: null }

export function exemptByAcceptance(accepted: AcceptedViolation): Exemption {
  const { rule, fingerprint, by, reason, at } = accepted
  return { kind: 'acceptance', rule, fingerprint, ...unknown, by, reason, at, resource: resourceOf(accepted) }
}

/** The exemption of a violation that a person or the policy ended: what it reports is still there. */
export function exemptByEnding(violation: EndedViolation): Exemption {
  const { rule, fingerprint, resolution, ended_by } = violation
  const resource = resourceOf(violation)
  // Where it is not known who ended it, it is not fixed all the same.
  if (ended_by === null) return { kind: usualKinds[resolution], rule, fingerprint, ...unknown, resource }
  const { kind, by, reason, at, run, configured_at } = ended_by
  const known = { by, reason, at, configured_at, resource }
  return { kind, rule, fingerprint, ...unknown, ...known, ...(run === null ? {} : { run }) }
}

type ExemptResolution = Exclude<Resolution, 'fixed' | 'removed'>

type EndedViolation = Pick<
  ReportViolation,
  'rule' | 'fingerprint' | 'ended_by' | 'project' | 'kind' | 'uid' | 'name' | 'severity' | 'message'
> & { readonly resolution: ExemptResolution }

const usualKinds = { accepted: 'acceptance', policy: 'rule_off', expired: 'expiry' } as const satisfies Record<
  ExemptResolution,
  Exemption['kind']
>

/** Whether a violation ended although what it reports is still there. */
export function isEndedOnly<Violation extends Pick<ReportViolation, 'state' | 'resolution'>>(
  violation: Violation,
): violation is Violation & { readonly resolution: ExemptResolution } {
  const { state, resolution } = violation
  return state === 'resolved' && resolution !== null && !isSolved(resolution)
}

/**
 * A rule that the policy switches off or overrides, whether it would find anything or not. `until`: the start of the last
 * run of which the policy said so; null: the policy still does.
 */
export function exemptByPolicy(
  { kind, rule, setting, match, configured_at }: PolicyException,
  until: string | null,
): Exemption {
  return {
    kind,
    rule,
    fingerprint: null,
    ...unknown,
    reason: kind === 'override' ? describeSetting(setting) : null,
    until,
    configured_at,
    match,
  }
}

/** What an override says instead; that a rule is off needs no other words. */
function describeSetting(setting: string): string {
  if (setting === 'off') return 'switched off'
  return setting === 'options' ? 'other options' : `severity ${setting}`
}

export function resourceOf({
  project,
  kind,
  uid,
  name,
  severity,
  message,
}: NonNullable<Exemption['resource']>): NonNullable<Exemption['resource']> {
  return { project, kind, uid, name, severity, message }
}
