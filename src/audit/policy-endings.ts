import type { NamedVersion } from '../history/history.ts'
import { decidedAt, type Ending, notRequired } from '../model/ending.ts'
import type { ProjectRef, Resource } from '../model/resource.ts'
import type { FileLocation } from '../model/schema.ts'
import { formatExpiry, writeDuration } from '../model/time.ts'
import type { Finding } from '../model/violation.ts'
import type { PolicyEvaluator } from '../policy/evaluator.ts'
import type { IgnoredPath } from '../policy/ignored-paths.ts'
import type { RuleSwitch } from '../policy/rule-switch.ts'

/** A violation that the policy no longer asks for. */
export function byPolicy({ ended_by }: Pick<RuleSwitch, 'ended_by'>): Ending {
  return { resolution: 'policy', ended_by }
}

/** A violation in a field whose changes the policy no longer takes for drift. */
export function endingOfIgnored(
  { path, at }: IgnoredPath,
  { locationOf }: Pick<PolicyEvaluator, 'locationOf'>,
): Ending {
  return notRequired(`changes of ${path} are ignored`, locationOf(at))
}

/** A violation of a difference that drift rules with the life `restored` report now. */
export function endingOfReported({ ended_by }: Pick<RuleSwitch, 'ended_by'>): Ending {
  return byPolicy({ ended_by: { ...ended_by, reason: 'other drift rules report what differs' } })
}

/** A violation that only a probe can find, of a function that no probe of the policy tests any longer. */
export const endingOfUnprobed = notRequired('no probe of the policy tests the function any longer')

/** A violation of a project that the configuration does not name, where patterns choose projects and none fits it. */
export const endingOfUnchosen = notRequired('the configuration chooses other projects by patterns')

/** A violation that was reported of a project, of a rule about its service as a whole. */
export const endingOfService = notRequired('the rule is about the service as a whole')

/** A violation of a rule across projects, of which one is not part of the fleet any longer. */
export function endingOfFleet({ name }: Pick<ProjectRef, 'name'>): Ending {
  return notRequired(`${name}, which it was compared with, is no longer scanned`)
}

/** A violation of what the service applies only with a feature that its licence does not have. */
export function endingOfUnlicensed(feature: string): Ending {
  return notRequired(`the service does not apply it: its licence does not have ${feature}`)
}

/** A violation whose value is not back after the time that its rule keeps it open. */
export function endingOfExpiry(openForMs: number, { ended_by }: Pick<RuleSwitch, 'ended_by'>): Ending {
  const reason = `not put back within ${writeDuration(openForMs)}`
  return { resolution: 'expired', ended_by: decidedAt('expiry', { reason, configuredAt: ended_by.configured_at }) }
}

/** A violation about a waiver that has expired since. `until`: milliseconds; `configuredAt`: the waiver's line. */
export function endingOfWaiver(until: number, configuredAt: FileLocation | null): Ending {
  const reason = `the waiver was valid until ${formatExpiry(new Date(until).toISOString())}`
  return { resolution: 'expired', ended_by: decidedAt('expiry', { reason, configuredAt }) }
}

/** A resource as the run leaves it; undefined where it knows none. */
export type AsLeft = (resource: Pick<Resource, 'kind' | 'uid'>) => NamedVersion | undefined

/**
 * What the policy says of the rules of violations, for the resources that these are about as the run leaves them. Only
 * overrides ask for more of a resource than its violation says.
 */
export function switchesOf(
  project: ProjectRef,
  asLeft: AsLeft,
  { overridden, switchOf }: Pick<PolicyEvaluator, 'switchOf' | 'overridden'>,
): (violation: Finding) => RuleSwitch {
  return (violation) => {
    const bare = bareResource(violation)
    const { name = bare.name, attributes = {} } = (overridden.has(violation.rule) ? asLeft(violation) : undefined) ?? {}
    return switchOf(project, { ...bare, name, attributes }, violation.rule)
  }
}

/** What a violation says of the resource that it is about. */
export function bareResource({ kind, uid, name }: Pick<Finding, 'kind' | 'uid' | 'name'>): Resource {
  return { kind, uid, name, attributes: {}, volatile: {}, facts: {} }
}
