import { hash } from 'node:crypto'
import { dirname, resolve } from 'node:path'
import { nearestName } from '../document/nearest-name.ts'
import { type Problem, refuseProblems } from '../document/problem.ts'
import { type ReadDocument, readDocument } from '../document/read-document.ts'
import { canonicalJson } from '../model/canonical-json.ts'
import { AuditError, reasonOf } from '../model/errors.ts'
import type { Json } from '../model/json.ts'
import { type Pack, packs } from '../rules/rule.ts'
import { rules } from '../rules/rules.ts'
import { findBadWaivers, isWaivedValue } from './check-waivers.ts'
import type { Layer } from './layer.ts'
import { activateRules, packLayer } from './layers.ts'
import type { ActiveRule, Policy } from './policy.ts'
import { policyOutline, policySchemaWith, type SaidWaiver, type Setting } from './policy-schema.ts'
import type { Probe } from './probe.ts'
import { type CustomRule, readCustom } from './read-custom.ts'
import { findDoubleProbes, readProbes, withoutRepeats } from './read-probes.ts'
import { matcherOf, type Selector } from './selector.ts'
import { compileWaiver } from './waiver.ts'

/** What a policy file and those that it extends say together. */
interface Said {
  readonly layers: readonly Layer[]
  readonly overrides: readonly { readonly match: Selector; readonly layer: Layer }[]
  readonly waivers: readonly SaidWaiver[]
  readonly custom: readonly CustomRule[]
  readonly probes: readonly Probe[]
}

/** The world of a policy file. `now`: milliseconds; a waiver must not last too long from there. */
interface Reading {
  readonly readFile: (file: string) => string
  readonly now: number
}

const nothing: Said = { layers: [], overrides: [], waivers: [], custom: [], probes: [] }

/**
 * The policy of a file, or the `recommended` pack where there is none. `now`: what waivers may last too long from, in
 * milliseconds; without it, how far ahead they end is not looked at.
 * @throws AuditError 2 with a line for every mistake, as `file:line:column`
 */
export function readPolicy(
  file: string | undefined,
  readFile: (file: string) => string,
  now = Number.POSITIVE_INFINITY,
): Policy {
  const { layers, overrides, waivers, custom, probes } =
    file === undefined ? ofPack('recommended', undefined) : readSaid(file, { readFile, now }, [])
  const known = [...rules, ...custom.map(({ rule }) => rule)]
  const rulesUnder = (places: readonly number[]) =>
    activateRules(known, [...layers, ...places.flatMap((place) => overrides[place]?.layer ?? [])])
  const active = rulesUnder([])
  return {
    digest: digestOf(active, { overrides, waivers, probes }),
    probes,
    known,
    layers,
    rules: active,
    waivers: waivers.map(compileWaiver),
    overrides: overrides.map(({ match, layer }) => ({ layer, rules: [...layer.keys()], matches: matcherOf(match) })),
    rulesUnder,
  }
}

function readSaid(file: string, reading: Reading, within: readonly string[]): Said {
  const text = read(file, reading.readFile)
  const outline = readDocument(text, { file, schema: policyOutline, isSecret: isWaivedValue })
  const problems: Problem[] = []
  const extended = (outline.value.extends ?? []).map((name, index): Said => {
    const at = ['extends', index]
    if (isPack(name)) return ofPack(name, placeOf(file, outline, at))
    const other = resolve(dirname(file), name)
    if (!/[/.]/.test(name)) problems.push(outline.problem(at, unknownPack(name)))
    else if ([...within, file].includes(other)) {
      problems.push(outline.problem(at, `\`${name}\` extends this file: a circle`))
    } else return readSaid(other, reading, [...within, file])
    return nothing
  })
  if (outline.value.extends === undefined && within.length === 0) extended.push(ofPack('recommended', undefined))
  const inherited = uniqueCustom(extended.flatMap(({ custom }) => custom))
  for (const [first, second] of twins(inherited)) {
    const text = `\`${first.rule.id}\` is defined twice in what this file extends, in ${first.at} and ${second.at}`
    problems.push(outline.problem(['extends'], text))
  }
  const ids = [
    ...inherited.map(({ rule }) => rule.id),
    ...outline.value.custom.map(({ id }) => id).filter((id) => id !== ''),
  ]
  const document = readDocument(text, {
    file,
    schema: policySchemaWith(ids),
    known: problems,
    isSecret: isWaivedValue,
    isExact: (path) => isWaivedValue(path) || path[2] === 'expect_json',
  })
  const custom = readCustom(file, document, inherited)

  const layerOf = (said: Readonly<Record<string, Setting | undefined>>, path: readonly (string | number)[]): Layer =>
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
  const { waivers } = document.value
  const ruleIds = [...rules.map(({ id }) => id), ...ids]
  const badWaivers = findBadWaivers(document, waivers, { now: reading.now, ruleIds })
  const extendedProbes = extended.flatMap((said) => said.probes)
  const { probes, problems: badProbes } = readProbes({ document, file, readFile: reading.readFile })
  const doubles = findDoubleProbes(document, extendedProbes)
  refuseProblems([...findFoldOptions(document, overrides), ...badWaivers, ...badProbes, ...doubles])
  const own: Layer = new Map(custom.map(({ rule, at }) => [rule.id, { setting: {}, layer: 'custom', at }]))
  return {
    layers: [...extended.flatMap(({ layers }) => layers), own, layerOf(document.value.rules, ['rules'])],
    overrides: [...extended.flatMap((said) => said.overrides), ...overrides],
    waivers: [...extended.flatMap((said) => said.waivers), ...waivers],
    custom: [...inherited, ...custom],
    probes: [...withoutRepeats(extendedProbes), ...probes],
  }
}

function ofPack(pack: Pack, at: string | undefined): Said {
  return { ...nothing, layers: [packLayer(pack, at)] }
}

/** A file that is extended in two ways defines its rules once. */
function uniqueCustom(all: readonly CustomRule[]): readonly CustomRule[] {
  return [...new Map(all.map((each) => [`${each.rule.id} ${each.at}`, each])).values()]
}

/** Rules of one name from different places. */
function twins(custom: readonly CustomRule[]): (readonly [CustomRule, CustomRule])[] {
  const first = new Map<string, CustomRule>()
  return custom.flatMap((each) => {
    const known = first.get(each.rule.id)
    if (known === undefined) first.set(each.rule.id, each)
    return known === undefined ? [] : [[known, each] as const]
  })
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

/** A rule across resources judges them together: it cannot have other options for some of them. */
function* findFoldOptions({ problem }: ReadDocument<unknown>, overrides: Said['overrides']): Generator<Problem> {
  for (const [index, { layer }] of overrides.entries()) {
    for (const [id, { setting }] of layer) {
      const isFold = rules.some((rule) => rule.id === id && (rule.scope === 'project' || rule.scope === 'fleet'))
      if (!isFold || typeof setting === 'string') continue
      for (const option of Object.keys(setting).filter((key) => key !== 'severity')) {
        const text = `\`${option}\` of ${id} cannot differ between resources that it judges together; set it under \`rules\``
        yield problem(['overrides', index, 'rules', id, option], text, 'key')
      }
    }
  }
}

function read(file: string, readFile: (file: string) => string): string {
  try {
    return readFile(file)
  } catch (error) {
    throw new AuditError(2, `cannot read the policy ${file}: ${reasonOf(error)}`, {
      advice: 'check `policy` in the configuration; without it the recommended rules judge',
      cause: error,
    })
  }
}

function isPack(name: string): name is Pack {
  return packs.some((pack) => pack === name)
}

function unknownPack(name: string): string {
  const nearest = nearestName(name, packs)
  const hint = nearest === undefined ? `expected one of ${packs.join(', ')}, or a file` : `did you mean \`${nearest}\`?`
  return `\`${name}\` is no pack, ${hint}`
}

function digestOf(
  active: readonly ActiveRule[],
  { overrides, waivers, probes }: Pick<Said, 'overrides' | 'waivers' | 'probes'>,
): string {
  const decides = active.map(({ rule, severity, options }): Json => {
    return [rule.id, severity ?? null, rule.custom?.source ?? options]
  })
  // Selectors and settings are decoded values of the policy file.
  const exceptions = overrides.map(({ match, layer }): Json => {
    const settings = [...layer].map(([id, { setting }]) => [id, setting as Json] as const)
    return [match as Json, Object.fromEntries(settings)]
  })
  const judges = exceptions.length === 0 ? decides : [decides, exceptions]
  const waives: Json = waivers.length === 0 ? judges : [judges, waivers as unknown as Json]
  return hash(
    'sha256',
    canonicalJson(probes.length === 0 ? waives : [waives, { probes: probes.map(({ said }) => said) }]),
  )
}
