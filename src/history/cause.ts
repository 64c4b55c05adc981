import { createHash } from 'node:crypto'
import { type Members, wireSchema } from '../gateway/fields.ts'
import { canonicalJson } from '../model/canonical-json.ts'
import type { Change, FieldChange } from '../model/change.ts'
import { isEmpty, type Json, pointersOverlap } from '../model/json.ts'
import type { Kind } from '../model/resource.ts'
import { type Severity, severities } from '../model/violation.ts'

/** A change of a run, with whose it is. */
export interface ChangeWithOwner extends Change {
  readonly project: string
  /** As of the change; null where it has none, or none is known. */
  readonly owner: string | null
}

/** What happened once and hit resources alike: changes of one run that are equal, or one update of one resource. */
export interface Cause {
  /** The run, and a digest of what changed: `17-3fa9c1d2`. The same as long as it is open. */
  readonly id: string
  /** The run whose scans saw it. */
  readonly first_run: number
  readonly kind: Kind
  readonly change: 'modified' | 'removed'
  /**
   * What changed, losses first, then by path; empty for removals. Of several resources, uids on the way are `*`, and
   * `before` is null where they lost different values.
   */
  readonly fields: readonly FieldChange[]
  /** Those that are not mended, in the order of reports. */
  readonly resources: readonly CausedChange[]
}

/** What a cause changed in one resource. */
export interface CausedChange extends Pick<ChangeWithOwner, 'project' | 'uid' | 'name' | 'owner'> {
  /** Its own paths and values. */
  readonly fields: readonly FieldChange[]
  /** Active ones that follow from it. */
  readonly violations: readonly FollowingViolation[]
}

/** A violation, as far as causes go. */
export interface FollowingViolation {
  readonly fingerprint: string
  readonly rule: string
  readonly severity: Severity
  readonly project: string
  readonly kind: Kind
  readonly uid: string
  readonly path: string
}

/** So few removals are no mistake of one hand: what was removed has nothing in common but its kind. */
const fewRemovals = 2

/** The causes of the changes of a run. A change that is alone has none. */
export function findCauses(run: number, changes: readonly ChangeWithOwner[]): Cause[] {
  const modified = changes.filter(({ change }) => change === 'modified')
  const alike = alikeIn(modified).filter(({ hits }) => hits.size > 1)
  const isShared = new Set(alike.flatMap(({ hits }) => [...hits.values()].flat()))
  const indexOfChange = new Map(modified.map((change, index) => [change, index]))
  // Fields that the same resources lost or changed together are one update.
  const together = Map.groupBy(alike, ({ hits }) => [...hits.keys()].map((change) => indexOfChange.get(change)).join())
  return [
    ...[...together.values()].flatMap((group) => sharedCause(run, group)),
    ...modified.flatMap((change) => {
      const unsharedFields = change.fields.filter((field) => !isShared.has(field))
      // A secret that was replaced is one field, and two entries of one list.
      const named = new Set(unsharedFields.map(({ path }) => withoutUids(change.kind, path).split('*')[0]))
      return named.size > 1 ? [updateOfOne(run, change, unsharedFields)] : []
    }),
    ...removals(run, changes),
  ]
}

interface Aftermath {
  /** Active ones that the run of the causes opened. */
  readonly violations: readonly FollowingViolation[]
  /** What the run of the causes found fixed: a change that put a field right is not a cause. */
  readonly fixed: readonly Pick<FollowingViolation, 'project' | 'kind' | 'uid' | 'path'>[]
  /** Changes of the same resources in later runs. */
  readonly later: readonly (Pick<ChangeWithOwner, 'project' | 'kind' | 'uid' | 'change'> & {
    readonly fields: readonly Pick<FieldChange, 'path'>[]
  })[]
}

/**
 * The causes of a run without what is mended: fields that a later run saw changed again. Each has the active violations
 * that follow from it: of its resources, about its fields or about all of a resource. A change from which none follows is
 * not a cause.
 */
export function followCauses(causes: readonly Cause[], aftermath: Aftermath): Cause[] {
  const violationsOf = Map.groupBy(aftermath.violations, keyOfResource)
  const fixedOf = Map.groupBy(aftermath.fixed, keyOfResource)
  const laterOf = Map.groupBy(aftermath.later, keyOfResource)
  return causes.flatMap((cause): Cause[] => {
    const { kind, change } = cause
    const resources = cause.resources.flatMap((hit): CausedChange[] => {
      const key = keyOfResource({ ...hit, kind })
      const later = laterOf.get(key)
      const remaining =
        change === 'removed' ? remainderOfRemoval(hit, later) : remainderOfUpdate(hit, later, fixedOf.get(key))
      if (remaining === undefined) return []
      const following = (violationsOf.get(key) ?? []).filter(
        ({ path }) => path === '' || remaining.fields.some((field) => pointersOverlap(field.path, path)),
      )
      return [{ ...remaining, violations: following }]
    })
    return resources.some(({ violations }) => violations.length > 0) ? [{ ...cause, resources }] : []
  })
}

/** The causes of a run that are open in a later one: of resources with an active violation that follows. */
export function openCauses(causes: readonly Cause[], aftermath: Aftermath): Cause[] {
  return followCauses(causes, aftermath).map((cause) => {
    return { ...cause, resources: cause.resources.filter(({ violations }) => violations.length > 0) }
  })
}

/** A resource that is back under its uid is mended. */
function remainderOfRemoval(hit: CausedChange, later: Aftermath['later'] = []): CausedChange | undefined {
  return later.some(({ change }) => change === 'added') ? undefined : hit
}

function remainderOfUpdate(
  hit: CausedChange,
  later: Aftermath['later'] = [],
  fixed: Aftermath['fixed'] = [],
): CausedChange | undefined {
  if (later.some(({ change }) => change === 'removed')) return undefined
  const mended = [...later.flatMap(({ fields }) => fields), ...fixed].map(({ path }) => path)
  const fields = hit.fields.filter(({ path }) => !mended.some((other) => pointersOverlap(path, other)))
  return fields.length === 0 ? undefined : { ...hit, fields }
}

/** The causes as if a reader knew only of some projects: without what they hit elsewhere. */
export function causesIn(causes: readonly Cause[], isChosen: (project: string) => boolean): Cause[] {
  return causes.flatMap((cause) => {
    const resources = cause.resources.filter(({ project }) => isChosen(project))
    return resources.length === 0 ? [] : [{ ...cause, resources }]
  })
}

/** The worst severity of what follows from a cause. */
export function worstOf({ resources }: Cause): Severity {
  const present = new Set(resources.flatMap(({ violations }) => violations.map(({ severity }) => severity)))
  return severities.find((severity) => present.has(severity)) ?? 'info'
}

/** The worst first, then those that hit the most resources, the latest, and by id. */
export function inWeightOrder(causes: readonly Cause[]): Cause[] {
  const ranked = causes.map((cause) => ({ cause, rank: severities.indexOf(worstOf(cause)) }))
  return ranked
    .sort(
      (a, b) =>
        a.rank - b.rank ||
        b.cause.resources.length - a.cause.resources.length ||
        b.cause.first_run - a.cause.first_run ||
        (a.cause.id < b.cause.id ? -1 : 1),
    )
    .map(({ cause }) => cause)
}

function keyOfResource({ project, kind, uid }: Pick<FollowingViolation, 'project' | 'kind' | 'uid'>): string {
  return JSON.stringify([project, kind, uid])
}

/** Fields that changed alike, and in which resources. */
interface AlikeFields {
  readonly key: string
  readonly field: FieldChange
  readonly kind: Kind
  readonly hits: Map<ChangeWithOwner, FieldChange[]>
}

function alikeIn(changes: readonly ChangeWithOwner[]): AlikeFields[] {
  const alike = new Map<string, AlikeFields>()
  for (const change of changes) {
    for (const field of change.fields) {
      const path = withoutUids(change.kind, field.path)
      const key = keyOf(change.kind, { ...field, path })
      const group = alike.get(key) ?? { key, field: { ...field, path }, kind: change.kind, hits: new Map() }
      const hit = group.hits.get(change)
      if (hit === undefined) group.hits.set(change, [field])
      else hit.push(field)
      alike.set(key, group)
    }
  }
  return [...alike.values()]
}

/** Equal for the same change, and for the same loss, of any value. */
function keyOf(kind: Kind, { path, before, after }: FieldChange): string {
  return canonicalJson(isLoss({ before, after }) ? [kind, path] : [kind, path, before, after])
}

/** Whether a value was wiped. */
export function isLoss({ before, after }: Pick<FieldChange, 'before' | 'after'>): boolean {
  return isNothing(after) && !isNothing(before)
}

/** A service writes 0 for a number that an update left out. */
function isNothing(value: Json): boolean {
  return isEmpty(value) || value === 0
}

function sharedCause(run: number, group: readonly AlikeFields[]): Cause[] {
  const [first] = group
  if (first === undefined) return []
  const inOrder = group.toSorted((a, b) => lossesFirst(a.field, b.field))
  const fields = inOrder.map(({ field, hits }) => {
    const lost = new Set([...hits.values()].flat().map(({ before }) => canonicalJson(before)))
    return lost.size === 1 ? field : { ...field, before: null }
  })
  return [
    {
      id: idOf(run, group.map(({ key }) => key).sort()),
      first_run: run,
      kind: first.kind,
      change: 'modified',
      fields,
      resources: [...first.hits.keys()].map((change) =>
        hitOf(
          change,
          group.flatMap(({ hits }) => hits.get(change) ?? []),
        ),
      ),
    },
  ]
}

function updateOfOne(run: number, change: ChangeWithOwner, fields: readonly FieldChange[]): Cause {
  const { kind, uid } = change
  return {
    id: idOf(run, [uid, ...fields.map((field) => keyOf(kind, field))]),
    first_run: run,
    kind,
    change: 'modified',
    fields: fields.toSorted(lossesFirst),
    resources: [hitOf(change, fields)],
  }
}

function removals(run: number, changes: readonly ChangeWithOwner[]): Cause[] {
  const removed = Map.groupBy(
    changes.filter(({ change }) => change === 'removed'),
    ({ kind }) => kind,
  )
  return [...removed].flatMap(([kind, gone]): Cause[] => {
    if (gone.length <= fewRemovals) return []
    const resources = gone.map((change) => hitOf(change, []))
    return [{ id: idOf(run, [kind]), first_run: run, kind, change: 'removed', fields: [], resources }]
  })
}

function hitOf({ project, uid, name, owner }: ChangeWithOwner, fields: readonly FieldChange[]): CausedChange {
  return { project, uid, name, owner, fields, violations: [] }
}

function lossesFirst(a: FieldChange, b: FieldChange): number {
  return Number(isLoss(b)) - Number(isLoss(a)) || (a.path < b.path ? -1 : 1)
}

function idOf(run: number, parts: readonly string[]): string {
  return `${run}-${createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 8)}`
}

/** The run that a cause's id names; undefined for any other text. */
export function runOfCause(id: string): number | undefined {
  const [, run] = /^([1-9]\d{0,14})-[0-9a-f]{8}$/.exec(id) ?? []
  return run === undefined ? undefined : Number(run)
}

/** A JSON Pointer with `*` in place of uids. */
function withoutUids(kind: Kind, pointer: string): string {
  let members: Members | undefined = wireSchema[kind]
  let isUid = false
  const steps = pointer.split('/').slice(1)
  return steps
    .map((step) => {
      if (isUid) {
        isUid = false
        return '/*'
      }
      const field = members !== undefined && Object.hasOwn(members, step) ? members[step] : undefined
      members = field?.type === 'struct' || field?.type === 'keyed' ? field.members : undefined
      isUid = field?.type === 'keyed' && field.by === undefined
      return `/${step}`
    })
    .join('')
}
