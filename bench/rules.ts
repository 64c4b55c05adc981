import { randomBytes } from 'node:crypto'
import { Engine } from 'json-rules-engine'
import { answerList } from '../src/demo/answers.ts'
import { generateFleet } from '../src/demo/generate-fleet.ts'
import { createSealer } from '../src/gateway/inventory/sealer.ts'
import { takeInventory } from '../src/gateway/inventory/take-inventory.ts'
import { type Kind, kinds, type Resource } from '../src/model/resource.ts'
import type { FindingSubject, LocatedFact, Rule } from '../src/rules/engine/rule.ts'
import { rules } from '../src/rules/rules.ts'
import { median } from './measure.ts'
import { rulesAsJson } from './rules-as-json.ts'
import { verdict } from './table.ts'

/**
 * How often a second a rule is asked about a resource, by the CPU time of one thread: all rules, then a dozen of them and
 * json-rules-engine with the same dozen, in the same rounds. It must find the same, or the comparison is worth nothing.
 */
const rounds = Number(process.env.BENCH_ROUNDS ?? 15)

const project = { name: 'bench/one', service: 'bench', uid: 'one' }
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

/** Resource by resource, as a run does: rules share what they read of one. */
function askAll(asked: readonly Rule[], of: readonly Resource[]): Asked {
  const questioned = asked.flatMap((rule) => questionFor(rule) ?? [])
  const byKind = (kind: Kind) => questioned.filter(({ kinds }) => kinds.includes(kind))
  const ofKind = new Map(kinds.map((kind) => [kind, byKind(kind)]))
  let questions = 0
  for (const resource of of) {
    const { kind, uid, name } = resource
    const at = { project, kind, uid, name }
    for (const { ask } of ofKind.get(kind) ?? []) {
      questions++
      ask(resource, at)
    }
  }
  return { questions, found: new Map(questioned.map(({ id, conclude }) => [id, conclude()])) }
}

interface Question {
  readonly id: string
  readonly kinds: readonly Kind[]
  ask(resource: Resource, at: FindingSubject): void
  /** How many findings there are in all. */
  conclude(): number
}

/** Only rules that every run evaluates for each resource; those about drift, scans and violations are evaluated far less. */
function questionFor(rule: Rule): Question | undefined {
  const { id } = rule
  const now = fleet.baseTimeMs
  const bound = rule.bind({})
  let findings = 0
  if (bound.scope === 'resource') {
    const ask = (resource: Resource) => {
      for (const _ of bound.check(resource, now)) findings++
    }
    return { id, kinds: [rule.kind], ask, conclude: () => findings }
  }
  if (bound.scope === 'project') {
    const byKind = new Map(bound.reads.map((kind): [Kind, Resource[]] => [kind, []]))
    const ask = (resource: Resource) => void byKind.get(resource.kind)?.push(resource)
    const run = {
      project: { name: '', service: '', uid: '' },
      now,
      labelsOf: () => ({}),
      meter: { begin() {}, end() {}, isSpent: () => false },
    }
    const all = (kind: Kind) => byKind.get(kind) ?? []
    const conclude = () => [...bound.check({ run, all, isComplete: () => true, cannotSay() {} })].length
    return { id, kinds: bound.reads, ask, conclude }
  }
  if (bound.scope !== 'fleet') return undefined
  const facts: (LocatedFact & { readonly seal: string })[] = []
  return {
    id,
    kinds: bound.visits,
    ask(resource, at) {
      for (const [seal, ...details] of bound.facts(resource)) facts.push({ seal, at, details })
    },
    conclude() {
      for (const alike of Map.groupBy(facts, ({ seal }) => seal).values()) {
        if (alike.length > 1) findings += [...bound.conclude(alike, now)].length
      }
      return findings
    },
  }
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
