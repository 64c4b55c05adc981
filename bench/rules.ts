import { randomBytes } from 'node:crypto'
import { answerList } from '../src/demo/answer-list.ts'
import { generateFleet } from '../src/demo/generate-fleet.ts'
import { createSealer } from '../src/inventory/sealer.ts'
import { takeInventory } from '../src/inventory/take-inventory.ts'
import type { Resource } from '../src/model/resource.ts'
import { rules } from '../src/rules/rules.ts'
import { median } from './measure.ts'

/** How often a second a rule is asked about a resource: all rules, as they come, in one thread. For information. */
const rounds = Number(process.env.BENCH_ROUNDS ?? 15)

const fleet = generateFleet({ projects: 50, endpointsPerProject: 100 })
const sealer = createSealer(randomBytes(32))
const resources = fleet.projects().flatMap(({ uid }) => resourcesOf(uid))
const rates: number[] = []
for (let round = 0; round < rounds; round++) {
  const startedAt = performance.now()
  const asked = askAll()
  rates.push(asked / (performance.now() - startedAt))
}
process.stdout.write(
  `${(median(rates) / 1000).toFixed(1)} million rule evaluations a second (${rules.length} rules, ${resources.length.toLocaleString('en')} resources)\n`,
)

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

/** Returns how many questions that were. */
function askAll(): number {
  const project = { name: 'bench/one', service: 'bench', uid: 'one' }
  let asked = 0
  for (const rule of rules) {
    const bound = rule.bind({})
    // Of what comes by in every run; what compares and what looks at the look itself is asked far less.
    if (bound.scope === 'drift' || bound.scope === 'look') continue
    const kinds = bound.scope === 'resource' ? [rule.kind] : bound.visits
    const fold = bound.scope === 'resource' ? undefined : bound.start()
    for (const resource of resources) {
      const { kind, uid, name } = resource
      if (!kinds.includes(kind)) continue
      asked++
      if (bound.scope === 'resource') for (const _ of bound.check(resource, fleet.baseTimeMs));
      else fold?.visit(resource, { project, kind, uid, name })
    }
    for (const _ of fold?.conclude(fleet.baseTimeMs, { isComplete: () => true }) ?? []);
  }
  return asked
}
