import { z } from 'zod'
import type { HistoryReader } from '../history/reader.ts'
import { leaveOutRenamed, type RecordedScan, readLatestScans } from '../history/sql/scans.ts'
import {
  diffCounterparts,
  type FieldPattern,
  findSeals,
  isCompared,
  readFieldPattern,
  readHostMapping,
  withoutFields,
} from '../inventory/diff-counterparts.ts'
import type { FieldChange } from '../model/change.ts'
import { AuditError, type ExitCode, exitCodes } from '../model/errors.ts'
import { type Json, pointersOverlap } from '../model/json.ts'
import { meantBy } from '../model/meant-by.ts'
import { schemas } from '../model/report.ts'
import { isProjectList, type Kind, projectKey } from '../model/resource.ts'
import { listOf } from '../model/schema.ts'
import { type Answer, type AnswerForm, aboutScans, limited } from '../report/answer.ts'
import { isGap } from '../report/gaps.ts'
import { configuredKinds } from '../rules/engine/rule.ts'
import { suggestName } from '../text/nearest-name.ts'
import { quote } from '../text/neutralise.ts'
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
import { comparisonView, concludeComparison, describeComparison } from './comparison-view.ts'
import { describeUnknown } from './field-gaps.ts'
import { provesAbsence } from './proves-absence.ts'
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
    ),
    mapHost: parameter(
      '--map, --map-host <a=b>',
      'treat a host of A and its counterpart in B as equal: *.stage.example=*.example; repeatable',
      texts,
      { writtenDefault: 'none' },
    ),
    ignore: parameter('--ignore <pointer>', 'ignore a field, such as /description or /metadata/*; repeatable', texts, {
      writtenDefault: 'none',
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
    ...sides.flatMap((side) => kinds.flatMap((each) => findUnknownFields(side, each, query.ignored))),
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

/** Fields that are unknown in resources of one side. */
function findUnknownFields(
  { project, resources }: ComparedSide,
  kind: Kind,
  ignored: readonly FieldPattern[],
): ComparisonGap[] {
  const fields = resources.filter((one) => one.kind === kind).flatMap(({ unknown }) => unknown)
  const compared = fields.filter((field) => isCompared(kind, field, ignored))
  return [...Map.groupBy(compared, (field) => field)].map(([field, { length: resources }]) => {
    return { project: project.name, kind, reason: describeUnknown({ kind, field, resources }) }
  })
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
        rows.push(...ofA.map((one) => toLonely(one, 'only_in_a', { side: a, other: b })))
        rows.push(...ofB.map((one) => toLonely(one, 'only_in_b', { side: b, other: a })))
      } else if (ofA.length > 1 || ofB.length > 1) {
        const by = kind === 'endpoint' ? query.matching : 'name'
        const reason = `${ofA.length} in A and ${ofB.length} in B match by ${by}`
        rows.push(...ofA.map((one) => toRow(a, one, { change: 'ambiguous', reason })))
        rows.push(...ofB.map((one) => toRow(b, one, { change: 'ambiguous', reason })))
      } else if (a !== b && (first.isUnreferenced || second.isUnreferenced)) {
        const reason = describeUnreferenced(first.isUnreferenced ? a : b)
        rows.push(toRow(a, first, { change: 'unknown', other_uid: second.uid, reason }))
      } else {
        const { fields, unshown, unknown } = comparePair({ a, b, first, second }, query)
        for (const path of unshown) addTo(uncompared, kind, path)
        if (fields.length > 0) rows.push(toRow(a, first, { change: 'modified', other_uid: second.uid, fields }))
        else if (unknown.length === 0) equal += 1
        else {
          const reason = `unknown in one of the two: ${unknown.join(', ')}`
          rows.push(toRow(a, first, { change: 'unknown', other_uid: second.uid, reason }))
        }
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

interface Pair {
  readonly a: ComparedSide
  readonly b: ComparedSide
  readonly first: SidedResource
  readonly second: SidedResource
}

function comparePair(pair: Pair, { hosts, ignored }: CompareQuery) {
  const { first, second } = pair
  const sealsComparable = first.sealKeyId === second.sealKeyId
  const values = diffCounterparts(first.kind, first.attributes, second.attributes, { hosts, ignored, sealsComparable })
  const references = compareReferences(pair, ignored)
  const all = [...values.fields, ...references.fields].sort((one, other) => (one.path < other.path ? -1 : 1))
  const paths = [...new Set([...first.unknown, ...second.unknown])].sort()
  const unknown = paths.filter((path) => isCompared(first.kind, path, ignored))
  const isKnown = ({ path }: FieldChange) => !unknown.some((field) => pointersOverlap(pointerOf(field), path))
  return { fields: all.filter(isKnown), unshown: [...values.unshown, ...references.unknown], unknown }
}

/** Of the list in which it is, where it is in one: lists of things with a uid are compared as a set. */
function pointerOf(field: string): string {
  return `/${(field.split('[]')[0] ?? '').replaceAll('.', '/')}`
}

/** For a resource without a counterpart: unknown, unless one scan proved that it is there, and one that it is not. */
function toLonely(
  resource: SidedResource,
  change: 'only_in_a' | 'only_in_b',
  { side, other }: { readonly side: ComparedSide; readonly other: ComparedSide },
): ComparedRow {
  if (resource.isUnreferenced) return toRow(side, resource, { change: 'unknown', reason: describeUnreferenced(side) })
  if (side.viewOf(resource.kind) === undefined) {
    const reason = `it may be gone: ${gapOf(side, resource.kind, other) ?? describeMissed(side, resource.kind)}`
    return toRow(side, resource, { change: 'unknown', reason })
  }
  if (provesAbsence(resource.kind, other.viewOf(resource.kind), side.viewOf(resource.kind)))
    return toRow(side, resource, { change })
  const reason = `${other.project.name} may have it: ${gapOf(other, resource.kind, side) ?? 'its scan does not show all'}`
  return toRow(side, resource, { change: 'unknown', reason })
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

const references = [
  ['endpoint_uid', 'endpoint'],
  ['source_uid', 'source'],
  ['device_uid', 'device'],
] as const satisfies readonly (readonly [string, Kind])[]

/** Compares what two subscriptions refer to: equal are references to counterparts, and references to nothing. */
function compareReferences(
  pair: {
    readonly a: ComparedSide
    readonly b: ComparedSide
    readonly first: SidedResource
    readonly second: SidedResource
  },
  ignored: readonly FieldPattern[],
) {
  const { a, b, first, second } = pair
  const fields: FieldChange[] = []
  const unknown: string[] = []
  if (first.kind !== 'subscription') return { fields, unknown }
  const before = withoutFields(first.attributes, ignored)
  const after = withoutFields(second.attributes, ignored)
  for (const [member, kind] of references) {
    const [one, other] = [before[member], after[member]]
    if (one === undefined && other === undefined) continue
    const [end, otherEnd] = [resolve(kind, one, { side: a, other: b }), resolve(kind, other, { side: b, other: a })]
    const path = `/${member}`
    if (end === undefined || otherEnd === undefined) unknown.push(path)
    else if (end.key !== otherEnd.key)
      fields.push({ path, before: end.displayAgainst(otherEnd), after: otherEnd.displayAgainst(end) })
    else if ([a, b].some(({ byKey }) => (byKey.get(end.key)?.length ?? 0) > 1)) unknown.push(path)
  }
  return { fields, unknown }
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
