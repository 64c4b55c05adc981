import type { Kind, ProjectRef, Resource } from '../model/resource.ts'
import type { Finding } from '../model/violation.ts'
import type { Labels } from './selector.ts'
import { type PolicyWaiver, waiverAmong } from './waiver.ts'

/** Puts waivers on findings during one run, and keeps which of them were needed. */
export interface Waiving {
  /** The finding with the waiver that accepts it, if any does. */
  waive(finding: Finding, project: ProjectRef, resource: Resource): Finding
  /** Keeps what the waivers of a resource are, for findings that come when it is gone from memory. */
  remember(project: ProjectRef, resource: Resource): void
  /** As `waive`, for a resource that was remembered. */
  waiveRemembered(finding: Finding, project: ProjectRef): Finding
  /** Whether a finding of this run needed it. */
  isUsed(waiver: PolicyWaiver): boolean
}

/** `concluding`: rules whose findings come after their resources have passed. `now`: start of the run. */
export function startWaiving(waivers: readonly PolicyWaiver[], { labelsOf, concluding, now }: WaivingOptions): Waiving {
  const used = new Set<PolicyWaiver>()
  const remembered = new Map<string, readonly PolicyWaiver[]>()
  const forLater = waivers.filter(({ covers }) => concluding.some(covers))

  const put = (finding: Finding, accepting: readonly PolicyWaiver[]): Finding => {
    if (accepting.length === 0) return finding
    for (const waiver of accepting) used.add(waiver)
    const waiver = waiverAmong(accepting, now)
    return waiver === undefined ? finding : { ...finding, waiver: waiver.terms }
  }
  const acceptingOf = (among: readonly PolicyWaiver[], project: ProjectRef, resource: Resource) => {
    const labels = labelsOf(project)
    return among.filter(({ accepts }) => accepts(project, labels, resource))
  }

  return {
    waive(finding, project, resource) {
      const covering = waivers.filter(({ covers }) => covers(finding.rule))
      return covering.length === 0 ? finding : put(finding, acceptingOf(covering, project, resource))
    },
    remember(project, resource) {
      if (forLater.length === 0) return
      const accepting = acceptingOf(forLater, project, resource)
      if (accepting.length > 0) remembered.set(keyOf(project, resource), accepting)
    },
    waiveRemembered(finding, project) {
      const accepting = remembered.get(keyOf(project, finding)) ?? []
      return put(
        finding,
        accepting.filter(({ covers }) => covers(finding.rule)),
      )
    },
    isUsed: (waiver) => used.has(waiver),
  }
}

interface WaivingOptions {
  readonly labelsOf: (project: ProjectRef) => Labels
  readonly concluding: readonly string[]
  readonly now: number
}

function keyOf({ name }: ProjectRef, { kind, uid }: { readonly kind: Kind; readonly uid: string }): string {
  return `${name} ${kind} ${uid}`
}
