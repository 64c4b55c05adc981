import { describeReleases, isBelow, isFrom, type Release, type ReleaseRange } from '../../model/release-range.ts'
import type { Severity } from '../../model/violation.ts'
import { scanRule } from '../engine/define-rule.ts'

/** It needs settings of projects: they alone show a release as late as that of the last repair. */
export const releaseVulnerable = scanRule({
  id: 'service/release-vulnerable',
  title: 'Service release has known vulnerabilities',
  severity: 'high',
  packs: ['hygiene'],
  acceptedWith: 'nothing',
  kind: 'service',
  needs: ['project'],
  *check({ release }) {
    if (release === undefined) return
    const faults = advisories.filter(({ fixed }) => isBelow(release, fixed))
    const [worst] = faults
    if (worst === undefined) return
    const worded = faults.map(({ id, fixed, allows }, at) => `${id} (fixed in ${fixed})${at < 5 ? `: ${allows}` : ''}`)
    yield { path: '', severity: worst.severity, message: `release ${describeReleases(release)}; ${worded.join('; ')}` }
  },
})

/** Whether it cannot be said of a service that it has a fault, nor that it has none: its release may be either. */
export function mayBeVulnerable(release: ReleaseRange | undefined): boolean {
  if (release === undefined) return true
  const unknown = advisories.filter(({ fixed }) => !isFrom(release, fixed))
  return unknown.length > 0 && unknown.every(({ fixed }) => !isBelow(release, fixed))
}

/** A security fault of the service that a release repaired. */
interface Advisory {
  /** Of the published advisory; where the service published none, the commit that repaired it. */
  readonly id: string
  /** The first release without the fault. */
  readonly fixed: Release
  /** What the fault allows, as a sentence without a full stop. */
  readonly allows: string
  readonly severity: Severity
}

/**
 * Of Convoy: its published advisories, and repaired faults without one that no other rule reports. From its source and
 * release notes, v26.3.6 to v26.7.3; each commit is in every release from the named one on. What a rule sees in a
 * resource itself is left to that rule: metadata addresses (`endpoint/url-metadata-address`), unknown verifiers,
 * addresses for chats. Worst first.
 */
const advisories: readonly Advisory[] = [
  {
    id: 'GHSA-p5vg-v7mj-f6q4',
    fixed: 'v26.6.8',
    allows: "a key of one project can read another project's source, broker credentials included",
    // It takes a key of the instance, and gives away secrets of others.
    severity: 'high',
  },
  {
    id: 'commit ee146ae08',
    fixed: 'v26.6.0',
    allows: "a portal link can change and delete other owners' endpoints and expire their secrets",
    // It takes a portal link, which needs a licence.
    severity: 'high',
  },
  {
    id: 'commit dbf1db26e',
    fixed: 'v26.6.8',
    allows:
      "a revoked portal link still works, reads storage credentials, and can move a subscription to another owner's endpoint; a key can list the projects of any organisation",
    severity: 'high',
  },
  {
    id: 'commit 7bee3006c',
    fixed: 'v26.6.7',
    allows: "answers to portal links contain signing secrets, and a portal link can get another one's key",
    severity: 'high',
  },
  {
    id: 'commit a11814921',
    fixed: 'v26.3.7',
    allows: 'the portal accepts an owner id as a token',
    // Owner ids are names and no secrets. It takes a portal link of the owner, which needs a licence.
    severity: 'high',
  },
  {
    id: 'commit c2242f2b8',
    fixed: 'v26.6.6',
    allows: 'a delivery goes out without authentication when no token can be had',
    // It takes an outage of the token server.
    severity: 'medium',
  },
  {
    id: 'GHSA-hpqj-2j2x-p5p2',
    fixed: 'v26.6.8',
    allows: 'a dashboard session stays valid after logout',
    // It takes a token that was stolen before.
    severity: 'medium',
  },
  {
    id: 'commit bc0b5ec8d',
    fixed: 'v26.6.2',
    allows: 'configuration answers contain licence secrets',
    // It takes an account, and gives nothing of the projects away.
    severity: 'medium',
  },
  {
    id: 'commit 01f046ac5',
    fixed: 'v26.6.0',
    allows: 'any key can read the members and invitations of any organisation',
    // It shows names, and changes nothing.
    severity: 'medium',
  },
]
