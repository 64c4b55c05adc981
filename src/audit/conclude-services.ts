import { intersectReleases } from '../model/release-range.ts'
import { type ProjectRef, projectListOf } from '../model/resource.ts'
import { mayBeVulnerable, releaseVulnerable } from '../rules/service/release-vulnerable.ts'
import { urlNotHttps } from '../rules/service/url-not-https.ts'
import { reconcileList } from './conclude-lists.ts'
import type { ServiceConclusions } from './fleet-conclusion.ts'
import type { OpenRun } from './open-run.ts'
import { bareResource } from './policy-endings.ts'
import { isWhole, type ProjectOutcome } from './project-outcome.ts'
import { keyOf } from './reconcile.ts'

/**
 * Evaluates what the scanned projects of each service show of it, and drafts it in the project of the service's list. A run
 * that did not scan all projects leaves alone what it cannot decide: another one saw more.
 */
export async function writeServices(
  run: OpenRun,
  outcomes: readonly ProjectOutcome[],
  isWholeFleet: boolean,
): Promise<ServiceConclusions & { readonly written: readonly ProjectRef[] }> {
  const { draft, evaluator } = run
  const active = [releaseVulnerable.id, urlNotHttps.id].filter((id) => evaluator.needs.has(id))
  const written: ProjectRef[] = []
  const usedWaivers: number[] = []
  const unsure = new Set<string>()
  const evaluated = new Map<string, Readonly<Record<string, number>>>()
  for (const [service, ofService] of Map.groupBy(outcomes, ({ project }) => project.service)) {
    const release = intersectReleases(ofService.map((outcome) => outcome.release))
    const origins = new Set(ofService.flatMap((outcome) => outcome.origins))
    const areOriginsKnown = isWholeFleet && !origins.has(null) && ofService.every((one) => isWhole(one, 'source'))
    const undecided = [
      ...(mayBeVulnerable(release) ? [releaseVulnerable.id] : []),
      ...(areOriginsKnown ? [] : [urlNotHttps.id]),
    ]
    const list = projectListOf(service)
    const rules = evaluator.forProject(list)
    const findings = rules.evaluateScan(bareResource({ kind: 'service', uid: service, name: service }), {
      isVanished: false,
      isMissing: false,
      isUnlisted: false,
      unconfirmedRemovals: [],
      release,
      origins: [...origins].filter((origin) => origin !== null),
    })
    usedWaivers.push(...rules.outcome().usedWaivers)
    const silent = undecided.filter((id) => !findings.some(({ rule }) => rule === id))
    for (const id of silent) unsure.add(id)
    for (const [at, { project }] of ofService.entries()) {
      const counts = active.map((id) => [id, at === 0 && !silent.includes(id) ? 1 : 0])
      evaluated.set(project.name, Object.fromEntries(counts))
    }
    const violations = (await draft.unconfirmedViolations(list)).filter(
      ({ kind, rule }) => kind === 'service' && (isWholeFleet || !silent.includes(rule)),
    )
    if (findings.length + violations.length === 0) continue
    await draft.stageScan(list)
    await reconcileList(run, list, findings, {
      kind: 'service',
      violations,
      isComplete: true,
      undecided: violations.filter(({ rule }) => silent.includes(rule)).map(keyOf),
    })
    written.push(list)
  }
  return { written, usedWaivers, unsure: [...unsure], evaluated }
}
