import { hash } from 'node:crypto'
import { normaliserVersion } from '../gateway/fields.ts'
import { carryOver, holdsSeals, maskSeals } from '../gateway/inventory/diff-attributes.ts'
import { describeField, malformedFields } from '../gateway/inventory/malformed.ts'
import { reseal } from '../gateway/inventory/reseal.ts'
import type { Sealer } from '../gateway/inventory/sealer.ts'
import { columnsOf } from '../history/body-columns.ts'
import type { CompleteScan, StagedChange } from '../history/records.ts'
import type { CurrentVersion, NewVersion } from '../history/staged.ts'
import { type StoredBody, writeFacts } from '../history/stored-body.ts'
import { canonicalJson } from '../model/canonical-json.ts'
import { type JsonObject, valueAt } from '../model/json.ts'
import { type FieldDoubt, isReadable, type Kind, type Listing, type Resource, unseenIn } from '../model/resource.ts'
import type { ComparedChanges } from '../policy/ignored-paths.ts'
import { compareSince } from './compare-since.ts'
import { filterText } from './listing-filters.ts'
import { kindOf, type ProjectScan } from './project-scan.ts'

export interface ComparedResources {
  readonly resources: readonly StagedResource[]
  /** Of what is new or differs. */
  readonly versions: readonly NewVersion[]
  /** Whether a secret was known under another installation key. */
  readonly isRebased: boolean
  /** Whether something was known in another normal form, so that nothing can be said of how it changed. */
  readonly isReformed: boolean
}

export interface StagedResource {
  /** What this scan showed, and what earlier ones did where it did not. */
  readonly resource: Resource
  /** The run that wrote its version: this one when it is new or differs. */
  readonly since: number
  /** Whether an earlier scan knew it. */
  readonly isInHistory: boolean
  /** Its last version, where this scan shows something else; undefined otherwise, and when it is new. */
  readonly previous: StoredBody | undefined
  /** As of the last complete scan; `same` when it is what was just seen; undefined when there was none. */
  readonly base: StoredBody | undefined | 'same'
  /** What differs from that, without ignored fields. */
  readonly change: StagedChange | undefined
  /** How many changes the policy ignores, by its path. */
  readonly ignoredCounts: ComparedChanges['ignoredCounts']
  /** Digest of its version, where that holds what this scan showed and nothing else. */
  readonly formDigest?: string | undefined
}

/**
 * Compares resources of one kind with what is known of them: a new version for what differs from the current one, and a
 * change for what differs from the last complete scan. `read`: those that were read from their current version.
 */
export function compareResources(
  scan: ProjectScan,
  kind: Kind,
  listing: Listing,
  resources: readonly Resource[],
  read: ReadonlySet<Resource> = noResources,
): ComparedResources {
  const { lastComplete, sealer, before } = scan
  const sealKeyId = sealer.keyId
  const { doubted, forms } = compareWithCurrent(scan, kind, resources, read)
  const baseline = lastComplete[kind]
  const versions: NewVersion[] = []
  const staged: StagedResource[] = []
  const mayBeNew = ({ version }: (typeof forms)[number]) =>
    version === undefined || version.fromRun > (baseline?.run ?? 0)
  const isNew = baseline !== undefined && forms.some(mayBeNew) && isNewToView(scan, baseline, { kind, listing })
  let isRebased = false
  let isReformed = false

  for (const { form, version } of forms) {
    // Nearly all are as they were, and were so at the last complete scan.
    if (version?.digest === form.digest && baseline !== undefined && version.fromRun <= baseline.run) {
      staged.push({ ...unchanged, resource: form.resource, since: version.fromRun, formDigest: form.digest })
      continue
    }
    const isDifferent = version !== undefined && version.digest !== form.digest
    const last = isDifferent ? before.versions.before(version) : undefined
    const now = last === undefined ? form : write(fillUnseen(form.resource, last, sealer, doubted))
    isRebased ||= last !== undefined && last.sealKeyId !== sealKeyId && holdsSeals(last.attributes)
    const isSame = version !== undefined && version.digest === now.digest
    if (!isSame && now.row !== undefined) versions.push({ ...now.row, replaces: version?.id })
    const { resource } = now
    // A version that the last complete scan had not seen yet: it saw another one.
    const isYounger = version !== undefined && baseline !== undefined && version.fromRun > baseline.run
    const known = isYounger ? scan.before.versions.at(version, baseline.run) : (last ?? 'same')
    const base = version === undefined || baseline === undefined ? undefined : known
    const isComparable = base === undefined || base === 'same' || isInForm(base, baseline)
    isReformed ||= !isComparable
    const since = isSame ? version.fromRun : scan.run
    const compared: Difference =
      baseline && isComparable ? changeSince(scan, base, resource, isNew) : { base, change: undefined }
    staged.push({
      ignoredCounts: noneIgnored,
      ...compared,
      change: compared.change && { ...compared.change, firstRun: since },
      resource,
      since,
      isInHistory: version !== undefined,
      previous: last,
      formDigest: now.digest === form.digest ? form.digest : undefined,
    })
  }
  return { resources: staged, versions, isRebased, isReformed }
}

/** Uids of the resources of one kind that differ in this scan from their current version, or did and were not read whole. */
export function findChanged(scan: ProjectScan, kind: Kind, resources: readonly Resource[]): readonly string[] {
  const { sealer, before } = scan
  const { doubted, forms } = compareWithCurrent(scan, kind, resources, noResources)
  return forms.flatMap(({ form: { resource, digest }, version }) => {
    if (version === undefined || version.digest === digest) return []
    const last = before.versions.before(version)
    if (last?.doubts !== undefined && isReadable(resource)) return [resource.uid]
    // Another key or another normal form makes another text of the same thing.
    if (last === undefined || last.sealKeyId !== sealer.keyId || last.normaliser !== normaliserVersion) return []
    return version.digest === write(fillUnseen(resource, last, sealer, doubted)).digest ? [] : [resource.uid]
  })
}

function compareWithCurrent(
  { run, now, before }: ProjectScan,
  kind: Kind,
  resources: readonly Resource[],
  read: ReadonlySet<Resource>,
) {
  const doubted: DoubtDate = { run, at: new Date(now).toISOString() }
  const forms = resources.map((resource) => {
    const version = before.versions.find(kind, resource.uid)
    if (version !== undefined && read.has(resource)) {
      const form: Form = { resource, digest: version.digest, row: undefined }
      return { form, version }
    }
    return { form: write(dateDoubts(resource, doubted)), version }
  })
  return { doubted, forms }
}

const noResources: ReadonlySet<Resource> = new Set()
const noneIgnored: ComparedChanges['ignoredCounts'] = new Map()

const unchanged = {
  isInHistory: true,
  previous: undefined,
  base: 'same',
  change: undefined,
  ignoredCounts: noneIgnored,
} as const satisfies Partial<StagedResource>

type Difference = Pick<StagedResource, 'base' | 'change'> & Partial<Pick<StagedResource, 'ignoredCounts'>>

function changeSince(scan: ProjectScan, base: StagedResource['base'], resource: Resource, isNew: boolean): Difference {
  if (base === 'same') return { base, change: undefined }
  if (base === undefined) return { base, change: isNew ? changeOf(resource, 'added', []) : undefined }
  const { before, fields, ignoredCounts } = compareSince(scan, base, resource, (_, attributes) => attributes)
  const change = fields.length > 0 ? changeOf(resource, 'modified', fields) : undefined
  return { base: ignoredCounts.size === 0 ? base : { ...base, attributes: before }, change, ignoredCounts }
}

/**
 * Whether a resource as it was is in today's normal form: written in it, or seen unchanged by a run that saw in it. Another
 * form of the same thing says nothing, for a newer hookdrift is not drift.
 */
export function isInForm(base: Pick<StoredBody, 'normaliser'>, baseline: CompleteScan | undefined): boolean {
  return base.normaliser === normaliserVersion || baseline?.normaliser === normaliserVersion
}

/**
 * Whether what was not there before is new. It may also have gone unseen: while the listing was narrowed otherwise, while
 * sources were known from subscriptions alone, or while one of these did not show what it refers to.
 */
function isNewToView(
  { filters, before: { history, versions } }: ProjectScan,
  baseline: CompleteScan,
  { kind, listing }: { readonly kind: Kind; readonly listing: Listing },
): boolean {
  // One with a shape was read to its end.
  if (listing === 'sources' && baseline.listing !== 'sources') return history.shapes.sources !== undefined
  if (baseline.listing === listing && baseline.filter !== filterText(listing, filters)) return false
  const isInDoubt = ({ facts }: CurrentVersion) => facts.includes(`"${kind}_uid":`)
  return kind === kindOf[listing] || !versions.ofKind('subscription').some(isInDoubt)
}

interface Form {
  readonly resource: Resource
  readonly digest: string
  /** undefined: a version has it. */
  readonly row: Omit<NewVersion, 'replaces'> | undefined
}

function write(resource: Resource): Form {
  const { kind, uid, name } = resource
  const body = canonicalJson(resource.attributes)
  const facts = writeFacts(resource)
  const digest = hash('sha256', body + facts)
  const columns = columnsOf(kind, resource.attributes)
  return { resource, digest, row: { kind, uid, name, digest, body, facts, columns, normaliser: normaliserVersion } }
}

/** Takes what this scan did not show from the current version, with the facts of its secrets. */
function fillUnseen(resource: Resource, current: StoredBody, sealer: Sealer, doubted: DoubtDate): Resource {
  const currentAttributes = current.sealKeyId === sealer.keyId ? current.attributes : maskSeals(current.attributes)
  const before =
    current.normaliser === normaliserVersion ? currentAttributes : reseal(resource.kind, currentAttributes, sealer)
  const attributes = carryOver(resource.kind, before, resource.attributes, resource.unseen)
  const carried = Object.entries(current.facts).filter(
    ([path]) => !(path in resource.facts) && valueAt(attributes, path) === valueAt(before, path),
  )
  // What is carried may be malformed as well.
  const malformed = [...new Set([...(resource.malformed ?? []), ...malformedFields(resource.kind, attributes)])]
  // What this scan does not show either is in doubt as before.
  const unseen = [...(resource.unseen ?? []), ...stillUnseen(resource, attributes, current)]
  const whole = {
    ...resource,
    attributes,
    facts: { ...Object.fromEntries(carried), ...resource.facts },
    ...(malformed.length === 0 ? {} : { malformed }),
    ...(unseen.length === 0 ? {} : { unseen }),
  }
  return dateDoubts(whole, doubted, current)
}

/** JSON Pointers of what was not shown before, and is not shown by this scan, as stubs show little. */
function stillUnseen(shown: Resource, attributes: JsonObject, { doubts = {} }: StoredBody): readonly string[] {
  const isHidden = ([path]: readonly [string, FieldDoubt]) => {
    const [name = ''] = path.split(/[.[]/, 1)
    const isShown = Object.hasOwn(shown.attributes, name) || Object.hasOwn(shown.volatile, name)
    return !isShown && shown.unseen?.includes(`/${name}`) !== true
  }
  return unseenIn({ attributes, doubts: Object.fromEntries(Object.entries(doubts).filter(isHidden)) })
}

/** When a run meets a field that is malformed or not shown. */
type DoubtDate = Pick<FieldDoubt, 'run' | 'at'>

/** Says of fields that rules cannot rely on since when that is so: since this run, unless the same was so before. */
function dateDoubts(resource: Resource, doubted: DoubtDate, { doubts: before = {} }: Pick<StoredBody, 'doubts'> = {}) {
  if (isReadable(resource)) return resource
  const { kind, malformed = [], unseen = [] } = resource
  const causes = [
    ...malformed.map((pointer) => [describeField(kind, pointer).path, 'malformed'] as const),
    ...unseen.map((pointer) => [describeField(kind, pointer).path, 'unseen'] as const),
  ]
  // What was in doubt within something that is not shown is so still.
  const isWithin = ([path]: readonly [string, FieldDoubt]) =>
    unseen.some((pointer) => path.startsWith(`${pointer.slice(1)}.`) || path.startsWith(`${pointer.slice(1)}[]`))
  const doubts = Object.fromEntries([
    ...Object.entries(before).filter(isWithin),
    ...[...new Map(causes)].map(([path, cause]): [string, FieldDoubt] => {
      const previous = Object.hasOwn(before, path) ? before[path] : undefined
      return [path, { cause, run: previous?.run ?? doubted.run, at: previous?.at ?? doubted.at }]
    }),
  ])
  return { ...resource, doubts }
}

function changeOf(
  { kind, uid, name }: Resource,
  change: StagedChange['change'],
  fields: StagedChange['fields'],
): StagedChange {
  return { kind, uid, name, change, fields }
}
