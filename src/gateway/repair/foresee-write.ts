import {
  inKeyOrder,
  isEmpty,
  isEqual,
  isJsonObject,
  isWithinPointer,
  type Json,
  type JsonObject,
  memberOf,
  pointerStep,
  stepsOf,
  valueAt,
  withValueAt,
} from '../../model/json.ts'
import { isBelow, isFrom, type ReleaseRange } from '../../model/release-range.ts'
import { type Facts, type Resource, type ResourceKey, resourceKey } from '../../model/resource.ts'
import { type Field, incomingEndpoint, type Members, resourceFields, sentWhenEmpty } from '../fields.ts'
import { asGoUrl } from '../go-url.ts'
import { diffAttributes } from '../inventory/diff-attributes.ts'
import { malformedFields } from '../inventory/malformed.ts'
import { normaliseOne } from '../inventory/normalise.ts'
import type { Sealer } from '../inventory/sealer.ts'
import { refusalOf, type WritableKind, type WriteRefusal } from '../refuse-write.ts'
import { inAnswers, inSpelling, isNothing, patchedFrom, takeMembers, type WriteForm } from '../take-members.ts'
import { sideEffectsOf } from './compose-repair.ts'
import { readDeclaration } from './filter-plan.ts'
import { activationOf } from './repair.ts'

/** A write, and what is known of where it goes. */
export interface WriteForecast {
  readonly kind: WritableKind
  /** null: it creates the resource. */
  readonly uid: string | null
  readonly action: 'pause' | 'activate' | 'expire_secret' | 'toggle_status' | 'delete' | null
  /** Whether it goes to the dashboard's address. */
  readonly isDashboard: boolean
  readonly body: JsonObject
  /** JSON Pointers into the body whose values are variables. */
  readonly variables: readonly string[]
  /** All that is known of the project. */
  readonly known: readonly KnownResource[]
  /** Whether all of its endpoints, and all of its sources, are. */
  readonly areAllKnown: boolean
  readonly release: ReleaseRange | undefined
  /** What the licence is known not to have. */
  readonly lacks: readonly string[]
  readonly sealer: Sealer
}

/** A resource, and which installation key sealed its secrets. */
export type KnownResource = Resource & { readonly sealKeyId: string }

/** What a write would do. */
export interface Forecast {
  readonly refused: WriteRefusal | undefined
  readonly rows: readonly ForecastRow[]
  /** The resources that would be otherwise, or gone. */
  readonly changes: ReadonlyMap<ResourceKey, Resource | undefined>
  readonly dependents: readonly Dependent[]
  readonly unknown: readonly UnknownField[]
  /** Sentences about what else it does. */
  readonly notes: readonly string[]
}

export interface ForecastRow {
  /** JSON Pointer into the attributes; empty for the whole resource. */
  readonly path: string
  readonly before: Json
  readonly after: Json
  /** Sent; left out; or made of it by the service. */
  readonly by: 'request' | 'omission' | 'service'
}

export interface UnknownField {
  readonly path: string
  /** A clause. */
  readonly reason: string
}

/** `uses`: refers to it, and stays as it is. */
export interface Dependent extends Pick<Resource, 'kind' | 'uid' | 'name'> {
  readonly effect: 'uses' | 'deleted' | 'activated'
}

/** The uid of a resource that a request creates. */
export const newUid = 'new'

/** What the service would make of a write, by what it was seen to do. */
export function foreseeWrite(write: WriteForecast): Forecast {
  const { kind, uid, action, known } = write
  const before = uid === null ? undefined : known.find((one) => one.kind === kind && one.uid === uid)
  switch (action) {
    case 'delete':
      return foreseeRemoval(write, before)
    case 'pause':
    case 'activate':
      return foreseeStatus(write, before, action)
    case 'toggle_status':
      return { ...nothing, notes: ['The service answers 202, and changes nothing.'] }
    case 'expire_secret':
      return foreseeExpiry(write, before)
    default:
      return foreseeBody(write, before)
  }
}

const nothing: Forecast = { refused: undefined, rows: [], changes: new Map(), dependents: [], unknown: [], notes: [] }

function foreseeRemoval({ kind, known }: WriteForecast, before: KnownResource | undefined): Forecast {
  if (before === undefined) return nothing
  const gone = kind === 'project' ? known.filter((one) => one !== before) : usersOf(before, known)
  return {
    ...nothing,
    rows: [{ path: '', before: before.attributes, after: null, by: 'request' }],
    changes: new Map([before, ...gone].map((one) => [resourceKey(one), undefined])),
    dependents: gone.map((one) => ({ ...named(one), effect: 'deleted' })),
  }
}

function foreseeStatus(
  { isDashboard, known }: WriteForecast,
  before: KnownResource | undefined,
  action: 'pause' | 'activate',
): Forecast {
  if (before === undefined) return nothing
  const { status = null } = before.attributes
  const project = known.find(({ kind }) => kind === 'project')?.attributes
  const activation = isDashboard ? 'request' : activationOf(project, before.attributes)
  if (action === 'activate' && activation === 'switch')
    return { ...nothing, refused: { status: 404, reason: '404 page not found: v26.6.5 is the first that has it' } }
  const next = (action === 'pause' ? switched : activated)[String(status)]
  if (next === undefined)
    return { ...nothing, refused: { status: 400, reason: `current endpoint status - ${status}, does not support it` } }
  const after: Resource = { ...before, attributes: { ...before.attributes, status: next } }
  const isOffered = action === 'pause' || activation === 'request'
  return {
    ...nothing,
    rows: [{ path: '/status', before: status, after: next, by: 'request' }],
    changes: new Map([[resourceKey(before), after]]),
    dependents: usersOf(before, known).map((one) => ({ ...named(one), effect: 'uses' })),
    unknown: isOffered ? [] : [{ path: '/status', reason: 'releases before v26.6.5 answer 404, and change nothing' }],
  }
}

const switched: Readonly<Record<string, string>> = { active: 'paused', paused: 'active' }
const activated: Readonly<Record<string, string>> = { inactive: 'active', paused: 'active' }

function foreseeExpiry({ body, known }: WriteForecast, before: KnownResource | undefined): Forecast {
  if (before === undefined) return nothing
  const { expiration } = body
  if (expiration !== undefined && expiration !== null && typeof expiration !== 'number')
    return { ...nothing, refused: { status: 400, reason: 'body contains incorrect JSON type for field "expiration"' } }
  const made = isNothing(body.secret ?? null) ? 'a secret that the service makes up' : 'the secret of the request'
  return {
    ...nothing,
    changes: new Map([[resourceKey(before), withUnseen(before, ['/secrets'])]]),
    dependents: usersOf(before, known).map((one) => ({ ...named(one), effect: 'uses' })),
    unknown: [
      {
        path: '/secrets',
        reason: `the newest secret without an end expires ${expiration ?? 0} seconds after the request, and ${made} is added under a new uid`,
      },
    ],
  }
}

function foreseeBody(given: WriteForecast, before: KnownResource | undefined): Forecast {
  const { kind, uid, known } = given
  const project = known.find((one) => one.kind === 'project')
  const isIncoming = project?.attributes.type === 'incoming'
  const config = project?.attributes.config
  const isNew = uid === null
  const fields = kind === 'endpoint' && isIncoming ? incomingEndpoint : resourceFields[kind]
  const write = { ...given, body: inSpelling(fields, given.body) }
  const keepsSettings = keepsSettingsIn(write.release)
  const isTaken = (endpoint: Json) =>
    known.some((one) => one.kind === 'subscription' && one.uid !== uid && one.attributes.endpoint_uid === endpoint)
  const has = (of: 'endpoint' | 'source', named: Json) =>
    known.some((one) => one.kind === of && one.uid === named) || (write.areAllKnown ? false : undefined)
  const refusal = (keeps: boolean) =>
    refusalOf({
      kind,
      isNew,
      fields,
      isIncoming,
      has,
      isTaken,
      body: withoutVariables(write, before),
      hasLicence: undefined,
      keepsSettings: keeps,
      config: isJsonObject(config) ? config : {},
      isOpen: isEqual(before?.attributes.verifier ?? null, { type: 'noop' }),
    })
  const [refused, refusedLater] = [refusal(keepsSettings ?? false), refusal(keepsSettings ?? true)]
  if (refused !== undefined && refusedLater !== undefined) return { ...nothing, refused }
  const job: WriteJob = { ...write, before, fields, project }
  const isPatched = keepsSettings === true
  const { after, unknown, facts } = takeBody(job, { keepsSettings: isPatched, hasLicence: false })
  const licensed = takeBody(job, { keepsSettings: isPatched, hasLicence: true })
  const patched = keepsSettings === undefined ? takeBody(job, { keepsSettings: true, hasLicence: false }).after : after
  const unsure = [
    ...unknown,
    ...differingIn(kind, after, licensed.after).map((path) => ({ path, reason: byLicence })),
    ...differingIn(kind, after, patched).map((path) => ({ path, reason: byRelease })),
    ...variablesIn(job),
    ...(before === undefined || before.sealKeyId === write.sealer.keyId ? [] : Object.keys(facts)).map((path) => ({
      path,
      reason: otherKey,
    })),
    ...[refused, refusedLater].flatMap((one) =>
      one === undefined ? [] : [{ path: '', reason: refusedByRelease(one) }],
    ),
  ]
  const resource = supposedResource(job, after, facts, unsure)
  const rows = rowsOf(job, resource, unsure)
  const woken = kind === 'project' ? inactiveUnless(resource.attributes, known) : []
  const isUsed = before !== undefined && (kind === 'endpoint' || kind === 'source')
  return {
    refused: undefined,
    rows,
    changes: new Map<ResourceKey, Resource>([
      [resourceKey(resource), resource],
      ...woken.map((one): [ResourceKey, Resource] => [resourceKey(one), awake(one)]),
    ]),
    dependents: [
      ...(isUsed ? usersOf(before, known) : []).map((one) => ({ ...named(one), effect: 'uses' }) as const),
      ...woken.map((one) => ({ ...named(one), effect: 'activated' }) as const),
    ],
    unknown: unsure,
    notes: sideEffectsOf(kind, resource.attributes, []),
  }
}

interface WriteJob extends WriteForecast {
  readonly before: KnownResource | undefined
  readonly fields: Members
  readonly project: KnownResource | undefined
}

/** What decides what becomes of some fields. */
interface WriteConditions {
  readonly keepsSettings: boolean
  readonly hasLicence: boolean
}

interface TakenBody {
  readonly after: JsonObject
  readonly facts: Facts
  readonly unknown: readonly UnknownField[]
}

function takeBody(job: WriteJob, { keepsSettings, hasLicence }: WriteConditions): TakenBody {
  const { kind, uid, body, fields, before, lacks, sealer } = job
  const old = before?.attributes ?? {}
  const facts: Record<string, Facts[string]> = {}
  const unknown: UnknownField[] = []
  const text = (name: string) => String(body[name] ?? old[name] ?? '')
  const neighbours = { name: text('name'), uid: uid ?? '', address: text('url'), user: '' }
  const form: WriteForm = {
    isNew: uid === null,
    keepsSettings,
    hasLicence: (feature) => hasLicence && !(feature !== undefined && lacks.includes(feature)),
    empty: emptyForm,
    read: (sent, path, field) => {
      const raw = kind === 'endpoint' && path === '/url' && typeof sent === 'string' ? asGoUrl(sent) : sent
      return normaliseOne(field, raw, path, { sealer, neighbours, facts })
    },
    close: closeObject,
    onRefusable: (path) => unknown.push({ path, reason: refusedByLicence }),
  }
  const taken = takeMembers(fields, old, inAnswers(fields, body), form)
  const after = kind === 'subscription' ? withRows(taken, body, before, unknown) : taken
  if (kind === 'endpoint' && uid === null) {
    const reason = isNothing(body.secret ?? null)
      ? 'the service makes up a signing secret'
      : 'the service gives the secret of the request a uid'
    unknown.push({ path: '/secrets', reason })
  }
  const { meta_event: events } = isJsonObject(body.config) ? body.config : {}
  if (kind === 'project' && isJsonObject(events) && isNothing(events.secret ?? null) && events.is_enabled === true)
    unknown.push({ path: '/config/meta_event/secret', reason: 'the service makes up a secret' })
  return { after: inKeyOrder(after), facts, unknown }
}

const byLicence = 'only the licence of the service decides whether it takes this, and it is not known'
const refusedByLicence =
  'only the licence of the service decides, and it is not known: without one it answers 400 and changes nothing, and ' +
  'with one it wipes this where its own switch is off'

/** The normal form of nothing. */
function emptyForm(field: Field): Json {
  switch (field.type) {
    case 'set':
    case 'addresses':
      return []
    case 'keyed':
    case 'free':
      return {}
    case 'integer':
    case 'seconds':
      return 0
    case 'flag':
      return false
    default: {
      const sent = sentWhenEmpty(field)
      return isNothing(sent) ? null : sent
    }
  }
}

/** The normal form of an object: where its "none" is written in several ways, it is null. */
function closeObject(object: JsonObject, field: Field): Json {
  if (field.type !== 'struct' || field.collapse !== true) return inKeyOrder(object)
  const members = Object.entries(object).filter(([, value]) => !isEmpty(value))
  return members.every(([, value]) => isNothing(value)) ? null : inKeyOrder(Object.fromEntries(members))
}

/** Each update of a subscription puts its filter rows in line with the event types that it names. */
function withRows(
  after: JsonObject,
  body: JsonObject,
  before: KnownResource | undefined,
  unknown: UnknownField[],
): JsonObject {
  const rows = before?.attributes.filters
  if (before === undefined || !isJsonObject(rows)) {
    if (before !== undefined) unknown.push({ path: '/filters', reason: 'no scan has read its filter rows' })
    return after
  }
  const declared = readDeclaration({ ...body, filter_config: after.filter_config ?? null }, before.attributes)
  if (declared === undefined) return after
  const { types, conditions } = declared
  const kept = Object.entries(rows).filter(([type]) => types.has(type))
  const shown = Object.values(rows).find(isJsonObject)
  const made = [...types]
    .filter((type) => !Object.hasOwn(rows, type))
    .map((type): [string, Json] => {
      const row = Object.entries(conditions).filter(([name]) => shown === undefined || Object.hasOwn(shown, name))
      return [type, inKeyOrder(Object.fromEntries(row.filter(([name]) => name !== 'is_flattened')))]
    })
  for (const [type] of made)
    if (shown !== undefined && Object.hasOwn(shown, 'enabled_at'))
      unknown.push({ path: `/filters/${pointerStep(type)}/enabled_at`, reason: 'the service sets the time' })
  return { ...after, filters: inKeyOrder(Object.fromEntries([...kept, ...made])) }
}

/** Between which releases settings that are left out are kept or not is known where one range excludes the other. */
function keepsSettingsIn(release: ReleaseRange | undefined): boolean | undefined {
  if (release === undefined) return undefined
  if (isFrom(release, patchedFrom)) return true
  return isBelow(release, patchedFrom) ? false : undefined
}

const byRelease = `${patchedFrom} and later releases keep what an update of a project leaves out, and earlier ones do not`

const refusedByRelease = ({ status, reason }: WriteRefusal) =>
  `only the release of the service decides, and it is not known: it may answer ${status} (${reason}) and change nothing`

const otherKey = 'whether it is the present secret is unknown: that is sealed under another key'

/** JSON Pointers of what two outcomes do not share. */
function differingIn(kind: WritableKind, a: JsonObject, b: JsonObject): readonly string[] {
  return diffAttributes(kind, a, b, { sealsComparable: true }).map(({ path }) => path)
}

function variablesIn({ variables, fields }: WriteJob): readonly UnknownField[] {
  return variables.map((pointer) => {
    const [first = '', ...rest] = stepsOf(pointer)
    const [name = first] = Object.entries(fields).find(([, { to }]) => to?.[0] === first) ?? []
    return { path: ['', name, ...rest].map(pointerStep).join('/'), reason: 'the request has a variable there' }
  })
}

/** What the service checks in place of a variable is not known: the present value passes for it. */
function withoutVariables({ body, variables }: WriteForecast, before: Resource | undefined): JsonObject {
  return variables.reduce((rest, pointer) => {
    const usual = valueAt(before?.attributes ?? {}, pointer)
    if (typeof usual === 'string' && usual !== '') return withValueAt(rest, pointer, usual)
    if (pointer === '/url') return withValueAt(rest, pointer, 'https://variable.example')
    return /_id$/.test(pointer) ? withValueAt(rest, pointer, undefined) : rest
  }, body)
}

function supposedResource(
  { kind, before }: WriteJob,
  after: JsonObject,
  facts: Facts,
  unsure: readonly UnknownField[],
): Resource {
  const old = before?.attributes ?? {}
  const paths = unsure.flatMap(({ path }) => (path === '' ? [] : path))
  const known = paths.reduce((rest, path) => withValueAt(rest, path, valueAt(old, path)), after)
  const isSame = (pointer: string) => isEqual(valueAt(old, pointer) ?? null, valueAt(known, pointer) ?? null)
  const keptFacts = Object.entries(before?.facts ?? {}).filter(([pointer]) => isSame(pointer))
  const madeFacts = Object.entries(facts).filter(
    ([pointer]) => valueAt(known, pointer) !== undefined && !isSame(pointer),
  )
  const malformed = malformedFields(kind, known)
  const unseen = (before?.unseen ?? []).filter((pointer) => valueAt(known, pointer) === undefined || isSame(pointer))
  const resource: Resource = {
    kind,
    uid: before?.uid ?? newUid,
    name: typeof known.name === 'string' ? known.name : '',
    attributes: known,
    volatile: {},
    facts: Object.fromEntries([...keptFacts, ...madeFacts]),
    ...(malformed.length === 0 ? {} : { malformed }),
    ...(unseen.length === 0 ? {} : { unseen }),
    ...(before?.doubts === undefined ? {} : { doubts: before.doubts }),
  }
  return withUnseen(resource, paths)
}

/** The same, with fields of which it is not known what they would be. */
function withUnseen(resource: Resource, paths: readonly string[]): Resource {
  if (paths.length === 0) return resource
  const attributes = paths.reduce((rest, path) => withValueAt(rest, path, undefined), resource.attributes)
  return { ...resource, attributes, unseen: [...new Set([...(resource.unseen ?? []), ...paths])] }
}

function rowsOf(job: WriteJob, after: Resource, unsure: readonly UnknownField[]): readonly ForecastRow[] {
  const { kind, before, sealer } = job
  const options = { sealsComparable: (before?.sealKeyId ?? sealer.keyId) === sealer.keyId }
  const isKnown = (path: string) => !unsure.some((one) => one.path !== '' && isWithinPointer(path, one.path))
  if (before === undefined) {
    const shown = Object.entries(after.attributes).filter(([, value]) => !isNothing(value))
    return shown.map(([name, value]) => ({
      path: `/${name}`,
      before: null,
      after: value,
      by: causeOf(job, `/${name}`, value),
    }))
  }
  return diffAttributes(kind, before.attributes, after.attributes, options)
    .filter(({ path }) => isKnown(path))
    .map(({ path, before: old, after: value }) => ({ path, before: old, after: value, by: causeOf(job, path, value) }))
}

/** Whether a request sends what becomes of a field, leaves it out, or the service makes something else of it. */
function causeOf({ body, fields, before }: WriteJob, path: string, after: Json): ForecastRow['by'] {
  let [members, here]: [Members, Json | undefined] = [fields, inAnswers(fields, body)]
  for (const step of stepsOf(path)) {
    const field = memberOf(members, step)
    here = isJsonObject(here) ? memberOf(here, step) : undefined
    if (field?.unwritten !== undefined) return 'service'
    if ((here ?? null) === null) return before === undefined || field === undefined ? 'service' : 'omission'
    if (field?.type !== 'struct' || (field.collapse === true && !isNothing(here ?? null))) break
    members = field.members
  }
  return isNothing(here ?? null) && !isNothing(after) ? 'service' : 'request'
}

function usersOf({ kind, uid }: Resource, known: readonly KnownResource[]): readonly KnownResource[] {
  const name = kind === 'endpoint' ? 'endpoint_uid' : 'source_uid'
  return known.filter((one) => one.kind === 'subscription' && one.attributes[name] === uid)
}

/** An update of a project activates what is inactive, unless `disable_endpoint` is on. */
function inactiveUnless({ config }: JsonObject, known: readonly KnownResource[]): readonly KnownResource[] {
  if (!isJsonObject(config) || config.disable_endpoint !== false) return []
  return known.filter(({ kind, attributes }) => kind === 'endpoint' && attributes.status === 'inactive')
}

function awake(endpoint: KnownResource): Resource {
  return { ...endpoint, attributes: { ...endpoint.attributes, status: 'active' } }
}

function named({ kind, uid, name }: Resource): Pick<Resource, 'kind' | 'uid' | 'name'> {
  return { kind, uid, name }
}
