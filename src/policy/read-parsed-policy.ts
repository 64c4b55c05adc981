import { dirname, resolve } from 'node:path'
import { AuditError, reasonOf } from '../model/errors.ts'
import type { Kind } from '../model/resource.ts'
import type { DueDurations } from '../model/violation.ts'
import { describeReference } from '../model/yaml/describe-value.ts'
import { type ParsedYaml, parseYaml } from '../model/yaml/parse-yaml.ts'
import type { FileProblem } from '../model/yaml/problem.ts'
import {
  examineDocument,
  mostProblems,
  type ReadDocument,
  readDocument,
  refuseFaults,
} from '../model/yaml/read-document.ts'
import { type Pack, packs, type Rule } from '../rules/engine/rule.ts'
import { rules } from '../rules/rules.ts'
import type { CustomSource } from './cel/custom-rule.ts'
import type { Language } from './cel/language.ts'
import type { WrittenWindow } from './change-window.ts'
import { compilerFrom, type LoadCompiler } from './expression-compiler.ts'
import type { IgnoredPath } from './ignored-paths.ts'
import type { Layer, RuleStatement } from './policy.ts'
import { hintAt, policyOutline, policySchemaWith, type RuleSetting, type WrittenWaiver } from './policy-schema.ts'
import type { Probe } from './probe.ts'
import { findDoubleProbes, readProbes, withoutRepeats } from './read-probes.ts'
import type { Selector } from './selector.ts'
import type { Steps } from './steps.ts'

/** Reads the files of one policy. `now`: milliseconds; limits how far ahead waivers may end. */
export interface PolicyReader {
  readonly readFile: (file: string) => string
  /** Changes the words of the policy. */
  readonly mask: (text: string) => string
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
export function* readParsedPolicy(file: string | undefined, reader: Omit<PolicyReader, 'files'>): Steps<ParsedPolicy> {
  if (file === undefined) return ofPack('recommended', undefined)
  const read = tryReading(file, reader.readFile)
  if ('reason' in read) {
    throw AuditError.usage(`cannot read the policy ${file}: ${read.reason}`, {
      advice:
        'correct the path: on the command line, or `policy` of the configuration, without which `recommended` applies',
    })
  }
  return yield* readOne({ path: resolve(file), file, text: read.text }, { ...reader, files: new Map() }, 1)
}

/** A waiver as a file writes it. */
interface WaiverAtPosition {
  readonly written: WrittenWaiver
  /** `file:line:column`. */
  readonly at: string
}

/** What a policy file and those that it extends say together. */
export interface ParsedPolicy {
  readonly layers: readonly Layer[]
  readonly overrides: readonly { readonly match: Selector; readonly layer: Layer }[]
  readonly waivers: readonly WaiverAtPosition[]
  readonly custom: readonly CustomRule[]
  readonly probes: readonly Probe[]
  readonly due: DueDurations
  readonly ignore: readonly IgnoredPath[]
  /** Their names are unique. */
  readonly windows: readonly WrittenWindow[]
  /** How many files deep it goes, itself included. */
  readonly depth: number
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
    windows: [],
    depth: 0,
  }
}

function packLayer(pack: Pack, at: string | undefined): Layer {
  const statement: RuleStatement = { setting: {}, layer: `pack ${pack}`, at }
  return new Map(rules.filter((rule) => rule.packs.includes(pack)).map((rule) => [rule.id, statement]))
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
  const statements = yield* readStatements({ text, parsed, file }, { outline, extended, problems, reader })
  reader.files.set(path, statements)
  return statements
}

/** Members that are words of a person. Others choose projects and rules, and stay as they are written. */
const saying: ReadonlySet<unknown> = new Set(
  'owner reason ticket value title message remediation when assert'.split(' '),
)

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
      extended.push(ofPack(name, positionOf(file, outline, at)))
      continue
    }
    const other = resolve(dirname(file), name)
    const cached = reader.files.get(other)
    if (!/[/.]/.test(name)) refuse(unknownPack(name))
    else if (cached === 'being read') refuse(`${describeReference(name)} extends this file: a circle`)
    else if (depth + (cached?.depth ?? 1) > mostDepth)
      refuse(
        `${describeReference(name)} is more than ${mostDepth} files deep, the limit: extend it from a file further up`,
      )
    else if (cached !== undefined) extended.push(cached)
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

function positionOf(
  file: string,
  { at }: Pick<ReadDocument<unknown>, 'at'>,
  path: readonly (string | number)[],
  where: 'key' | 'value' = 'value',
): string {
  const { line, column } = at(path, where)
  return `${file}:${line}:${column}`
}

function unknownPack(name: string): string {
  const hint = hintAt(name, packs, `expected one of ${packs.join(', ')}, or a file`)
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
function* readStatements(
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
  const schema = policySchemaWith(ids, reader.now)
  const examined = examineDocument(text, {
    file,
    schema,
    knownProblems: problems,
    parsed,
    isSecret: isWaivedValue,
    expand: (written, path) => ({ text: saying.has(path.at(-1)) ? reader.mask(written) : written }),
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
        const at = positionOf(file, document, [...path, id], 'key')
        return setting === undefined ? [] : [[id, { setting, layer: path[0] === 'rules' ? 'rules' : 'override', at }]]
      }),
    )
  const overrides = document.value.overrides.map(({ match, rules: said }, index) => ({
    match,
    layer: layerOf(said, ['overrides', index, 'rules']),
  }))
  yield
  const extendedProbes = extended.flatMap((said) => said.probes)
  const { probes, problems: badProbes } = yield* readProbes(document, file, reader)
  const doubles = findDoubleProbes(document, extendedProbes)
  refuseFaults(examined, [...badCustom, ...badProbes, ...doubles])
  const ignored = document.value.ignore.map((path, index) => ({
    path,
    at: positionOf(file, document, ['ignore', index]),
  }))
  const placed = document.value.waivers.map((written, index) => ({
    written,
    at: positionOf(file, document, ['waivers', index]),
  }))
  const customLayer: Layer = new Map(custom.map(({ rule, at }) => [rule.id, { setting: {}, layer: 'custom', at }]))
  return {
    layers: lastOfEach([
      ...extended.flatMap(({ layers }) => layers),
      customLayer,
      layerOf(document.value.rules, ['rules']),
    ]),
    overrides: lastOfEach([...extended.flatMap((said) => said.overrides), ...overrides]),
    waivers: lastOfEach([...extended.flatMap((said) => said.waivers), ...placed]),
    custom: [...inherited, ...custom],
    probes: [...withoutRepeats(extendedProbes), ...probes],
    due: mergeDue([...extended.map((said) => said.due), document.value.due]),
    ignore: mergeIgnored([...extended.map((said) => said.ignore), ignored]),
    windows: mergeWindows([...extended.map((said) => said.windows), document.value.windows]),
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

/** Rules of one name from different files or lines. */
function twinsAmong(custom: readonly CustomRule[]): (readonly [CustomRule, CustomRule])[] {
  const first = new Map<string, CustomRule>()
  return custom.flatMap((each) => {
    const firstOfId = first.get(each.rule.id)
    if (firstOfId === undefined) first.set(each.rule.id, each)
    return firstOfId === undefined ? [] : [[firstOfId, each] as const]
  })
}

/**
 * Compiles the custom rules of a file, after those of the files that it extends, one step each; and every mistake in
 * them, each at its position within the expression.
 */
function* readCustom(
  file: string,
  document: ReadDocument<{ readonly custom: readonly CustomSource[] }>,
  before: readonly CustomRule[],
  loadCompiler: LoadCompiler,
): Steps<{ readonly custom: readonly CustomRule[]; readonly problems: readonly FileProblem[] }> {
  const { value, problem, problemWithin } = document
  const problems: FileProblem[] = []
  const customRules: CustomRule[] = []
  const languages = new Map<Kind, Language>()
  for (const [index, source] of value.custom.entries()) {
    yield
    const twin = [...before, ...customRules].find(({ rule }) => rule.id === source.id)
    if (twin !== undefined) {
      problems.push(problem(['custom', index, 'id'], `\`${source.id}\` is defined already, in ${twin.at}`))
      continue
    }
    const { compileCustomRule } = yield* compilerFrom(loadCompiler)
    const result = compileCustomRule(source, languages)
    if ('rule' in result)
      customRules.push({ rule: result.rule, at: positionOf(file, document, ['custom', index, 'id']) })
    else {
      for (const { member, offset, text } of result.mistakes) {
        problems.push(problemWithin(['custom', index, member], offset, text))
      }
    }
  }
  return { custom: customRules, problems }
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

/** Each name once, as the last file has it. */
function mergeWindows(all: readonly (readonly WrittenWindow[])[]): readonly WrittenWindow[] {
  return [...new Map(all.flat().map((window) => [window.name, window])).values()]
}

/** Each path once, as the first file has it. */
function mergeIgnored(all: readonly (readonly IgnoredPath[])[]): readonly IgnoredPath[] {
  const first = new Map<string, IgnoredPath>()
  for (const one of all.flat()) if (!first.has(one.path)) first.set(one.path, one)
  return [...first.values()]
}
