import { dirname, resolve } from 'node:path'
import { AuditError, reasonOf } from '../model/errors.ts'
import { matchesGlob } from '../model/glob.ts'
import type { Kind } from '../model/resource.ts'
import { type DueDurations, overdueRule } from '../model/violation.ts'
import { type Field, type Members, wireSchema } from '../model/wire-schema.ts'
import { type Pack, packs, type Rule } from '../rules/engine/rule.ts'
import { rules } from '../rules/rules.ts'
import { nearestName } from '../text/nearest-name.ts'
import { describeReference } from '../yaml/describe-value.ts'
import type { NodePath } from '../yaml/node-values.ts'
import { type ParsedYaml, parseYaml } from '../yaml/parse-yaml.ts'
import type { FileProblem } from '../yaml/problem.ts'
import { examineDocument, mostProblems, type ReadDocument, readDocument, refuseFaults } from '../yaml/read-document.ts'
import type { CustomSource } from './cel/custom-rule.ts'
import type { Language } from './cel/language.ts'
import { isTooFarAhead, maxDaysAhead } from './expiry.ts'
import { compilerFrom, type LoadCompiler } from './expression-compiler.ts'
import type { IgnoredPath } from './ignored-paths.ts'
import { packLayer } from './layers.ts'
import type { Layer } from './policy.ts'
import { policyOutline, policySchemaWith, type RuleSetting, type WrittenWaiver } from './policy-schema.ts'
import type { Probe } from './probe.ts'
import { findDoubleProbes, readProbes, withoutRepeats } from './read-probes.ts'
import type { Selector } from './selector.ts'
import type { Steps } from './steps.ts'

/** Reads the files of one policy. `now`: milliseconds; limits how far ahead waivers may end. */
interface PolicyReader {
  readonly readFile: (file: string) => string
  readonly now: number
  readonly loadCompiler: LoadCompiler
  /** Files that were read or are being read. Each is read once, also when several files extend it. */
  readonly files: Map<string, ParsedPolicy | 'being read'>
}

/** Far more than people write, and quick to read. */
const mostFiles = 100
const mostDepth = 16

/**
 * Reads a policy file; without one, the `recommended` pack.
 * @throws AuditError.usage with a line for every mistake, as `file:line:column`
 */
export function* readParsedPolicy(
  file: string | undefined,
  { readFile, now, loadCompiler }: Omit<PolicyReader, 'files'>,
): Steps<ParsedPolicy> {
  if (file === undefined) return ofPack('recommended', undefined)
  const read = tryReading(file, readFile)
  if ('reason' in read) {
    throw AuditError.usage(`cannot read the policy ${file}: ${read.reason}`, {
      advice: 'check `policy` in the configuration; without it the pack `recommended` applies',
    })
  }
  return yield* readOne(
    { path: resolve(file), file, text: read.text },
    { readFile, now, loadCompiler, files: new Map() },
    1,
  )
}

/** A waiver as a file writes it. */
interface PlacedWaiver {
  readonly written: WrittenWaiver
  /** `file:line:column`. */
  readonly at: string
}

/** What a policy file and those that it extends say together. */
export interface ParsedPolicy {
  readonly layers: readonly Layer[]
  readonly overrides: readonly { readonly match: Selector; readonly layer: Layer }[]
  readonly waivers: readonly PlacedWaiver[]
  readonly custom: readonly CustomRule[]
  readonly probes: readonly Probe[]
  readonly due: DueDurations
  readonly ignore: readonly IgnoredPath[]
  /** How many files deep it goes, itself included. */
  readonly depth: number
}

/** What is wrong with a path: no field that is compared has it. undefined: nothing. */
export function refuseIgnoredPath(path: string): string | undefined {
  const steps = path.split('/').slice(1)
  let nodes: readonly (Field | undefined)[] = Object.entries(wireSchema)
    .filter(([kind]) => kind !== 'probe' && kind !== 'policy')
    .map(([, members]) => ({ type: 'struct', members }) satisfies Field)
  for (const [at, step] of steps.entries()) {
    const next = nodes.flatMap((node) => fieldsBelow(node, step))
    if (next.length === 0) {
      const known = [...new Set(nodes.flatMap((node) => (node?.type === 'struct' ? Object.keys(node.members) : [])))]
      const nearest = nearestName(step, known)
      const meant = ['', ...steps.slice(0, at), nearest, ...steps.slice(at + 1)].join('/')
      const hint = nearest === undefined ? hintOf(known, steps.slice(0, at)) : `did you mean \`${meant}\`?`
      return `no kind has the field ${describeReference(path)}, ${hint}`
    }
    nodes = next
  }
  const isCompared = nodes.some((node) => node?.presence !== 'volatile' && node?.presence !== 'reference')
  return isCompared ? undefined : `${describeReference(path)} changes by itself and is never compared: leave it out`
}

function ofPack(pack: Pack, at: string | undefined): ParsedPolicy {
  return {
    layers: [packLayer(pack, at)],
    overrides: [],
    waivers: [],
    custom: [],
    probes: [],
    due: {},
    ignore: [],
    depth: 0,
  }
}

function tryReading(file: string, readFile: (file: string) => string): { text: string } | { reason: string } {
  try {
    return { text: readFile(file) }
  } catch (error) {
    return { reason: reasonOf(error) }
  }
}

interface PolicyFile {
  /** Absolute. */
  readonly path: string
  /** As messages name it. */
  readonly file: string
  readonly text: string
}

function* readOne({ path, file, text }: PolicyFile, reader: PolicyReader, depth: number): Steps<ParsedPolicy> {
  reader.files.set(path, 'being read')
  yield
  const parsed = parseYaml(text)
  yield
  const outline = readDocument(text, {
    file,
    schema: policyOutline,
    takesAnyName: true,
    isSecret: isWaivedValue,
    parsed,
  })
  yield
  const { extended, problems } = yield* readExtended(outline, { file, reader, depth })
  const said = yield* readOwn({ text, parsed, file }, { outline, extended, problems, reader })
  reader.files.set(path, said)
  return said
}

/** The accepted value. No message shows it, because it may be a secret that was written by mistake. */
function isWaivedValue(path: readonly (string | number)[]): boolean {
  return path[0] === 'waivers' && path[2] === 'value'
}

type Outline = ReadDocument<{
  readonly extends?: readonly string[] | undefined
  readonly custom: readonly { readonly id: string }[]
}>

function* readExtended(
  outline: Outline,
  { file, reader, depth }: { readonly file: string; readonly reader: PolicyReader; readonly depth: number },
): Steps<{ extended: ParsedPolicy[]; problems: FileProblem[] }> {
  const problems: FileProblem[] = []
  const extended: ParsedPolicy[] = []
  for (const [index, name] of (outline.value.extends ?? []).entries()) {
    const at = ['extends', index]
    if (problems.length === mostProblems) break
    const refuse = (text: string) => problems.push(outline.problem(at, text))
    if (isPack(name)) {
      extended.push(ofPack(name, placeOf(file, outline, at)))
      continue
    }
    const other = resolve(dirname(file), name)
    const known = reader.files.get(other)
    if (!/[/.]/.test(name)) refuse(unknownPack(name))
    else if (known === 'being read') refuse(`${describeReference(name)} extends this file: a circle`)
    else if (depth + (known?.depth ?? 1) > mostDepth)
      refuse(
        `${describeReference(name)} is more than ${mostDepth} files deep, the limit: extend it from a file further up`,
      )
    else if (known !== undefined) extended.push(known)
    else if (reader.files.size >= mostFiles)
      refuse(`a policy has at most ${mostFiles} files, and this is one more: merge some of them`)
    else {
      const read = tryReading(other, reader.readFile)
      if ('reason' in read) refuse(`cannot read ${describeReference(name)}: ${read.reason}`)
      else extended.push(yield* readOne({ path: other, file: other, text: read.text }, reader, depth + 1))
    }
  }
  if (outline.value.extends === undefined && depth === 1) extended.push(ofPack('recommended', undefined))
  return { extended, problems }
}

function isPack(name: string): name is Pack {
  return packs.some((pack) => pack === name)
}

function placeOf(
  file: string,
  { at }: Pick<ReadDocument<unknown>, 'at'>,
  path: readonly (string | number)[],
  where: 'key' | 'value' = 'value',
): string {
  const { line, column } = at(path, where)
  return `${file}:${line}:${column}`
}

function unknownPack(name: string): string {
  const nearest = nearestName(name, packs)
  const hint = nearest === undefined ? `expected one of ${packs.join(', ')}, or a file` : `did you mean \`${nearest}\`?`
  return `${describeReference(name)} is not a pack, ${hint}`
}

interface ParsedText {
  readonly text: string
  readonly parsed: ParsedYaml
  readonly file: string
}

/** What a file extends, and what was wrong there. */
interface Inheritance {
  readonly outline: Outline
  readonly extended: readonly ParsedPolicy[]
  readonly problems: FileProblem[]
  readonly reader: PolicyReader
}

/** Adds the file's own settings to those that it extends. */
function* readOwn(
  { text, parsed, file }: ParsedText,
  { outline, extended, problems, reader }: Inheritance,
): Steps<ParsedPolicy> {
  const inherited = uniqueCustom(extended.flatMap(({ custom }) => custom))
  for (const [first, second] of twinsAmong(inherited)) {
    const text = `\`${first.rule.id}\` is defined twice in what this file extends, in ${first.at} and ${second.at}`
    problems.push(outline.problem(['extends'], text))
  }
  const ids = [
    ...inherited.map(({ rule }) => rule.id),
    ...outline.value.custom.map(({ id }) => id).filter((id) => id !== ''),
  ]
  const schema = policySchemaWith(ids)
  const examined = examineDocument(text, {
    file,
    schema,
    known: problems,
    parsed,
    isSecret: isWaivedValue,
    isExact: (path) => isWaivedValue(path) || path[2] === 'expect_json',
  })
  yield
  // Of a file with too many mistakes, these are all that is said.
  const document = examined.document ?? refuseFaults(examined)
  const { custom, problems: badCustom } = yield* readCustom(file, document, inherited, reader.loadCompiler)

  const layerOf = (
    said: Readonly<Record<string, RuleSetting | undefined>>,
    path: readonly (string | number)[],
  ): Layer =>
    new Map(
      Object.entries(said).flatMap(([id, setting]) => {
        const at = placeOf(file, document, [...path, id], 'key')
        return setting === undefined ? [] : [[id, { setting, layer: path[0] === 'rules' ? 'rules' : 'override', at }]]
      }),
    )
  const overrides = document.value.overrides.map(({ match, rules: said }, index) => ({
    match,
    layer: layerOf(said, ['overrides', index, 'rules']),
  }))
  yield
  const { waivers } = document.value
  const ruleIds = [...rules.map(({ id }) => id), ...ids]
  const badWaivers = [...findBadWaivers(document, waivers, { now: reader.now, ruleIds }).take(mostProblems)]
  yield
  const extendedProbes = extended.flatMap((said) => said.probes)
  const { probes, problems: badProbes } = yield* readProbes(document, file, reader)
  const doubles = findDoubleProbes(document, extendedProbes)
  const { ignored, problems: badPaths } = readIgnored(document, (path) => placeOf(file, document, path))
  const bad = [
    ...badCustom,
    ...badPaths,
    ...findAggregateOptions(document, overrides),
    ...badWaivers,
    ...badProbes,
    ...doubles,
  ]
  refuseFaults(examined, bad)
  const placed = waivers.map((written, index) => ({ written, at: placeOf(file, document, ['waivers', index]) }))
  const own: Layer = new Map(custom.map(({ rule, at }) => [rule.id, { setting: {}, layer: 'custom', at }]))
  return {
    layers: lastOfEach([...extended.flatMap(({ layers }) => layers), own, layerOf(document.value.rules, ['rules'])]),
    overrides: lastOfEach([...extended.flatMap((said) => said.overrides), ...overrides]),
    waivers: lastOfEach([...extended.flatMap((said) => said.waivers), ...placed]),
    custom: [...inherited, ...custom],
    probes: [...withoutRepeats(extendedProbes), ...probes],
    due: mergeDue([...extended.map((said) => said.due), document.value.due]),
    ignore: mergeIgnored([...extended.map((said) => said.ignore), ignored]),
    depth: 1 + Math.max(0, ...extended.map((said) => said.depth)),
  }
}

/** A custom rule of a policy file. */
interface CustomRule {
  readonly rule: Rule
  /** `file:line:column` */
  readonly at: string
}

/** A file that is extended in two ways defines its rules once. */
function uniqueCustom(all: readonly CustomRule[]): readonly CustomRule[] {
  return [...new Map(all.map((each) => [`${each.rule.id} ${each.at}`, each])).values()]
}

/** Rules of one name from different places. */
function twinsAmong(custom: readonly CustomRule[]): (readonly [CustomRule, CustomRule])[] {
  const first = new Map<string, CustomRule>()
  return custom.flatMap((each) => {
    const known = first.get(each.rule.id)
    if (known === undefined) first.set(each.rule.id, each)
    return known === undefined ? [] : [[known, each] as const]
  })
}

/**
 * Compiles the custom rules of a file, after those of the files that it extends, one step each; and every mistake in
 * them, each at its place within the expression.
 */
function* readCustom(
  file: string,
  { value, at, problem, problemWithin }: ReadDocument<{ readonly custom: readonly CustomSource[] }>,
  before: readonly CustomRule[],
  loadCompiler: LoadCompiler,
): Steps<{ readonly custom: readonly CustomRule[]; readonly problems: readonly FileProblem[] }> {
  const problems: FileProblem[] = []
  const found: CustomRule[] = []
  const languages = new Map<Kind, Language>()
  for (const [index, source] of value.custom.entries()) {
    yield
    const { line, column } = at(['custom', index, 'id'])
    const twin = [...before, ...found].find(({ rule }) => rule.id === source.id)
    if (twin !== undefined) {
      problems.push(problem(['custom', index, 'id'], `\`${source.id}\` is defined already, in ${twin.at}`))
      continue
    }
    const { compileCustomRule } = yield* compilerFrom(loadCompiler)
    const result = compileCustomRule(source, languages)
    if ('rule' in result) found.push({ rule: result.rule, at: `${file}:${line}:${column}` })
    else {
      for (const { member, offset, text } of result.mistakes) {
        problems.push(problemWithin(['custom', index, member], offset, text))
      }
    }
  }
  return { custom: found, problems }
}

/**
 * Mistakes in waivers that the schema cannot find. An expired waiver is not a mistake of the file: the rule
 * `waiver/expired` reports it.
 */
function* findBadWaivers(
  { problem, leftOut }: ReadDocument<unknown>,
  waivers: readonly WrittenWaiver[],
  { now, ruleIds }: { readonly now: number; readonly ruleIds: readonly string[] },
): Generator<FileProblem> {
  for (const [index, { rule, expires, path, value }] of waivers.entries()) {
    const at = ['waivers', index]
    const unknown = unknownRule(rule, ruleIds)
    if (unknown !== undefined) yield problem([...at, 'rule'], unknown)
    if (isTooFarAhead(expires, now)) {
      yield problem(
        [...at, 'expires'],
        `${expires} is more than ${maxDaysAhead} days ahead: accept it for less, and review it then`,
      )
    }
    // One that is faulty itself is not missing.
    const isPairKnown = !leftOut.some((other) => other[0] === 'waivers' && ['path', 'value'].includes(String(other[2])))
    if (isPairKnown && path !== undefined && value === undefined) {
      yield problem([...at, 'path'], '`path` needs a `value`: the one that is accepted there', 'key')
    }
    if (isPairKnown && path === undefined && value !== undefined) {
      yield problem([...at, 'value'], '`value` needs a `path`: where it is accepted', 'key')
    }
    if (isPairKnown && path !== undefined && leadsToSecret(path) && !isSeal(value)) {
      yield problem(
        [...at, 'value'],
        'name a secret by its seal, `sealed:…`, as reports show it: a policy never contains the secret',
      )
    }
  }
}

function unknownRule(pattern: string, ruleIds: readonly string[]): string | undefined {
  if (pattern.startsWith('waiver/'))
    return 'what is said of waivers is not waived: renew or remove the waiver, or switch the rule off'
  if (pattern === overdueRule) return 'what is overdue is not waived: waive the violations themselves, or change `due`'
  const known = ruleIds.filter((id) => !id.startsWith('waiver/') && id !== overdueRule)
  if (known.some((id) => matchesGlob(id, pattern))) return undefined
  if (pattern.includes('*')) return `no rule matches ${describeReference(pattern)}`
  const nearest = nearestName(pattern, known)
  const hint = nearest === undefined ? '`hookdrift rules` lists them' : `did you mean \`${nearest}\`?`
  return `there is no rule ${describeReference(pattern)}, ${hint}`
}

/** Whether a path leads to a secret in a resource of any kind: its value is a seal, never the secret. */
function leadsToSecret(pointer: string): boolean {
  const steps = pointer.split('/').slice(1)
  return Object.values(wireSchema).some((members) => fieldAt(members, steps)?.type === 'secret')
}

function fieldAt(members: Members, [step = '', ...rest]: readonly string[]): Field | undefined {
  const field = Object.hasOwn(members, step) ? members[step] : undefined
  if (field === undefined || rest.length === 0) return field
  if (field.type === 'struct') return fieldAt(field.members, rest)
  // Keyed by the uid of each thing.
  return field.type === 'keyed' && rest.length > 1 ? fieldAt(field.members, rest.slice(1)) : undefined
}

function isSeal(value: unknown): boolean {
  return value === null || (typeof value === 'string' && value.startsWith('sealed:'))
}

/** The ignored paths of a policy file with their places, and those that no kind has. */
function readIgnored(
  { value, problem }: ReadDocument<{ readonly ignore: readonly string[] }>,
  placeOf: (path: NodePath) => string,
): { readonly ignored: readonly IgnoredPath[]; readonly problems: readonly FileProblem[] } {
  const ignored = value.ignore.map((path, index) => ({ path, at: placeOf(['ignore', index]) }))
  const problems = value.ignore.flatMap((path, index) => {
    const refusal = refuseIgnoredPath(path)
    return refusal === undefined ? [] : [problem(['ignore', index], refusal)]
  })
  return { ignored, problems }
}

/** A rule across resources evaluates them together: it cannot have other options for some of them. */
function* findAggregateOptions(
  { problem }: ReadDocument<unknown>,
  overrides: readonly { readonly layer: Layer }[],
): Generator<FileProblem> {
  for (const [index, { layer }] of overrides.entries()) {
    for (const [id, { setting }] of layer) {
      const isFold = rules.some((rule) => rule.id === id && (rule.scope === 'project' || rule.scope === 'fleet'))
      if (!isFold || typeof setting === 'string') continue
      for (const option of Object.keys(setting).filter((key) => key !== 'severity')) {
        const text = `\`${option}\` of ${id} cannot differ between resources that it evaluates together; set it under \`rules\``
        yield problem(['overrides', index, 'rules', id, option], text, 'key')
      }
    }
  }
}

/**
 * Keeps the last of equal items, because later ones win. Keeping all would double the work with each file that is
 * extended in two ways.
 */
function lastOfEach<Item>(all: readonly Item[]): readonly Item[] {
  return [...new Set(all.toReversed())].reverse()
}

/** Later ones win, severity by severity. */
function mergeDue(all: readonly (DueDurations | undefined)[]): DueDurations {
  return Object.assign({}, ...all)
}

/** Each path once, as the first file has it. */
function mergeIgnored(all: readonly (readonly IgnoredPath[])[]): readonly IgnoredPath[] {
  const first = new Map<string, IgnoredPath>()
  for (const one of all.flat()) if (!first.has(one.path)) first.set(one.path, one)
  return [...first.values()]
}

/** Fields below a field; `undefined` in the list: anything may be there. */
function fieldsBelow(node: Field | undefined, step: string): readonly (Field | undefined)[] {
  if (node === undefined || node.type === 'free') return [undefined]
  // Each thing by its uid.
  if (node.type === 'keyed') return [{ type: 'struct', members: node.members }]
  if (node.type !== 'struct') return []
  return step === '*' ? Object.values(node.members) : fieldOf(node.members, step)
}

function fieldOf(members: Members, name: string): readonly Field[] {
  const field = Object.hasOwn(members, name) ? members[name] : undefined
  return field === undefined ? [] : [field]
}

function hintOf(known: readonly string[], above: readonly string[]): string {
  if (known.length === 0) return `\`/${above.join('/')}\` has no fields of its own`
  return above.length === 0 ? '`hookdrift docs policy-fields` lists them' : `expected one of ${known.join(', ')}`
}
