import { destinationsOf } from '../gateway/repair/destinations.ts'
import { withoutSeals } from '../gateway/repair/placeholders.ts'
import { isRepairable } from '../gateway/repair/repair.ts'
import type { ManualStep } from '../gateway/repair/write-body.ts'
import type { HistoryReader } from '../history/reader.ts'
import {
  type Identity,
  readVersionsOf,
  readViolationsOf,
  type VersionSpan,
  type ViolationSpan,
} from '../history/sql/resource-life.ts'
import type { EndedBy } from '../model/ending.ts'
import { isEqual, type Json, type JsonObject, pointersOverlap, valueAt } from '../model/json.ts'
import { neutralise, quote } from '../model/text/neutralise.ts'
import { asSentence, describeDecision } from '../report/describe-ending.ts'
import { shorten } from '../report/text/shorten.ts'
import type { Decisions } from './decisions.ts'
import { attributesOf } from './field-gaps.ts'
import { versionIn } from './former-state.ts'
import { isOpenBefore } from './ready-changes.ts'

/** A resource to which requests would give secrets back. */
export interface Recipient {
  readonly identity: Identity
  /** All of them, oldest first. */
  readonly versions: readonly VersionSpan[]
  readonly violations: readonly ViolationSpan[]
  /** The attributes that the requests give it. */
  readonly target: JsonObject
  /** The version that the secrets come from. */
  readonly former: VersionSpan | undefined
}

export interface DestinationCheck {
  /** A place that secrets would go to, although it is another one than they were for, and no person decided so. */
  readonly diversion: { readonly path: string; readonly before: Json; readonly after: Json } | undefined
  /** Places that are others than before, because a person approved or accepted them. */
  readonly decided: readonly ManualStep[]
}

/**
 * Checks where requests would send the secrets that they put back: where the approved baseline says, else where they went
 * before the change that an open drift violation reports, else where they went in the version that they come from.
 */
export async function checkDestinations(
  reader: HistoryReader,
  run: number,
  recipient: Recipient,
  decisionsOf: (identity: Identity) => Promise<Decisions>,
): Promise<DestinationCheck> {
  const { identity, target } = recipient
  const { kind, project } = identity
  const paths = isRepairable(kind) ? destinationsOf(kind, target) : []
  if (paths.length === 0) return { diversion: undefined, decided: [] }
  const own = comparePlaces(paths, recipient, await decisionsOf(identity))
  const { endpoint_uid: uid } = target
  if (own.diversion !== undefined || kind !== 'subscription' || typeof uid !== 'string') return own
  // What a subscription sends goes to the address of its endpoint.
  const endpoint = { project, kind: 'endpoint', uid } as const
  const versions = await readVersionsOf(reader, endpoint, run)
  const now = versions.at(-1)
  if (now === undefined) return own
  const violations = await readViolationsOf(reader, endpoint, run)
  const through = { versions, violations, target: attributesOf(now), former: now }
  return { ...own, diversion: comparePlaces(['/url'], through, await decisionsOf(endpoint)).diversion }
}

function comparePlaces(
  paths: readonly string[],
  { versions, violations, target, former }: Pick<Recipient, 'versions' | 'violations' | 'target' | 'former'>,
  { approved, decisionOn }: Decisions,
): DestinationCheck {
  const decided: ManualStep[] = []
  for (const path of paths) {
    const after = valueAt(target, path) ?? null
    const was = valueAt(former === undefined ? target : attributesOf(former), path) ?? null
    const expected = approved === undefined ? (before(path) ?? was) : (valueAt(approved, path) ?? null)
    if (isEqual(expected, after) && isEqual(was, after)) continue
    const decision = decisionOn(path, after)
    if (decision !== undefined) decided.push({ path, reason: sentenceOfDecision(decision) })
    else if (!isEqual(expected, after)) return { diversion: { path, before: expected, after }, decided }
  }
  return { diversion: undefined, decided }

  /** What it was before the first change that an open violation reports. */
  function before(path: string): Json | undefined {
    const goneIn = versions.at(-1)?.toRun ?? null
    const origins = violations
      .filter((one) => isOpenBefore(one, goneIn) && one.path !== '' && pointersOverlap(one.path, path))
      .flatMap(({ originRun }) => originRun ?? [])
    const origin = origins.length === 0 ? undefined : versionIn(versions, Math.min(...origins))
    return origin && (valueAt(attributesOf(origin), path) ?? null)
  }
}

/** Who decided that a field is as it is, as a sentence. */
export function sentenceOfDecision(decision: EndedBy): string {
  return `${neutralise(asSentence(describeDecision(decision)))}.`
}

/** Why a resource is left out. `next`: what puts it back whole. */
export function describeDiversion(
  { path, before, after }: NonNullable<DestinationCheck['diversion']>,
  { name, next }: { readonly name: string; readonly next: string },
): string {
  return (
    `${name} is left out: ${path} changed from ${showPlace(before)} to ${showPlace(after)}, and these requests do not ` +
    `put that back. Its secrets would be sent there. ${next}`
  )
}

function showPlace(place: Json): string {
  return place === null
    ? 'none'
    : quote(shorten(withoutSeals(typeof place === 'string' ? place : JSON.stringify(place)), 120))
}
