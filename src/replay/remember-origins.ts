import type { PastVersion, VersionsAt } from '../audit/date-values.ts'
import type { VersionPoint } from '../history/stored-body.ts'
import { resourceKey } from '../model/resource.ts'

/** Versions of a project's resources as past runs saw them: what a run saw never changes. */
export type Origins = Map<string, PastVersion | undefined>

/** Reads only versions that the scan before did not ask for. `used`: what this scan asks for. */
export function rememberOrigins(known: Origins, read: VersionsAt) {
  const used: Origins = new Map()
  const keyOf = (point: VersionPoint) => `${point.run} ${resourceKey(point)}`
  const versionsAt: VersionsAt = async (points) => {
    const missing = new Map(
      points.flatMap((point) => (known.has(keyOf(point)) ? [] : [[keyOf(point), point] as const])),
    )
    const versions = missing.size === 0 ? [] : await read([...missing.values()])
    const fresh = new Map([...missing.keys()].map((key, at) => [key, versions[at]]))
    return points.map((point) => {
      const key = keyOf(point)
      const version = known.has(key) ? known.get(key) : fresh.get(key)
      used.set(key, version)
      return version
    })
  }
  return { versionsAt, used }
}
