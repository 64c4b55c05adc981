import { randomBytes } from 'node:crypto'
import { Engine } from 'json-rules-engine'
import { answerList } from '../src/demo/answer-list.ts'
import { generateFleet } from '../src/demo/generate-fleet.ts'
import { createSealer } from '../src/inventory/sealer.ts'
import { takeInventory } from '../src/inventory/take-inventory.ts'
import type { Kind, Resource } from '../src/model/resource.ts'
import type { LocatedFact, Rule } from '../src/rules/engine/rule.ts'
import { ruleTime } from '../src/rules/engine/rule-time.ts'
import { rules } from '../src/rules/rules.ts'
import { median } from './measure.ts'
import { rulesAsJson } from './rules-as-json.ts'
import { verdict } from './table.ts'

/**
 * How often a second a rule is asked about a resource, by the CPU time of one thread: all rules, then a dozen of them and
 * json-rules-engine with the same dozen, in the same rounds. It must find the same, or the comparison is worth nothing.
 */
const rounds = Number(process.env.BENCH_ROUNDS ?? 15)

const fleet = generateFleet({ projects: 50, endpointsPerProject: 100 })
const sealer = createSealer(randomBytes(32))
const resources = fleet.projects().flatMap(({ uid }) => resourcesOf(uid))
const dozen = rules.filter(({ id }) => rulesAsJson.some((other) => other.id === id))
/** The engine is slow enough for a tenth of them. */
const fewer = resources.filter((_, place) => place % 10 === 0)

const rates = { all: [] as number[], dozen: [] as number[], engine: [] as number[] }
for (let round = 0; round < rounds; round++) {
  rates.all.push(await rateOf(() => askAll(rules, resources)))
  rates.dozen.push(await rateOf(() => askAll(dozen, resources)))
  rates.engine.push(await rateOf(() => askEngine(fewer)))
}
requireSameFindings(askAll(dozen, fewer), await askEngine(fewer))
printRates(`all ${rules.length} rules, ${resources.length.toLocaleString('en')} resources`, rates.all)
printRates(`a dozen of them (${dozen.length})`, rates.dozen)
printRates('the same dozen in json-rules-engine', rates.engine)
process.stdout.write(`ratio ${(median(rates.dozen) / median(rates.engine)).toFixed(0)}x

${verdict('all rules, million evaluations a second', median(rates.all) / 1000, { atLeast: 3 })}`)

interface Asked {
  readonly questions: number
  readonly found: ReadonlyMap<string, number>
}

async function rateOf(ask: () => Asked | Promise<Asked>): Promise<number> {
  const startedAt = process.threadCpuUsage()
  const { questions } = await ask()
  const { user, system } = process.threadCpuUsage(startedAt)
  return questions / ((user + system) / 1000)
}

function printRates(what: string, perMs: readonly number[]): void {
  const perSecond = Math.round(median(perMs) * 1000)
  process.stdout.write(`${perSecond.toLocaleString('en').padStart(12)} evaluations a second: ${what}\n`)
}

function requireSameFindings(ours: Asked, theirs: Asked): void {
  for (const { id } of rulesAsJson) {
    const [a, b] = [ours.found.get(id) ?? 0, theirs.found.get(id) ?? 0]
    if (a !== b) throw new Error(`${id}: we find ${a}, json-rules-engine finds ${b}`)
  }
}

function resourcesOf(projectUid: string): readonly Resource[] {
  return (['endpoints', 'subscriptions'] as const).flatMap((list) => {
    const { body } = answerList({
      fleet,
      projectUid,
      list,
      page: { perPage: 1000, direction: 'next', sort: 'DESC', cursor: '' },
      parameters: new URLSearchParams(),
      release: 'seed',
      names: 'current',
    })
    return takeInventory(list, JSON.parse(body.toString('utf8')).data.content, sealer).listed
  })
}

function askAll(asked: readonly Rule[], of: readonly Resource[]): Asked {
  const project = { name: 'bench/one', service: 'bench', uid: 'one' }
  const found = new Map<string, number>()
  let questions = 0
  const time = ruleTime(fleet.baseTimeMs)
  for (const rule of asked) {
    const bound = rule.bind({})
    // Only rules that every run evaluates for each resource; rules about drift, scans and violations are evaluated far less.
    if (bound.scope === 'drift' || bound.scope === 'scan' || bound.scope === 'violations') continue
    const kinds = bound.scope === 'resource' ? [rule.kind] : bound.visits
    const fold = bound.scope === 'project' ? bound.start() : undefined
    const facts: (LocatedFact & { readonly seal: string })[] = []
    let problems = 0
    for (const resource of of) {
      const { kind, uid, name } = resource
      if (!kinds.includes(kind)) continue
      questions++
      const at = { project, kind, uid, name }
      if (bound.scope === 'resource') for (const _ of bound.check(resource, time)) problems++
      else if (bound.scope === 'fleet') {
        for (const [seal, ...details] of bound.facts(resource)) facts.push({ seal, at, details })
      } else fold?.visit(resource, at)
    }
    for (const _ of fold?.conclude(fleet.baseTimeMs, { isComplete: () => true }) ?? []) problems++
    for (const alike of Map.groupBy(facts, ({ seal }) => seal).values()) {
      if (bound.scope !== 'fleet' || alike.length < 2) continue
      for (const _ of bound.conclude(alike, fleet.baseTimeMs)) problems++
    }
    found.set(rule.id, problems)
  }
  return { questions, found }
}

async function askEngine(of: readonly Resource[]): Promise<Asked> {
  const engines = new Map<Kind, { engine: Engine; rules: number }>()
  for (const kind of ['endpoint', 'subscription'] as const) {
    const engine = new Engine([], { allowUndefinedFacts: true })
    engine.addOperator(
      'startsWith',
      (text: unknown, start: string) => typeof text === 'string' && text.startsWith(start),
    )
    const own = rulesAsJson.filter((rule) => rule.kind === kind)
    for (const { rule } of own) engine.addRule(structuredClone(rule))
    engines.set(kind, { engine, rules: own.length })
  }
  const found = new Map<string, number>()
  let questions = 0
  for (const { kind, attributes } of of) {
    const asked = engines.get(kind)
    if (asked === undefined) continue
    questions += asked.rules
    const { events } = await asked.engine.run({ attributes })
    for (const { type } of events) found.set(type, (found.get(type) ?? 0) + 1)
  }
  return { questions, found }
}
