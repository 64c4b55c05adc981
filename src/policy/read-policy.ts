import { hash } from 'node:crypto'
import { basename, dirname, resolve } from 'node:path'
import { nearestName } from '../document/nearest-name.ts'
import { refuseProblems } from '../document/problem.ts'
import { readDocument } from '../document/read-document.ts'
import { canonicalJson } from '../model/canonical-json.ts'
import { AuditError, messageOf } from '../model/errors.ts'
import type { Json } from '../model/json.ts'
import type { Severity } from '../model/violation.ts'
import { packs, type Rule } from '../rules/rule.ts'
import { rules } from '../rules/rules.ts'
import type { ActiveRule, Policy } from './policy.ts'
import { policySchema, type Setting } from './policy-schema.ts'

/** What one layer says; later layers win, rule by rule and option by option. */
type Layer = ReadonlyMap<string, Setting>

/**
 * The policy of a file, or the `recommended` pack where there is none.
 * @throws AuditError 2 with a line for every mistake, as `file:line:column`
 */
export function readPolicy(file: string | undefined, readFile: (file: string) => string): Policy {
  const layers = file === undefined ? [packLayer('recommended')] : readLayers(file, readFile, [])
  const active = rules.flatMap((rule) => activate(rule, layers))
  return { digest: digestOf(active), rules: active.map(({ settled }) => settled) }
}

function readLayers(file: string, readFile: (file: string) => string, within: readonly string[]): Layer[] {
  const document = readDocument(read(file, readFile), { file: basename(file), schema: policySchema })
  const layers: Layer[] = []
  for (const [index, name] of document.value.extends.entries()) {
    const at = ['extends', index]
    if (isPack(name)) layers.push(packLayer(name))
    else if (!/[/.]/.test(name)) refuseProblems([document.problem(at, unknownPack(name))])
    else {
      const other = resolve(dirname(file), name)
      if ([...within, file].includes(other))
        refuseProblems([document.problem(at, `\`${name}\` extends this file: a circle`)])
      layers.push(...readLayers(other, readFile, [...within, file]))
    }
  }
  return [
    ...layers,
    new Map(Object.entries(document.value.rules).flatMap(([id, setting]) => settingEntry(id, setting))),
  ]
}

function settingEntry(id: string, setting: Setting | undefined): [string, Setting][] {
  return setting === undefined ? [] : [[id, setting]]
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

function packLayer(pack: (typeof packs)[number]): Layer {
  return new Map(rules.filter((rule) => rule.packs.includes(pack)).map((rule) => [rule.id, {}]))
}

interface Activated {
  readonly settled: ActiveRule
  /** What its part of the digest is made of. */
  readonly decides: Json
}

/** Folds what the layers say of a rule. Naming a rule switches it on; `off` takes everything before it away. */
function activate(rule: Rule, layers: readonly Layer[]): Activated[] {
  let setting: { severity: Severity | undefined; options: Record<string, unknown> } | undefined
  for (const layer of layers) {
    const said = layer.get(rule.id)
    if (said === undefined) continue
    const { severity, ...options } = typeof said === 'string' ? { severity: said } : said
    if (severity === 'off') setting = undefined
    else {
      setting = {
        severity: severity ?? setting?.severity,
        options: { ...setting?.options, ...given(options) },
      }
    }
  }
  if (setting === undefined) return []
  const options = rule.options.parse(setting.options)
  return [
    {
      settled: { rule, severity: setting.severity, bound: rule.bind(options) },
      // Options are decoded values of the policy file: JSON by their schemas.
      decides: [rule.id, setting.severity ?? null, options as Json],
    },
  ]
}

function given(options: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
}

function digestOf(active: readonly Activated[]): string {
  return hash('sha256', canonicalJson(active.map(({ decides }) => decides)))
}
