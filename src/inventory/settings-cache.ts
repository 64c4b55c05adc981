import { isBelow, isFrom, type Release, type ReleaseRange } from '../model/release-range.ts'

/**
 * Releases that answer with the settings of a project from a cache which an update of the project does not clear. From
 * Convoy's source, `retrieveProject` at each tag; tried with v26.3.6, where a personal key gets the settings as they are.
 */
const caches = [
  { first: 'v26.1.4', until: 'v26.3.7', minutes: 60, keys: 'project' },
  { first: 'v26.3.7', until: 'v26.6.1', minutes: 5, keys: 'all' },
] as const satisfies readonly { first: Release; until: Release; minutes: number; keys: 'project' | 'all' }[]

/** The first release that clears its cache. */
export const clearedFrom: Release = 'v26.6.1'

/** How old settings may be, in minutes: with a project's key, and with a personal key; 0: as they are. */
export interface SettingsAge {
  readonly projectKey: number
  readonly personalKey: number
}

/** How old the settings may be that a service of these releases answers with. Where nothing shows its release: 0. */
export function settingsAge(release: ReleaseRange | undefined): SettingsAge {
  if (release === undefined || (release.from === null && release.below === null))
    return { projectKey: 0, personalKey: 0 }
  const possible = caches.filter(({ first, until }) => !isFrom(release, until) && !isBelow(release, first))
  const longest = (of: readonly { readonly minutes: number }[]) => Math.max(0, ...of.map(({ minutes }) => minutes))
  return { projectKey: longest(possible), personalKey: longest(possible.filter(({ keys }) => keys === 'all')) }
}

/** The longest that any release keeps settings, in milliseconds. */
export const longestCacheMs = Math.max(...caches.map(({ minutes }) => minutes)) * 60_000
