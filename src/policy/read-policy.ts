import { hash } from 'node:crypto'
import { resolve } from 'node:path'
import { canonicalJson } from '../model/canonical-json.ts'
import { overdueRule } from '../model/due.ts'
import type { FileLocation } from '../model/evaluation.ts'
import type { Json, JsonObject } from '../model/json.ts'
import { rules } from '../rules/rules.ts'
import { shownPath } from '../text/shown-path.ts'
import { describePolicy } from './describe-policy.ts'
import { activateRules } from './layers.ts'
import type { ParsedPolicy } from './parsed-policy.ts'
import type { ActiveRule, Policy } from './policy.ts'
import type { WrittenWaiver } from './policy-schema.ts'
import { readParsedPolicy } from './read-parsed-policy.ts'
import { matcherOf } from './selector.ts'
import { inOneGo, type Steps } from './steps.ts'
import { compileWaiver } from './waiver.ts'

/**
 * Reads the policy of a file; without one, the `recommended` pack. `now`: milliseconds, from which waivers may not last
 * too long; undefined: unchecked.
 * @throws AuditError.usage with a line for every mistake, as `file:line:column`
 */
export function readPolicy(
  file: string | undefined,
  readFile: (file: string) => string,
  now = Number.POSITIVE_INFINITY,
): Policy {
  return inOneGo(policySteps(file, readFile, now))
}

/** The same in steps of a second at most: a file may be made to take long. */
export function* policySteps(
  file: string | undefined,
  readFile: (file: string) => string,
  now = Number.POSITIVE_INFINITY,
): Steps<Policy> {
  const workingDirectory = resolve()
  const { layers, overrides, waivers, custom, probes, due, ignore } = yield* readParsedPolicy(file, { readFile, now })
  yield
  const known = [...rules, ...custom.map(({ rule }) => rule)]
  // Without due dates, nothing is ever overdue: the rule would evaluate nothing.
  const evaluated = Object.keys(due).length > 0 ? known : known.filter(({ id }) => id !== overdueRule)
  const rulesUnder = (indexes: readonly number[]) =>
    activateRules(evaluated, [...layers, ...indexes.flatMap((index) => overrides[index]?.layer ?? [])])
  const active = rulesUnder([])
  const matched: Policy['overrides'][number][] = []
  for (const [index, { match, layer }] of overrides.entries()) {
    if (index % stepSize === 0) yield
    matched.push({ layer, rules: [...layer.keys()], matches: matcherOf(match) })
  }
  yield
  return {
    digest: digestOf(active, { overrides, waivers: waivers.map(({ written }) => written), probes, due, ignore }),
    facts: describePolicy((at) => placeOf(at, workingDirectory), {
      layers,
      overrides,
      waivers,
      known: evaluated,
      rules: active,
    }),
    probes,
    due,
    ignore,
    file: file && shownPath(workingDirectory, file),
    placeOf: (at) => placeOf(at, workingDirectory),
    known,
    layers,
    rules: active,
    waivers: waivers.map(({ written }) => compileWaiver(written)),
    overrides: matched,
    rulesUnder,
  }
}

/** `at`: `FILE:LINE:COLUMN`. */
function placeOf(at: string | undefined, workingDirectory: string): FileLocation | null {
  if (at === undefined) return null
  const [line = '', ...file] = at.split(':').slice(0, -1).reverse()
  return { file: shownPath(workingDirectory, file.reverse().join(':')), line: Number(line) }
}

/** Selectors compiled at a time. */
const stepSize = 100

function digestOf(
  active: readonly ActiveRule[],
  {
    overrides,
    waivers,
    probes,
    due,
    ignore,
  }: Pick<ParsedPolicy, 'overrides' | 'probes' | 'due' | 'ignore'> & { readonly waivers: readonly WrittenWaiver[] },
): string {
  const decides = active.map(({ rule, severity, options }): Json => {
    return [rule.id, severity ?? null, rule.custom?.source ?? options]
  })
  // Selectors and settings are decoded values of the policy file.
  const exceptions = overrides.map(({ match, layer }): Json => {
    const settings = [...layer].map(([id, { setting }]) => [id, setting as Json] as const)
    return [match as Json, Object.fromEntries(settings)]
  })
  const evaluates = exceptions.length === 0 ? decides : [decides, exceptions]
  const waives: Json = waivers.length === 0 ? evaluates : [evaluates, waivers as unknown as Json]
  const more: JsonObject = {
    ...(probes.length === 0 ? {} : { probes: probes.map(({ said }) => said) }),
    ...(Object.keys(due).length === 0 ? {} : { due: { ...due } }),
    ...(ignore.length === 0 ? {} : { ignore: ignore.map(({ path }) => path).sort() }),
  }
  // What a policy does not use is not in its digest, so that it keeps the one of earlier releases.
  return hash('sha256', canonicalJson(Object.keys(more).length === 0 ? waives : [waives, more]))
}
