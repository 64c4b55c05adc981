import { dirname, resolve } from 'node:path'
import { AuditError, reasonOf } from '../model/errors.ts'
import { type Pack, packs } from '../rules/engine/rule.ts'
import { rules } from '../rules/rules.ts'
import { nearestName } from '../text/nearest-name.ts'
import { describeReference } from '../yaml/describe-value.ts'
import { type ParsedYaml, parseYaml } from '../yaml/parse-yaml.ts'
import type { FileProblem } from '../yaml/problem.ts'
import { examineDocument, mostProblems, type ReadDocument, readDocument, refuseFaults } from '../yaml/read-document.ts'
import { findBadWaivers, isWaivedValue } from './check-waivers.ts'
import { findAggregateOptions } from './find-aggregate-options.ts'
import type { Layer } from './layer.ts'
import { packLayer } from './layers.ts'
import { lastOfEach, mergeDue, mergeIgnored } from './merge-policies.ts'
import type { ParsedPolicy } from './parsed-policy.ts'
import { policyOutline, policySchemaWith, type RuleSetting } from './policy-schema.ts'
import { readCustom, twins, uniqueCustom } from './read-custom.ts'
import { readIgnored } from './read-ignored.ts'
import { findDoubleProbes, readProbes, withoutRepeats } from './read-probes.ts'
import type { Steps } from './steps.ts'

/** How to read a policy file. `now`: milliseconds; limits how far ahead waivers may end. */
interface PolicyReadContext {
  readonly readFile: (file: string) => string
  readonly now: number
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
  { readFile, now }: Pick<PolicyReadContext, 'readFile' | 'now'>,
): Steps<ParsedPolicy> {
  if (file === undefined) return ofPack('recommended', undefined)
  const read = tryReading(file, readFile)
  if ('reason' in read) {
    throw AuditError.usage(`cannot read the policy ${file}: ${read.reason}`, {
      advice: 'check `policy` in the configuration; without it the pack `recommended` applies',
    })
  }
  return yield* readOne({ path: resolve(file), file, text: read.text }, { readFile, now, files: new Map() }, 1)
}

interface PolicyFile {
  /** Absolute. */
  readonly path: string
  /** As messages name it. */
  readonly file: string
  readonly text: string
}

function* readOne({ path, file, text }: PolicyFile, reading: PolicyReadContext, depth: number): Steps<ParsedPolicy> {
  reading.files.set(path, 'being read')
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
  const { extended, problems } = yield* readExtended(outline, { file, reading, depth })
  const said = yield* readOwn({ text, parsed, file }, { outline, extended, problems, reading })
  reading.files.set(path, said)
  return said
}

type Outline = ReadDocument<{
  readonly extends?: readonly string[] | undefined
  readonly custom: readonly { readonly id: string }[]
}>

function* readExtended(
  outline: Outline,
  { file, reading, depth }: { readonly file: string; readonly reading: PolicyReadContext; readonly depth: number },
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
    const known = reading.files.get(other)
    if (!/[/.]/.test(name)) refuse(unknownPack(name))
    else if (known === 'being read') refuse(`${describeReference(name)} extends this file: a circle`)
    else if (depth + (known?.depth ?? 1) > mostDepth)
      refuse(
        `${describeReference(name)} is more than ${mostDepth} files deep, the limit: extend it from a file further up`,
      )
    else if (known !== undefined) extended.push(known)
    else if (reading.files.size >= mostFiles)
      refuse(`a policy has at most ${mostFiles} files, and this is one more: merge some of them`)
    else {
      const read = tryReading(other, reading.readFile)
      if ('reason' in read) refuse(`cannot read ${describeReference(name)}: ${read.reason}`)
      else extended.push(yield* readOne({ path: other, file: other, text: read.text }, reading, depth + 1))
    }
  }
  if (outline.value.extends === undefined && depth === 1) extended.push(ofPack('recommended', undefined))
  return { extended, problems }
}

interface Text {
  readonly text: string
  readonly parsed: ParsedYaml
  readonly file: string
}

interface Extended {
  readonly outline: Outline
  readonly extended: readonly ParsedPolicy[]
  readonly problems: FileProblem[]
  readonly reading: PolicyReadContext
}

/** Adds the file's own settings to those that it extends. */
function* readOwn(
  { text, parsed, file }: Text,
  { outline, extended, problems, reading }: Extended,
): Steps<ParsedPolicy> {
  const inherited = uniqueCustom(extended.flatMap(({ custom }) => custom))
  for (const [first, second] of twins(inherited)) {
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
  const { custom, problems: badCustom } = yield* readCustom(file, document, inherited)

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
  const badWaivers = [...findBadWaivers(document, waivers, { now: reading.now, ruleIds }).take(mostProblems)]
  yield
  const extendedProbes = extended.flatMap((said) => said.probes)
  const { probes, problems: badProbes } = yield* readProbes({ document, file, readFile: reading.readFile })
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

function placeOf(
  file: string,
  { at }: Pick<ReadDocument<unknown>, 'at'>,
  path: readonly (string | number)[],
  where: 'key' | 'value' = 'value',
): string {
  const { line, column } = at(path, where)
  return `${file}:${line}:${column}`
}

function tryReading(file: string, readFile: (file: string) => string): { text: string } | { reason: string } {
  try {
    return { text: readFile(file) }
  } catch (error) {
    return { reason: reasonOf(error) }
  }
}

function isPack(name: string): name is Pack {
  return packs.some((pack) => pack === name)
}

function unknownPack(name: string): string {
  const nearest = nearestName(name, packs)
  const hint = nearest === undefined ? `expected one of ${packs.join(', ')}, or a file` : `did you mean \`${nearest}\`?`
  return `${describeReference(name)} is not a pack, ${hint}`
}
