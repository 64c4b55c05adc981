import { isJsonObject, type Json, type JsonObject } from '../../src/model/json.ts'
import type { Report } from '../../src/model/report.ts'
import { builtInFrameworkIds } from '../../src/report/compliance/built-in-frameworks.ts'
import { composeCompliance } from '../../src/report/compliance/compose-compliance.ts'
import { builtInFramework } from '../../src/report/compliance/framework.ts'
import type { Breach } from '../run-cases.ts'
import type { Mutation } from './mutation.ts'
import type { RecordedWorld } from './recorded-world.ts'
import type { GivenAnswer, WireAnswer } from './wire-answers.ts'

/** What three runs say of a project: before an answer was mutated, with it, and after. */
export interface ThreeRuns {
  readonly before: Report
  readonly mutated: Report
  readonly after: Report
  /** Answers of the mutated run. */
  readonly given: readonly GivenAnswer[]
}

/** Whether a changed answer says nothing of a resource. */
type IsOther = (uid: string) => boolean

interface Touching extends Pick<ThreeRuns, 'given'> {
  readonly world: RecordedWorld
}

export type Fault = Pick<Breach, 'promise' | 'what'>

const listOf: Readonly<Record<string, string>> = {
  endpoint: 'endpoints',
  source: 'sources',
  subscription: 'subscriptions',
  event_type: 'event_types',
  project: 'project',
}

/** By kind, the rules that found something in good runs, and where: they read that. */
const readings = new Map<string, Map<string, Set<string>>>()

/** Rules that read a field only of items in which what it is for is on. */
const conditional: Readonly<Record<string, (item: JsonObject) => boolean>> = {
  'project/meta-event-insecure': ({ config }) =>
    isJsonObject(config) && isJsonObject(config.meta_event) && config.meta_event.is_enabled === true,
  'source/verifier-broken': ({ type }) => type === 'http',
}

/**
 * Which promises the runs broke, by the answers alone: nothing of the program reads them here. `mutations`: those of the
 * mutated run, each of another listing.
 */
export function checkRuns(runs: ThreeRuns, mutations: readonly Mutation[], world: RecordedWorld): Fault[] {
  const { before, mutated, after, given } = runs
  learnReads(before)
  const touching = (uid: string) => mutations.filter((mutation) => isTouched(uid, mutation, { world, given }))
  const isOther = (uid: string) => touching(uid).length === 0
  // What a subscription's endpoint and source are says something of it.
  const concerning = (uid: string) => [
    ...touching(uid),
    ...mutations.filter((mutation) => refersTo(uid, mutation, world)),
  ]
  return [
    ...checkRemovals(mutated, given),
    ...checkUntouched(mutated, isOther),
    ...checkResolutions({ before, mutated }, concerning),
    ...checkChanges({ mutated, after }, concerning),
    ...checkControls(mutated, mutations),
    ...checkRecovery({ before, mutated, after }, isOther),
    ...checkSecrets(mutated, world),
  ]
}

const unseen = (what: string): Fault => ({ promise: 'unseen', what })
const wrong = (what: string): Fault => ({ promise: 'other', what })

function learnReads({ violations }: Report): void {
  for (const { rule, kind, path } of violations) {
    // They read changes, and a wrong type is one.
    if (rule.startsWith('drift/') || path === '') continue
    const ofKind = readings.get(kind) ?? new Map<string, Set<string>>()
    readings.set(kind, ofKind.set(path, (ofKind.get(path) ?? new Set()).add(rule)))
  }
}

/** The rules that read what is at a pointer or within it. */
function rulesReading(kind: string, pointer: string): ReadonlySet<string> {
  const paths = [...(readings.get(kind) ?? [])].filter(([path]) => path === pointer || path.startsWith(`${pointer}/`))
  return new Set(paths.flatMap(([, rules]) => [...rules]))
}

function statusOf({ coverage }: Report, list: string | undefined): string | undefined {
  return coverage.find(({ listing }) => listing === list)?.status
}

/** Gone is what a whole walk, read by itself, does not show. */
function checkRemovals(mutated: Report, given: readonly GivenAnswer[]): Fault[] {
  return mutated.drift.flatMap(({ change, kind, uid, fields }) => {
    if (change === 'modified') {
      const isOfRows = fields.some(({ path, after }) => path.startsWith('/filters') && after === null)
      const rows = given.find(({ place }) => place.listing === 'filters' && place.of === uid)
      return isOfRows && !isWholeList(rows?.answer) ? [unseen(`filter rows of ${uid} are gone, unread`)] : []
    }
    if (change !== 'removed') return []
    const list = listOf[kind] ?? ''
    if (statusOf(mutated, list) !== 'complete') return [unseen(`${kind} ${uid} is removed, its walk was not complete`)]
    const { isWhole, uids } = readList(list, given)
    if (!isWhole) return [unseen(`${kind} ${uid} is removed, and the answers are not whole`)]
    return uids.has(uid) ? [unseen(`${kind} ${uid} is removed, and the answers show it`)] : []
  })
}

function isWholeList(answer: WireAnswer | undefined): boolean {
  return Array.isArray(dataOf(answer))
}

/** What the answers of a listing show, by the strictest reading. */
function readList(list: string, given: readonly GivenAnswer[]): { isWhole: boolean; uids: ReadonlySet<unknown> } {
  const answers = given.filter(({ place }) => place.listing === list).map(({ answer }) => dataOf(answer))
  const uids = new Set<unknown>()
  let isWhole = answers.length > 0
  for (const [at, data] of answers.entries()) {
    const isPage = isJsonObject(data) && isJsonObject(data.pagination)
    const items = isPage ? (data.content ?? []) : data
    if (!Array.isArray(items)) return { isWhole: false, uids }
    for (const item of items) if (isJsonObject(item)) uids.add(item.uid)
    const isLast = at === answers.length - 1
    if (isPage && isJsonObject(data.pagination) && data.pagination.has_next_page !== !isLast) isWhole = false
  }
  return { isWhole, uids }
}

function dataOf(answer: WireAnswer | undefined): Json | undefined {
  if (answer?.status !== 200 || !answer.type.includes('json')) return undefined
  try {
    const value: Json = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(answer.body))
    return isJsonObject(value) && value.status === true ? value.data : undefined
  } catch {
    return undefined
  }
}

/** What was shown as before is as before. */
function checkUntouched(mutated: Report, isOther: IsOther): Fault[] {
  return mutated.drift.flatMap(({ kind, uid, change }) => {
    if (!isOther(uid)) return []
    const what = `${kind} ${uid} is ${change}, though its answer is as before`
    return [change === 'removed' ? unseen(what) : wrong(what)]
  })
}

/** Whether the changed answer says something of a resource, or did before it was changed. */
function isTouched(uid: string, { place, item }: Mutation, { world, given }: Touching): boolean {
  if (place.listing === 'filters') return uid === place.of
  const names = (value: unknown) => JSON.stringify(value).includes(`"${uid}"`)
  if (item !== undefined && place.listing !== 'event_types') return names(item)
  // Subscriptions name event types.
  if (place.listing === 'event_types') return names(world.eventTypes) || names(world.lists.subscriptions) || isGiven()
  return names(place.listing === 'project' ? world.project : world.lists[place.listing]) || isGiven()

  function isGiven() {
    return given.some(({ place: { listing }, answer }) => listing === place.listing && answer.body.includes(`"${uid}"`))
  }
}

function refersTo(uid: string, { item }: Mutation, { lists }: RecordedWorld): boolean {
  const text = JSON.stringify(lists.subscriptions.find((one) => one.uid === uid) ?? null)
  return typeof item?.uid === 'string' && text.includes(`"${item.uid}"`)
}

/** Resolved is what a complete walk shows to be right. `concerning`: the mutations that say something of a resource. */
function checkResolutions(
  { before, mutated }: Pick<ThreeRuns, 'before' | 'mutated'>,
  concerning: (uid: string) => readonly Mutation[],
): Fault[] {
  const open = new Set(before.violations.map(({ fingerprint }) => fingerprint))
  return mutated.violations.flatMap(({ state, fingerprint, rule, kind, uid }) => {
    if (state !== 'resolved' || !open.has(fingerprint)) return []
    const what = `${rule} of ${kind} ${uid} is resolved`
    const listed = statusOf(mutated, listOf[kind])
    // Sources that are not listed are known from subscriptions.
    const status = kind === 'source' && listed === 'skipped' ? statusOf(mutated, 'subscriptions') : listed
    if (status !== undefined && status !== 'complete') return [unseen(`${what}, its walk was ${status}`)]
    const mutations = concerning(uid)
    if (mutations.length === 0) return [unseen(`${what}, though its answer is as before`)]
    return mutations.every(showsNothing) ? [unseen(`${what}, and no value was shown`)] : []
  })
}

/** A change is found where two values were shown. */
function checkChanges(
  { mutated, after }: Pick<ThreeRuns, 'mutated' | 'after'>,
  concerning: (uid: string) => readonly Mutation[],
): Fault[] {
  return [...mutated.violations, ...after.violations].flatMap(({ state, rule, kind, uid, path }) => {
    // It counts in the recorded versions how often a field differed.
    if (state !== 'opened' || !rule.startsWith('drift/') || rule === 'drift/flapping') return []
    const isShown = concerning(uid).some((mutation) => !showsNothing(mutation))
    return isShown ? [] : [unseen(`${rule} of ${kind} ${uid} is opened at ${path}, and no other value was shown`)]
  })
}

function showsNothing({ shows }: Mutation): boolean {
  return shows === 'hidden' || shows === 'carried'
}

/** Met is what all that its rules read was seen for. */
function checkControls(mutated: Report, mutations: readonly Mutation[]): Fault[] {
  const id = builtInFrameworkIds[mutated.run.number % builtInFrameworkIds.length] ?? 'soc2'
  const hidden = new Map(mutations.flatMap(readingsHidden))
  const kinds = new Map(mutated.rules.map((rule) => [rule.id, rule.kind]))
  return composeCompliance({ report: mutated, framework: builtInFramework(id) }).controls.flatMap((control) => {
    if (control.state !== 'met') return []
    return control.rules.flatMap((rule) => {
      const status = statusOf(mutated, listOf[kinds.get(rule.id) ?? ''])
      const isUnseen = status !== undefined && status !== 'complete' && status !== 'skipped'
      if (isUnseen) return [unseen(`${id} ${control.id} is met, and the walk for ${rule.id} was ${status}`)]
      const pointer = hidden.get(rule.id)
      return pointer === undefined
        ? []
        : [unseen(`${id} ${control.id} is met, and ${rule.id} could not read ${pointer}`)]
    })
  })
}

/** The rules that read what a mutation hid, each with where that was. */
function readingsHidden({ place, item = {}, pointer, shows }: Mutation): [string, string][] {
  if (shows !== 'hidden') return []
  const kind = Object.keys(listOf).find((name) => listOf[name] === place.listing) ?? ''
  const reading = [...rulesReading(kind, pointer)].filter((rule) => conditional[rule]?.(item) !== false)
  return reading.map((rule) => [rule, pointer])
}

/** A good run says what the good one before said, and no more changes than the mutated one made. */
function checkRecovery({ before, mutated, after }: Omit<ThreeRuns, 'given'>, isOther: IsOther): Fault[] {
  const incomplete = after.coverage.filter(({ status }) => status !== 'complete' && status !== 'skipped')
  const changed = new Set(mutated.drift.map(({ kind, uid }) => `${kind} ${uid}`))
  const removed = new Set(mutated.drift.flatMap(({ change, uid }) => (change === 'removed' ? [uid] : [])))
  const open = new Set(after.violations.flatMap((one) => (one.state === 'resolved' ? [] : [one.fingerprint])))
  return [
    ...incomplete.map(({ listing, status, reason }) => wrong(`${listing} is ${status} afterwards: ${reason}`)),
    ...after.drift.flatMap(({ change, kind, uid }) => {
      if (change === 'added' && !removed.has(uid)) {
        return [wrong(`${kind} ${uid} is added afterwards, and was not removed`)]
      }
      if (changed.has(`${kind} ${uid}`) || !isOther(uid)) return []
      return [wrong(`${kind} ${uid} is ${change} afterwards, though it was as before all the time`)]
    }),
    ...before.violations.flatMap(({ state, fingerprint, rule, uid }) => {
      if (state === 'resolved' || open.has(fingerprint) || rule.startsWith('drift/')) return []
      return [unseen(`${rule} of ${uid} is not open afterwards, though all is as before`)]
    }),
  ]
}

const secretsIn = new WeakMap<RecordedWorld, readonly string[]>()

/** No report has a secret of the recorded items. */
function checkSecrets(mutated: Report, world: RecordedWorld): Fault[] {
  const secrets = secretsIn.get(world) ?? [...findSecrets(world.lists)]
  secretsIn.set(world, secrets)
  const text = JSON.stringify(mutated)
  return secrets.some((secret) => text.includes(secret))
    ? [{ promise: 'secrets', what: 'the report has a secret of an item' }]
    : []
}

/** Long values in secret places, found without the schema of the program. */
function* findSecrets(value: unknown, name = ''): Generator<string> {
  if (typeof value === 'string') {
    const isSecret = /^(value|header_value|secret|password|client_secret|client_key|secret_key)$/.test(name)
    if (isSecret && value.length >= 8) yield value
    return
  }
  if (typeof value !== 'object' || value === null) return
  for (const [key, member] of Object.entries(value)) yield* findSecrets(member, Array.isArray(value) ? name : key)
}
