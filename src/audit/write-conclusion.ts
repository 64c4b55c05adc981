import type { Draft } from '../history/history.ts'
import { policyProject } from '../model/resource.ts'
import type { Policy } from '../policy/policy.ts'
import type { RuleNeeds } from '../policy/rule-needs.ts'
import type { Concluded, ConcludedProject, FleetConclusion } from './fleet-conclusion.ts'
import { byKey, keyed, reconcile } from './reconcile.ts'
import { endingsBy, withoutAccepted, writeReconciliation } from './write-violations.ts'

/** Drafts what was found at the end of a run. */
export async function writeConclusion(
  draft: Draft,
  { projects, waivers, context }: FleetConclusion,
  policy: Policy,
): Promise<void> {
  const { needs } = waivers.criteria
  const fleetRules = [...needs].flatMap(([rule, { scope }]) => (scope === 'fleet' ? [rule] : []))
  const active = await draft.unconfirmedBy(
    fleetRules,
    projects.map(({ project }) => project),
  )
  for (const concluded of projects) {
    const { project, findings, criteria } = concluded
    const ofProject = active.get(project.name) ?? []
    const accepted =
      findings.length + ofProject.length === 0 ? new Set<string>() : await draft.acceptedFingerprints(project)
    const found = withoutAccepted(project, findings, accepted).map(keyed)
    const endings = new Map([...criteria.endings, ...endingsBy(accepted, ofProject)])
    await writeReconciliation(draft, project, reconcile(byKey(ofProject), found, { ...criteria, endings }))
    await noteFailures(draft, concluded, needs)
  }
  await writeWaivers(draft, waivers, policy)
  await draft.stageContext(context)
}

/** The report says that a rule did not evaluate, and whether that is our bug or a matter of the policy. */
async function noteFailures(draft: Draft, { project, failures }: ConcludedProject, needs: RuleNeeds): Promise<void> {
  for (const [rule, why] of Object.entries(failures)) {
    const isCustom = needs.get(rule)?.isCustom === true
    const text = isCustom
      ? `the custom rule ${rule} could not evaluate everything, so it may have missed violations: ${why}`
      : `the rule ${rule} failed and evaluated nothing (a bug, please report it): ${why}`
    await draft.stageNotice(project, { code: isCustom ? 'custom_rule_failed' : 'rule_failed', listing: null, text })
  }
}

async function writeWaivers(draft: Draft, { findings, criteria }: Concluded, policy: Policy): Promise<void> {
  const active = await draft.unconfirmedViolations(policyProject)
  // Nothing is written where there never was a waiver.
  if (policy.waivers.length === 0 && active.length === 0) return
  await draft.stageScan(policyProject)
  await writeReconciliation(draft, policyProject, reconcile(byKey(active), findings.map(keyed), criteria))
}
