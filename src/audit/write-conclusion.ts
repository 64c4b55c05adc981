import type { Draft } from '../history/history.ts'
import { policyProject } from '../model/resource.ts'
import type { Policy } from '../policy/policy.ts'
import type { RuleNeeds } from '../policy/rule-needs.ts'
import type { Concluded, ConcludedProject, FleetConclusion } from './conclude-fleet.ts'
import { unasked } from './due-listings.ts'
import { byKey, keyed, reconcile } from './reconcile.ts'
import { writeReconciliation } from './write-violations.ts'

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
    const ofProject = byKey(active.get(project.name) ?? [])
    await writeReconciliation(draft, project, reconcile(ofProject, findings.map(keyed), criteria))
    await noteFailures(draft, concluded, needs)
  }
  await writeWaivers(draft, waivers, policy)
  await draft.stageContext(context)
}

/** Readers of the report must know that a rule did not judge, and whether that is our bug or a matter of their policy. */
async function noteFailures(draft: Draft, { project, failures }: ConcludedProject, needs: RuleNeeds): Promise<void> {
  for (const [rule, why] of Object.entries(failures)) {
    const text = needs.get(rule)?.isCustom
      ? `the custom rule ${rule} could not judge everything, so its silence means nothing: ${why}`
      : `the rule ${rule} failed and judged nothing (a bug, please report it): ${why}`
    await draft.stageNotice(project, 'endpoints', text)
  }
}

async function writeWaivers(draft: Draft, { findings, criteria }: Concluded, policy: Policy): Promise<void> {
  const active = await draft.unconfirmed(policyProject)
  // Nothing is written where there never was a waiver.
  if (policy.waivers.length === 0 && active.length === 0) return
  await draft.stageWalk(policyProject, looked, undefined)
  await writeReconciliation(draft, policyProject, reconcile(byKey(active), findings.map(keyed), criteria))
}

/** Every look walks the endpoints; the policy has none, and readers leave this out of coverage. */
const looked = unasked('endpoints', 'complete', null)
