import { matchesGlob } from '../model/glob.ts'
import type { PolicyException, PolicyFacts } from '../model/policy-facts.ts'
import type { AcceptedViolation, Waiver } from '../model/violation.ts'
import type { ControlViolation, Exemption } from './compliance.ts'

/** The exemption of a violation that a waiver covers. */
export function exemptByWaiver(violation: ControlViolation, waiver: Waiver, { waivers }: PolicyFacts): Exemption {
  const { rule, fingerprint } = violation
  const { owner, reason, expires, ticket } = waiver
  const written = waivers.find(
    (one) => matchesGlob(rule, one.rule) && one.owner === owner && one.reason === reason && one.expires === expires,
  )
  return {
    kind: 'waiver',
    rule,
    fingerprint,
    by: owner,
    reason,
    at: null,
    until: expires,
    configured_at: written?.configuredAt ?? null,
    match: null,
    resource: resourceOf(violation),
    ...(ticket === undefined ? {} : { ticket }),
  }
}

export function exemptByAcceptance(accepted: AcceptedViolation): Exemption {
  const { rule, fingerprint, by, reason, at } = accepted
  const resource = resourceOf(accepted)
  return {
    kind: 'acceptance',
    rule,
    fingerprint,
    by,
    reason,
    at,
    until: null,
    configured_at: null,
    match: null,
    resource,
  }
}

/** A rule that the policy switches off or overrides, whether it would find anything or not. */
export function exemptByPolicy({ kind, rule, setting, match, configuredAt }: PolicyException): Exemption {
  return {
    kind,
    rule,
    fingerprint: null,
    by: null,
    reason: kind === 'override' ? describeSetting(setting) : null,
    at: null,
    until: null,
    configured_at: configuredAt,
    match,
    resource: null,
  }
}

/** What an override says instead; that a rule is off needs no other words. */
function describeSetting(setting: string): string {
  if (setting === 'off') return 'switched off'
  return setting === 'options' ? 'other options' : `severity ${setting}`
}

function resourceOf({
  project,
  kind,
  uid,
  name,
  severity,
}: Pick<AcceptedViolation, 'project' | 'kind' | 'uid' | 'name' | 'severity'>): Exemption['resource'] {
  return { project, kind, uid, name, severity }
}
