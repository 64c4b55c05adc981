import { hash } from 'node:crypto'
import { dirname, resolve } from 'node:path'
import { nearestName } from '../document/nearest-name.ts'
import { type Problem, refuseProblems } from '../document/problem.ts'
import { type ReadDocument, readDocument } from '../document/read-document.ts'
import { canonicalJson } from '../model/canonical-json.ts'
import { AuditError, messageOf } from '../model/errors.ts'
import type { Json } from '../model/json.ts'
import { packs } from '../rules/rule.ts'
import { rules } from '../rules/rules.ts'
import { findBadWaivers, isWaivedValue } from './check-waivers.ts'
import { activateRules, type Layer, packLayer } from './layers.ts'
import type { ActiveRule, Policy } from './policy.ts'
import { policySchema, type SaidWaiver, type Setting } from './policy-schema.ts'
import { matcherOf, type Selector } from './selector.ts'
import { compileWaiver } from './waiver.ts'

/** What a policy file and those that it extends say together. */
interface Said {
  readonly layers: readonly Layer[]
  readonly overrides: readonly { readonly match: Selector; readonly layer: Layer }[]
  readonly waivers: readonly SaidWaiver[]
}

/** The world of a policy file. `now`: milliseconds; a waiver must not last too long from there. */
interface Reading {
  readonly readFile: (file: string) => string
  readonly now: number
}

const nothing: Said = { layers: [], overrides: [], waivers: [] }

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
  const { layers, overrides, waivers } =
    file === undefined ? { ...nothing, layers: [packLayer('recommended')] } : readSaid(file, { readFile, now }, [])
  const rulesUnder = (places: readonly number[]) =>
    activateRules([...layers, ...places.flatMap((place) => overrides[place]?.layer ?? [])])
  const active = rulesUnder([])
  return {
    digest: digestOf(active, overrides, waivers),
    rules: active,
    waivers: waivers.map(compileWaiver),
    overrides: overrides.map(({ match, layer }) => ({ rules: [...layer.keys()], matches: matcherOf(match) })),
    rulesUnder,
  }
}

function readSaid(file: string, reading: Reading, within: readonly string[]): Said {
  const document = readDocument(read(file, reading.readFile), { file, schema: policySchema, isSecret: isWaivedValue })
  const extended = (document.value.extends ?? (within.length === 0 ? ['recommended'] : [])).map((name, index): Said => {
    const at = ['extends', index]
    if (isPack(name)) return { ...nothing, layers: [packLayer(name)] }
    if (!/[/.]/.test(name)) refuseProblems([document.problem(at, unknownPack(name))])
    const other = resolve(dirname(file), name)
    if ([...within, file].includes(other)) {
      refuseProblems([document.problem(at, `\`${name}\` extends this file: a circle`)])
    }
    return readSaid(other, reading, [...within, file])
  })
  const overrides = document.value.overrides.map(({ match, rules: said }) => ({ match, layer: layerOf(said) }))
  const { waivers } = document.value
  refuseProblems([...findFoldOptions(document, overrides), ...findBadWaivers(document, waivers, reading.now)])
  return {
    layers: [...extended.flatMap(({ layers }) => layers), layerOf(document.value.rules)],
    overrides: [...extended.flatMap((said) => said.overrides), ...overrides],
    waivers: [...extended.flatMap((said) => said.waivers), ...waivers],
  }
}

/** A rule across resources judges them together: it cannot have other options for some of them. */
function* findFoldOptions({ problem }: ReadDocument<unknown>, overrides: Said['overrides']): Generator<Problem> {
  for (const [index, { layer }] of overrides.entries()) {
    for (const [id, setting] of layer) {
      const isFold = rules.some((rule) => rule.id === id && rule.scope !== 'resource')
      if (!isFold || typeof setting === 'string') continue
      for (const option of Object.keys(setting).filter((key) => key !== 'severity')) {
        const text = `\`${option}\` of ${id} cannot differ between resources that it judges together; set it under \`rules\``
        yield problem(['overrides', index, 'rules', id, option], text, 'key')
      }
    }
  }
}

function layerOf(said: Readonly<Record<string, Setting | undefined>>): Layer {
  return new Map(Object.entries(said).flatMap(([id, setting]) => (setting === undefined ? [] : [[id, setting]])))
}

function read(file: string, readFile: (file: string) => string): string {
  try {
    return readFile(file)
  } catch (error) {
    throw new AuditError(2, `cannot read the policy ${file}: ${messageOf(error)}`, {
      advice: 'check `policy` in the configuration; without it the recommended rules judge',
      cause: error,
    })
  }
}

function isPack(name: string): name is (typeof packs)[number] {
  return packs.some((pack) => pack === name)
}

function unknownPack(name: string): string {
  const nearest = nearestName(name, packs)
  const hint = nearest === undefined ? `expected one of ${packs.join(', ')}, or a file` : `did you mean \`${nearest}\`?`
  return `\`${name}\` is no pack, ${hint}`
}

function digestOf(active: readonly ActiveRule[], overrides: Said['overrides'], waivers: readonly SaidWaiver[]): string {
  const decides = active.map(({ rule, severity, options }): Json => [rule.id, severity ?? null, options])
  // Selectors and settings are decoded values of the policy file.
  const exceptions = overrides.map(({ match, layer }): Json => [match as Json, Object.fromEntries(layer) as Json])
  const judges = exceptions.length === 0 ? decides : [decides, exceptions]
  return hash('sha256', canonicalJson(waivers.length === 0 ? judges : [judges, waivers as unknown as Json]))
}
