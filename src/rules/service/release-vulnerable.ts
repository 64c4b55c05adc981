import { describeReleases, isBelow, isFrom, type ReleaseRange } from '../../model/release-range.ts'
import { scanRule } from '../engine/scan-rule.ts'
import { advisories } from '../shared/advisories.ts'

/**
 * One violation for each project: a scan of one project decides it, also where others are not scanned, and who may see
 * a project sees it. It needs the project's settings: they alone show a release as late as that of the last repair.
 */
export const releaseVulnerable = scanRule({
  id: 'service/release-vulnerable',
  title: 'The release of the service has known security faults',
  severity: 'high',
  packs: ['hygiene'],
  needs: ['project'],
  *check({ release }) {
    if (release === undefined) return
    const [worst, ...others] = advisories.filter(({ fixed }) => isBelow(release, fixed))
    if (worst === undefined) return
    const faults = [worst, ...others].map(({ id, fixed, allows }) => `${id} (fixed in ${fixed}): ${allows}`)
    yield { path: '', severity: worst.severity, message: `${describeReleases(release)}; ${faults.join('; ')}` }
  },
})

/** Whether it cannot be said of a service that it has a fault, nor that it has none: its release may be either. */
export function mayBeVulnerable(release: ReleaseRange | undefined): boolean {
  if (release === undefined) return true
  const unknown = advisories.filter(({ fixed }) => !isFrom(release, fixed))
  return unknown.length > 0 && unknown.every(({ fixed }) => !isBelow(release, fixed))
}
