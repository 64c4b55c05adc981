import type { ProjectHistory } from '../history/history.ts'
import { compareShapes, type Shape } from '../inventory/shape.ts'
import type { ProjectNotice } from '../model/notice.ts'
import { type Listing, listings } from '../model/resource.ts'
import type { Removals } from './find-removals.ts'
import type { Observations } from './observations.ts'
import type { Statuses } from './project-scan.ts'

export interface ShapeChange {
  /** As sorted paths. */
  readonly shape: readonly string[]
  /** Undefined when it is new. */
  readonly differs: ReturnType<typeof compareShapes>
}

/** Listings that show other fields than when they were last seen completely. */
export function detectShapeChanges(
  { shapes: earlier }: ProjectHistory,
  statuses: Statuses,
  shapes: ReadonlyMap<Listing, Shape>,
): ReadonlyMap<Listing, ShapeChange> {
  const reshaped = new Map<Listing, ShapeChange>()
  for (const listing of listings) {
    const shape = shapes.get(listing)
    if (statuses[listing] !== 'complete' || shape === undefined) continue
    const before = earlier[listing]
    const differs = compareShapes(before === undefined ? undefined : new Set(before), shape)
    if (before === undefined || differs !== undefined) reshaped.set(listing, { shape: [...shape].sort(), differs })
  }
  return reshaped
}

/** What a reader of the report must know to read it rightly, besides coverage, drift and violations. */
export function writeNotices(
  shapes: ReadonlyMap<Listing, ShapeChange>,
  observed: Pick<Observations, 'isRebased' | 'isReformed' | 'settings' | 'malformed' | 'unseen'>,
  unreferenced: Removals['unreferenced'],
): ProjectNotice[] {
  const notices: ProjectNotice[] = []
  const reshaped = [...shapes].flatMap(([listing, { differs }]) =>
    differs === undefined ? [] : [`${listing}: ${shapeText(differs)}`],
  )
  if (reshaped.length > 0) {
    notices.push({
      code: 'fields_changed',
      listing: null,
      text: `the service shows other fields than before, as after an upgrade (${reshaped.join('; ')}); nothing was compared that one side did not show`,
    })
  }
  if (observed.isReformed) {
    notices.push({
      code: 'normal_form_changed',
      listing: null,
      text: 'this version normalises resources differently; changes since the last run cannot be detected',
    })
  }
  if (observed.isRebased) {
    notices.push({
      code: 'seal_key_changed',
      listing: null,
      text: 'the installation key changed: secrets were sealed anew, and a secret replaced meanwhile went unnoticed',
    })
  }
  if (observed.settings?.isStale) {
    notices.push({
      code: 'settings_stale',
      listing: 'project',
      text: 'the service answered with older settings than the last run took, as from a cache: those are kept, for an hour at most',
    })
  }
  notices.push(...observed.malformed.notices(), ...observed.unseen.notices())
  for (const { kind, uid } of unreferenced) {
    notices.push({
      code: 'resource_unreferenced',
      listing: 'subscriptions',
      text: `${kind} ${uid} is no longer referenced by any subscription; whether it still exists cannot be seen where ${kind}s are not listed`,
    })
  }
  return notices
}

function shapeText({ appeared, vanished }: { appeared: readonly string[]; vanished: readonly string[] }): string {
  const parts = [
    ...(appeared.length > 0 ? [`now also ${outermost(appeared).join(', ')}`] : []),
    ...(vanished.length > 0 ? [`no longer ${outermost(vanished).join(', ')}`] : []),
  ]
  return parts.join('; ')
}

/** `config.ssl` says enough when `config.ssl.x` and `config.ssl.y` came with it. */
function outermost(paths: readonly string[]): string[] {
  const all = new Set(paths)
  return paths.filter((path) => {
    for (let dot = path.lastIndexOf('.'); dot >= 0; dot = dot === 0 ? -1 : path.lastIndexOf('.', dot - 1)) {
      if (all.has(path.slice(0, dot))) return false
    }
    return true
  })
}
