import { basename } from 'node:path'
import { compareShapes, type Shape } from '../gateway/inventory/shape.ts'
import { clearedFrom, type SettingsAge, settingsAge } from '../gateway/release-signs.ts'
import type { ScanDraft } from '../history/history.ts'
import type { ProjectHistory } from '../history/staged.ts'
import type { ProjectNotice } from '../model/notice.ts'
import { describeReleases, intersectReleases } from '../model/release-range.ts'
import { type Kind, type Listing, listings, projectKey } from '../model/resource.ts'
import { count } from '../model/text/count.ts'
import type { IgnoredPath } from '../policy/ignored-paths.ts'
import type { AuditedProject } from './audited-project.ts'
import type { TakenSettings } from './newer-settings.ts'
import type { Observations } from './observations.ts'
import type { ProjectOutcome } from './project-outcome.ts'
import type { Statuses } from './project-scan.ts'

interface ShapeChange {
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
  observed: Pick<Observations, 'isRebased' | 'isReformed' | 'malformed' | 'unseen'>,
  settings: TakenSettings | undefined,
  unreferenced: readonly { readonly kind: Kind; readonly uid: string }[],
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
  if (settings?.isStale) {
    notices.push({
      code: 'settings_stale',
      listing: 'project',
      text: 'the service answered with older settings than in the last run, as if from a cache: the newer ones are kept, for an hour at most',
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

/** Says how many changes the policy leaves out of drift, and where it says so: what is ignored is never hidden. */
export async function noteIgnored(
  draft: ScanDraft,
  ignored: readonly IgnoredPath[],
  outcomes: readonly Pick<ProjectOutcome, 'ignored'>[],
): Promise<void> {
  const parts = ignored.flatMap(({ path, at }) => {
    const changes = outcomes.reduce((sum, outcome) => sum + (outcome.ignored[path] ?? 0), 0)
    return changes === 0 ? [] : [{ changes, by: `${shortPosition(at)} (${path})` }]
  })
  const [first, ...rest] = parts
  if (first === undefined) return
  const text = [
    `${count(first.changes, 'change')} ignored by ${first.by}`,
    ...rest.map(({ changes, by }) => `${changes} by ${by}`),
  ].join(', ')
  await draft.stageNotice(undefined, { code: 'changes_ignored', listing: null, text })
}

/** Says of each service which rules do not apply, because its licence does not have what they are about. */
export async function noteUnlicensed(
  draft: Pick<ScanDraft, 'stageNotice'>,
  outcomes: readonly Pick<ProjectOutcome, 'project' | 'evaluation'>[],
): Promise<void> {
  for (const [service, ofService] of Map.groupBy(outcomes, ({ project }) => project.service)) {
    const rules = Object.entries(Object.assign({}, ...ofService.map(({ evaluation }) => evaluation.notLicensed)))
    if (rules.length === 0) continue
    const missing = Map.groupBy(rules, ([, feature]) => feature)
    const parts = [...missing].map(([feature, of]) => `without ${feature}, ${of.map(([rule]) => rule).join(', ')}`)
    const text = `the licence of ${service} does not have what some rules are about, so these do not apply: ${parts.join('; ')}`
    await draft.stageNotice(undefined, { code: 'not_licensed', listing: null, text })
  }
}

/**
 * Says of projects with a key of their own how old the settings may be that a service with a cache answers with. A key
 * that reads two projects is a personal one. Of the one key of a single project nothing shows which kind it is: `doctor`
 * asks the service.
 */
export async function noteCachedSettings(
  draft: Pick<ScanDraft, 'stageNotice'>,
  projects: readonly Pick<AuditedProject, 'ref' | 'key'>[],
  outcomes: readonly Pick<ProjectOutcome, 'project' | 'statuses' | 'release'>[],
): Promise<void> {
  const keys = new Map(projects.map(({ ref, key }) => [projectKey(ref), key]))
  for (const ofService of Map.groupBy(outcomes, ({ project }) => project.service).values()) {
    const release = intersectReleases(ofService.map((outcome) => outcome.release))
    const text = release && describeAge(settingsAge(release))
    if (release === undefined || text === undefined) continue
    const read = ofService.filter(({ statuses }) => statuses.project === 'complete')
    const byKey = Map.groupBy(read, ({ project }) => keys.get(projectKey(project)))
    if (byKey.size < 2) continue
    for (const [only, ...others] of byKey.values()) {
      if (only === undefined || others.length > 0) continue
      const withRelease = `${text}; the service runs ${describeReleases(release)}`
      await draft.stageNotice(only.project, { code: 'settings_cached', listing: 'project', text: withRelease })
    }
  }
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

/** `/etc/policy.yaml:4:11` → `policy.yaml:4`: the same wherever the file is. */
function shortPosition(at: string): string {
  return basename(at.slice(0, at.lastIndexOf(':')))
}

function describeAge({ projectKey, personalKey }: SettingsAge): string | undefined {
  if (projectKey === 0) return undefined
  const upTo = `settings may be up to ${projectKey} minutes old, because the service may answer from a cache`
  if (projectKey === personalKey) return `${upTo}: ${clearedFrom} clears it with each change`
  const otherwise = personalKey === 0 ? 'gets them as they are' : `gets them within ${personalKey} minutes`
  return `if its key is a project's key, ${upTo}: use a personal key, which ${otherwise}`
}
