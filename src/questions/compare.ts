import { z } from 'zod'
import {
  diffCounterparts,
  type FieldPattern,
  findSeals,
  isCompared,
  readFieldPattern,
  readHostMapping,
  withoutFields,
} from '../gateway/inventory/diff-counterparts.ts'
import { describeField } from '../gateway/inventory/malformed.ts'
import type { HistoryReader } from '../history/reader.ts'
import { leaveOutRenamed, type RecordedScan, readLatestScans } from '../history/sql/scans.ts'
import type { FieldChange } from '../model/change.ts'
import { AuditError, type ExitCode, exitCodes } from '../model/errors.ts'
import { type Json, pointerStep } from '../model/json.ts'
import { meantBy } from '../model/meant-by.ts'
import { schemas } from '../model/report.ts'
import { isProjectList, type Kind, projectKey } from '../model/resource.ts'
import { listOf } from '../model/schema.ts'
import { count, countEach } from '../model/text/count.ts'
import { suggestName } from '../model/text/nearest-name.ts'
import { quote } from '../model/text/neutralise.ts'
import { type Answer, type AnswerForm, type AnswerView, aboutScans, limited } from '../report/answer.ts'
import { type Chip, type Inline, type Item, list } from '../report/document/blocks.ts'
import { isGap } from '../report/gaps.ts'
import { shorten } from '../report/text/shorten.ts'
import { configuredKinds } from '../rules/engine/rule.ts'
import { toAnswerRun, toCoverage } from './as-of.ts'
import {
  type ComparedRow,
  type CompareQuery,
  type ComparisonGap,
  comparedRow,
  comparisonGap,
  type Relation,
  toRow,
  type UncomparedField,
  uncomparedField,
} from './compared-row.ts'
import {
  type ComparedSide,
  describeMissed,
  gapOf,
  type Matching,
  openSide,
  readScannedState,
  type ScannedState,
  type SidedResource,
} from './compared-side.ts'
import { type FieldGap, gapsOf } from './field-gaps.ts'
import { presenceIn, provesAbsence } from './proves-absence.ts'
import { parameter, question, runNamed, runOrTime, texts } from './question.ts'

export const compareForm: AnswerForm = {
  name: 'compare',
  version: 2,
  about: aboutScans,
  row: comparedRow,
  more: {
    a: schemas.project.describe('The first project.'),
    b: schemas.project.describe('The second project.'),
    match: z
      .enum(['name', 'url_path', 'owner+name'])
      .describe('What endpoints were matched by; resources of other kinds match by name.'),
    verdict: z
      .enum(['equal', 'different', 'unknown'])
      .describe('`unknown` where a side was not scanned completely; the exit code is 0, 1 or 3.'),
    counts: z
      .object({
        equal: schemas.count,
        modified: schemas.count,
        only_in_a: schemas.count,
        only_in_b: schemas.count,
        ambiguous: schemas.count,
        unknown: schemas.count,
        same_secret: schemas.count,
      })
      .describe('Resources: the equal ones, and the rows by `change`, no matter how many --limit left out.'),
    gaps: listOf(comparisonGap).describe(
      'Why it cannot be said of a kind that a project lacks a resource, or of subscriptions what they deliver.',
    ),
    secrets_comparable: z
      .boolean()
      .describe('false where secrets were sealed under several keys: which of them are the same is unknown.'),
    not_compared: listOf(uncomparedField).describe(
      'Fields of which one side shows no value, and references of which the counterpart is unknown, with how many resources have them.',
    ),
  },
}

const matchings = ['name', 'url_path', 'owner+name'] as const satisfies readonly Matching[]
const comparedKinds = ['endpoint', 'subscription', 'source', 'event_type', 'project'] as const

export const compare = question({
  form: compareForm,
  parameters: {
    a: parameter('<a>', 'service/project, a project alone, or the beginning of one if that is unambiguous', z.string()),
    b: parameter('<b>', 'project to compare it with, of the same service or of another one', z.string()),
    at: parameter('--run, --at <run|time>', `as of ${runOrTime}`, z.string().default('latest')),
    kind: parameter('--kind <kind>', 'only resources of this kind', z.enum(comparedKinds).optional()),
    match: parameter(
      '--match <what>',
      'how endpoints are paired; other resources are paired by name',
      z.enum(matchings).default('name'),
      { isRare: true },
    ),
    mapHost: parameter(
      '--map, --map-host <a=b>',
      'treat a host of A and its counterpart in B as equal: *.stage.example=*.example; repeatable',
      texts,
      { writtenDefault: 'none' },
    ),
    ignore: parameter('--ignore <pointer>', 'ignore a field, such as /description or /metadata/*; repeatable', texts, {
      writtenDefault: 'none',
      isRare: true,
    }),
  },
  isOfRun: true,
  check({ mapHost, ignore }) {
    mapHost.forEach(readHost)
    ignore.forEach(readIgnored)
  },
  async read(history, { a, b, at, kind, match: matching, mapHost, ignore }, { limit }) {
    const hosts = mapHost.map(readHost)
    const ignored = ignore.map(readIgnored)
    const run = await runNamed(history, at)
    const compared = await compareProjects(history, { a, b, run, matching, kind, hosts, ignored, limit })
    const nothing = compared.exitCode === exitCodes.clean ? comparisonView.nothing : 'No difference is known.'
    return { answer: compared.answer, exitCode: compared.exitCode, view: { ...comparisonView, nothing } }
  },
})

function readHost(text: string) {
  const mapping = readHostMapping(text)
  if (mapping !== undefined) return mapping
  throw AuditError.usage(`--map-host ${text}: expected a host of A and one of B`, {
    advice: 'such as stage.example.com=example.com or *.stage.example.com=*.example.com',
  })
}

function readIgnored(text: string) {
  const pattern = readFieldPattern(text)
  if (pattern !== undefined) return pattern
  throw AuditError.usage(`--ignore ${text}: expected a JSON Pointer`, { advice: 'such as /description or /secrets/*' })
}

interface Comparison {
  readonly answer: Answer<ComparedRow>
  readonly exitCode: ExitCode
}

/**
 * Compares two projects resource by resource, each as its last scan by the run left it.
 * @throws AuditError.usage when there is no such project, or two different texts mean one
 */
export async function compareProjects(reader: HistoryReader, query: CompareQuery): Promise<Comparison> {
  const { a, b, run } = query
  const scans = await readLatestScans(reader, run.number)
  const [scanA, scanB] = [findProject(scans, a), findProject(scans, b)]
  // Nothing would differ: the beginning of a name may mean the other side, where a project was not scanned.
  if (scanA === scanB && a !== b) {
    throw AuditError.usage(`${quote(a)} and ${quote(b)} mean one project, ${scanA.project.name}`, {
      advice: `name another one as B; the history has ${namesOf(scans)}`,
    })
  }
  return compareStates(await readScannedState(reader, scanA, run), await readScannedState(reader, scanB, run), query)
}

/** The same of what was read. */
export function compareStates(stateA: ScannedState, stateB: ScannedState, query: CompareQuery): Comparison {
  const { run, matching, kind, limit } = query
  const [scanA, scanB] = [stateA.scan, stateB.scan]
  const isSame = projectKey(scanA.project) === projectKey(scanB.project)
  const a = openSide(stateA, isSame ? 'uid' : matching)
  const b = isSame ? a : openSide(stateB, matching)
  const kinds = configuredKinds.filter((each) => kind === undefined || each === kind)
  const { rows, equal, uncompared } = compareSides(a, b, kinds, query)
  const gaps = kinds.flatMap((each) => [...findGaps(a, b, each), ...(isSame ? [] : findGaps(b, a, each))])
  const sides = isSame ? [a] : [a, b]
  const areFiltersCompared =
    kinds.includes('subscription') && !query.ignored.some((steps) => steps.join() === 'filters')
  const unreadFields = [
    ...(areFiltersCompared ? sides.flatMap(findUnreadFilters) : []),
    ...sides.flatMap((side) => gapsOf(side.project.name, doubtedIn(side, kinds, query.ignored))).map(toGap),
  ]
  const shared = isSame ? [] : findSharedSecrets(a, b, kinds)
  const areSecretsComparable = new Set([...a.resources, ...b.resources].map(({ sealKeyId }) => sealKeyId)).size < 2
  const verdict = verdictOf(rows, [...gaps, ...unreadFields])
  const counts = countRelations([...rows, ...shared])
  return {
    exitCode: { equal: exitCodes.clean, different: exitCodes.violations, unknown: exitCodes.incomplete }[verdict],
    answer: {
      form: compareForm,
      run: toAnswerRun(run),
      coverage: sides.flatMap(({ scan }) => toCoverage(scan)),
      more: {
        a: scanA.project.name,
        b: scanB.project.name,
        match: matching,
        verdict,
        counts: { equal, ...counts },
        gaps: [...gaps, ...unreadFields],
        secrets_comparable: areSecretsComparable,
        not_compared: uncompared,
      },
      ...describeComparison({ a, b, query, gaps, unreadFields, areSecretsComparable, uncompared }),
      conclusion: concludeComparison(counts, equal),
      ...limited([...rows, ...shared], limit),
    },
  }
}

/**
 * Finds the project that a person means: by its uid, by its name, by what follows the service in it, or by a beginning
 * of one of them that no other project has.
 * @throws AuditError.usage when there is none, or several
 */
export function findProject(recorded: readonly RecordedScan[], text: string): RecordedScan {
  const scans = recorded.filter(({ project }) => !isProjectList(project))
  const current = new Set(leaveOutRenamed(scans))
  const named = scans.flatMap((scan) => {
    const { uid, name } = scan.project
    // What another project has been called since means that one.
    const names = current.has(scan) ? [name, shortName(name)] : [uid]
    return names.map((name) => ({ scan, uid, name }))
  })
  const [match, ...others] = new Set(meantBy(named, text).map(({ scan }) => scan))
  if (match !== undefined) {
    if (others.length === 0) return match
    throw AuditError.usage(`${quote(text)} means several projects: ${namesOf([match, ...others])}`, {
      advice: 'write service/project',
    })
  }
  const names = scans.map(({ project }) => project.name)
  const projectNames = [...names, ...names.map(shortName)]
  throw AuditError.usage(`no run scanned a project ${quote(text)}${suggestName(text, projectNames)}`, {
    advice: `the history has ${namesOf(scans)}`,
  })
}

/** A scan that proved too little outranks what was found, as in a run. */
function verdictOf(rows: readonly ComparedRow[], gaps: readonly ComparisonGap[]): 'equal' | 'different' | 'unknown' {
  if (gaps.length > 0 || rows.some(({ change }) => change === 'unknown')) return 'unknown'
  return rows.length === 0 ? 'equal' : 'different'
}

function countRelations(rows: readonly ComparedRow[]): Record<Relation, number> {
  const counts = { modified: 0, only_in_a: 0, only_in_b: 0, ambiguous: 0, unknown: 0, same_secret: 0 }
  for (const { change } of rows) counts[change] += 1
  return counts
}

function findGaps(side: ComparedSide, other: ComparedSide, kind: Kind): ComparisonGap[] {
  const reason = gapOf(side, kind, other)
  return reason === undefined ? [] : [{ project: side.project.name, kind, reason }]
}

/** Filter rows decide what subscriptions deliver, and no list shows them. */
function findUnreadFilters({ project, scan }: ComparedSide): ComparisonGap[] {
  const walk = scan.coverage.find(({ listing }) => listing === 'filters')
  if (walk === undefined || !isGap(walk)) return []
  return [
    { project: project.name, kind: 'subscription', reason: `run ${scan.run.number} did not read all filter rows` },
  ]
}

/** The resources of some kinds with those of their doubts that are about what is compared. */
function doubtedIn({ resources }: ComparedSide, kinds: readonly Kind[], ignored: readonly FieldPattern[]) {
  return kinds.flatMap((kind) =>
    resources.flatMap(({ kind: own, doubts = {} }) => {
      const compared = Object.entries(doubts).filter(([path]) => isCompared(kind, path, ignored))
      return own === kind ? [{ kind, doubts: Object.fromEntries(compared) }] : []
    }),
  )
}

function toGap({ project, kind, text }: FieldGap): ComparisonGap {
  return { project, kind, reason: text }
}

function compareSides(a: ComparedSide, b: ComparedSide, kinds: readonly Kind[], query: CompareQuery) {
  const rows: ComparedRow[] = []
  const uncompared = new Map<string, UncomparedField>()
  let equal = 0
  for (const kind of kinds) {
    const keys = [...new Set([...keysOf(a, kind), ...keysOf(b, kind)])].sort()
    for (const key of keys) {
      const [ofA, ofB] = [a.byKey.get(key) ?? [], b.byKey.get(key) ?? []]
      const [first, second] = [ofA[0], ofB[0]]
      if (first === undefined || second === undefined) {
        rows.push(...ofA.map((one) => toLonely(one, { side: a, other: b, isA: true })))
        rows.push(...ofB.map((one) => toLonely(one, { side: b, other: a, isA: false })))
      } else if (ofA.length > 1 || ofB.length > 1) {
        const by = kind === 'endpoint' ? query.matching : 'name'
        const reason = `${ofA.length} in A and ${ofB.length} in B match by ${by}`
        rows.push(...ofA.map((one) => toRow(a, one, { change: 'ambiguous', reason })))
        rows.push(...ofB.map((one) => toRow(b, one, { change: 'ambiguous', reason })))
      } else {
        const { row, uncompared: paths } = comparePair({ a, b, first, second }, query)
        for (const path of paths) addTo(uncompared, kind, path)
        if (row === undefined) equal += 1
        else rows.push(row)
      }
    }
  }
  return { rows, equal, uncompared: [...uncompared.values()] }
}

function keysOf({ resources }: ComparedSide, kind: Kind): string[] {
  return resources.filter((resource) => resource.kind === kind).map(({ key }) => key)
}

function addTo(uncompared: Map<string, UncomparedField>, kind: Kind, path: string): void {
  const key = `${kind} ${path}`
  uncompared.set(key, { kind, path, resources: (uncompared.get(key)?.resources ?? 0) + 1 })
}

/** `row`: absent where the two are equal. */
function comparePair(pair: ComparedPair, { hosts, ignored }: CompareQuery) {
  const { a, b, first, second } = pair
  const { kind, uid: other_uid } = second
  const row = (members: Pick<ComparedRow, 'change'> & Partial<ComparedRow>) =>
    toRow(a, first, { other_uid, ...members })
  if (a !== b && (first.isUnreferenced || second.isUnreferenced)) {
    const reason = describeUnreferenced(first.isUnreferenced ? a : b)
    return { row: row({ change: 'unknown', reason }), uncompared: [] }
  }
  const values = diffCounterparts(kind, first, second, { hosts, ignored })
  const references = compareReferences(pair, ignored)
  const fields = [...values.fields, ...references.fields].sort((one, two) => (one.path < two.path ? -1 : 1))
  const paths = [...values.unknown, ...references.unknown].map((path) => describeField(kind, path).path)
  const unknown = [...new Set(paths)].sort()
  const reason = unknown.length === 0 ? null : `unknown in one of the two: ${unknown.join(', ')}`
  const uncompared = [...values.unshown, ...references.unknown, ...references.ambiguous]
  if (fields.length > 0) return { row: row({ change: 'modified', fields, reason }), uncompared }
  if (reason !== null) return { row: row({ change: 'unknown', reason }), uncompared }
  const [several] = references.ambiguous
  if (several === undefined) return { row: undefined, uncompared }
  return { row: row({ change: 'ambiguous', reason: `${several} leads to one of several that match` }), uncompared }
}

/** For a resource without a counterpart: unknown, unless one scan proved that it is there, and one that it is not. */
function toLonely(
  resource: SidedResource,
  { side, other, isA }: { readonly side: ComparedSide; readonly other: ComparedSide; readonly isA: boolean },
): ComparedRow {
  const { kind } = resource
  const unknown = (reason: string) => toRow(side, resource, { change: 'unknown', reason })
  if (resource.isUnreferenced) return unknown(describeUnreferenced(side))
  const [here, there] = [side.viewOf(kind), other.viewOf(kind)]
  if (here === undefined) return unknown(`it may be gone: ${gapOf(side, kind, other) ?? describeMissed(side, kind)}`)
  const presence = presenceIn(kind, { state: resource, view: here }, { state: undefined, view: there })
  if (presence !== 'unknown') return toRow(side, resource, { change: isA ? 'only_in_a' : 'only_in_b' })
  return unknown(`${other.project.name} may have it: ${gapOf(other, kind, side) ?? 'its scan does not show all'}`)
}

/** In words: what a side shows of a source may have changed, or be gone. */
function describeUnreferenced({ project }: ComparedSide): string {
  return `no subscription refers to it, and ${project.name} lists it nowhere else`
}

const mostNamed = 20

function shortName(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1)
}

function namesOf(scans: readonly RecordedScan[]): string {
  const names = scans.slice(0, mostNamed).map(({ project }) => project.name)
  const omitted = scans.length - names.length
  return `${names.join(', ') || 'no projects'}${omitted === 0 ? '' : ` and ${omitted} more`}`
}

/** Resources of A with a secret that B has too, in any resource: who learns it in one project has it in the other. */
function findSharedSecrets(a: ComparedSide, b: ComparedSide, kinds: readonly Kind[]): ComparedRow[] {
  const inB = new Map<string, SidedResource[]>()
  for (const resource of among(b, kinds)) {
    for (const { seal } of findSeals(resource.kind, resource.attributes)) {
      const key = keyOf(resource, seal)
      const withSeal = inB.get(key)
      if (withSeal === undefined) inB.set(key, [resource])
      else withSeal.push(resource)
    }
  }
  return among(a, kinds).flatMap((resource) => {
    const fields: FieldChange[] = []
    const sharers = new Set<SidedResource>()
    for (const { path, seal } of findSeals(resource.kind, resource.attributes)) {
      const withSeal = inB.get(keyOf(resource, seal))
      const sharer = withSeal?.find(({ key }) => key === resource.key) ?? withSeal?.[0]
      if (sharer === undefined) continue
      sharers.add(sharer)
      fields.push({ path, before: seal, after: seal })
    }
    const [first] = sharers
    if (first === undefined) return []
    const named = [...sharers]
      .slice(0, mostNamed)
      .map(({ kind, uid, name }) => `${kind} ${name === '' ? uid : quote(name)}`)
    const omitted = sharers.size - named.length
    const where = `${named.join(', ')}${omitted === 0 ? '' : ` and ${omitted} more`}`
    const reason = `${b.project.name} has ${sharers.size === 1 ? 'it' : 'them'} in ${where}`
    return [toRow(a, resource, { other_uid: first.uid, change: 'same_secret', reason, fields })]
  })
}

function among({ resources }: ComparedSide, kinds: readonly Kind[]): readonly SidedResource[] {
  return resources.filter(({ kind }) => kinds.includes(kind))
}

/** Seals of different installation keys say nothing about each other. */
function keyOf({ sealKeyId }: SidedResource, seal: string): string {
  return `${sealKeyId} ${seal}`
}

/** Two resources that have the same purpose in two projects. */
interface ComparedPair {
  readonly a: ComparedSide
  readonly b: ComparedSide
  readonly first: SidedResource
  readonly second: SidedResource
}

const references = [
  ['endpoint_uid', 'endpoint'],
  ['source_uid', 'source'],
  ['device_uid', 'device'],
] as const satisfies readonly (readonly [string, Kind])[]

/** Compares what two subscriptions refer to: equal are references to counterparts, and references to nothing. */
function compareReferences({ a, b, first, second }: ComparedPair, ignored: readonly FieldPattern[]) {
  const fields: FieldChange[] = []
  const unknown: string[] = []
  const ambiguous: string[] = []
  const compared = { fields, unknown, ambiguous }
  if (first.kind !== 'subscription') return compared
  const before = withoutFields(first.attributes, ignored)
  const after = withoutFields(second.attributes, ignored)
  for (const [member, kind] of references) {
    const [one, other] = [before[member], after[member]]
    if (one === undefined && other === undefined) continue
    // A project that is compared with itself.
    if (a === b && one === other) continue
    const [end, otherEnd] = [resolve(kind, one, { side: a, other: b }), resolve(kind, other, { side: b, other: a })]
    const path = `/${member}`
    if (end === undefined || otherEnd === undefined) unknown.push(path)
    else if (end.key !== otherEnd.key)
      fields.push({ path, before: end.displayAgainst(otherEnd), after: otherEnd.displayAgainst(end) })
    else if ([a, b].some(({ byKey }) => (byKey.get(end.key)?.length ?? 0) > 1)) ambiguous.push(path)
  }
  return compared
}

interface End {
  /** Equal for counterparts. */
  readonly key: string
  readonly name: string
  readonly uid: string | null
  /** For people: the name, unless the other one has the same. */
  displayAgainst(other: Pick<End, 'name'>): Json
}

/** undefined when it is not known what a reference leads to. */
function resolve(
  kind: Kind,
  uid: Json | undefined,
  { side, other }: { readonly side: ComparedSide; readonly other: ComparedSide },
): End | undefined {
  if (uid === null || uid === '') return { key: 'nothing', name: '', uid: null, displayAgainst: () => null }
  if (typeof uid !== 'string') return undefined
  const resource = side.find(kind, uid)
  if (resource !== undefined) {
    const { key, name } = resource
    return { key, name, uid, displayAgainst: (end) => (name === '' || name === end.name ? uid : name) }
  }
  return provesAbsence(kind, side.viewOf(kind), other.viewOf(kind))
    ? { key: 'missing', name: '', uid, displayAgainst: () => uid }
    : undefined
}

const chips = {
  modified: { chip: '~ modified', mark: 'modified' },
  only_in_a: { chip: '- only in A', mark: 'removed' },
  only_in_b: { chip: '+ only in B', mark: 'added' },
  ambiguous: { chip: '? ambiguous', mark: 'modified' },
  unknown: { chip: '? unknown', mark: 'alarm' },
  same_secret: { chip: '! same secret', mark: 'high' },
} as const satisfies Record<Relation, Chip>

const identifying = ['project', 'kind', 'uid', 'other_uid', 'name', 'change', 'reason'] as const

const comparisonView: AnswerView<ComparedRow> = {
  columns: [...identifying, ...['path', 'before', 'after'].map((name) => ({ name, value: () => null }))],
  records(row) {
    const who = identifying.map((name) => row[name])
    if (row.fields.length === 0) return [[...who, null, null, null]]
    return row.fields.map(({ path, before, after }) => [...who, path, before, after])
  },
  blocks: ({ rows }) => list('resource', rows.map(itemOf)),
  nothing: 'Nothing differs.',
}

/** Of a secret that both have, only the place is said: its seal says nothing to people. */
function itemOf(row: ComparedRow): Item {
  const { change, fields, other_uid: uid, reason } = row
  const other = change === 'modified' && uid !== null ? ` and ${shorten(uid, 64)}` : ''
  const places = fields.map(({ path }): Inline => ({ code: shorten(path, 120) }))
  return {
    text: [chips[change], ' ', { resource: row }, other],
    ...(change !== 'same_secret' && { fields }),
    below: [...(change === 'same_secret' ? places : []), ...(reason === null ? [] : [shorten(reason, 300)])],
  }
}

const mostListed = 8

interface ComparisonFacts {
  readonly a: ComparedSide
  readonly b: ComparedSide
  readonly query: Pick<CompareQuery, 'matching' | 'ignored'>
  readonly gaps: readonly ComparisonGap[]
  readonly unreadFields: readonly ComparisonGap[]
  readonly areSecretsComparable: boolean
  readonly uncompared: readonly UncomparedField[]
}

/** Sentences about what was compared, and about what is unknown. */
function describeComparison(facts: ComparisonFacts): Required<Pick<Answer<never>, 'remarks' | 'unknown'>> {
  const { a, b, query, gaps, unreadFields, areSecretsComparable, uncompared } = facts
  const { matching, ignored } = query
  const pointers = ignored.map((steps) => `/${steps.map(pointerStep).join('/')}`)
  const fields = uncompared.map(({ kind, path, resources }) => `${kind} ${path} (${resources})`)
  const unknown = [
    ...gaps.map(({ project, kind, reason }) => {
      const what = kind === 'project' ? `the settings of ${project}` : `every ${kind} that ${project} seems to lack`
      return `UNKNOWN: ${what}: ${reason}.`
    }),
    ...unreadFields.map(({ project, reason }) => `UNKNOWN: ${project}: ${reason}.`),
    ...(fields.length === 0 ? [] : [`Not compared, because a value or a counterpart is unknown: ${listed(fields)}.`]),
    ...(areSecretsComparable ? [] : ['Secrets were sealed under several keys: which of them are the same is unknown.']),
  ]
  return {
    remarks: [
      `A is ${a.project.name}, B is ${b.project.name}. Values are A → B, matched by ${matching}.`,
      ...(pointers.length === 0 ? [] : [`Ignored: ${listed(pointers)}.`]),
      ...unknown,
    ],
    unknown,
  }
}

/** How many resources are equal, how many are not, and who has the secrets of the other. */
function concludeComparison(counts: Readonly<Record<Relation, number>>, equal: number): string[] {
  const { same_secret: shared } = counts
  const differing = countEach(['modified', 'only_in_a', 'only_in_b', 'ambiguous', 'unknown'], counts)
  const unequal = differing.replace('only_in_a', 'only in A').replace('only_in_b', 'only in B')
  return [
    `${count(equal, 'resource')} equal${unequal === '' ? '' : `, ${unequal}`}.`,
    ...(shared === 0 ? [] : [`${count(shared, 'resource')} of A with a secret that B has too: give each its own.`]),
  ]
}

function listed(texts: readonly string[]): string {
  const omitted = texts.length - mostListed
  return `${texts.slice(0, mostListed).join(', ')}${omitted > 0 ? ` and ${omitted} more` : ''}`
}
