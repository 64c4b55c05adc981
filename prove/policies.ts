import { inTime } from '../src/app/load-policy.ts'
import { createRandom } from '../src/demo/random.ts'
import { createSealer } from '../src/gateway/inventory/sealer.ts'
import { takeInventory } from '../src/gateway/inventory/take-inventory.ts'
import { AuditError } from '../src/model/errors.ts'
import type { Policy } from '../src/policy/policy.ts'
import { policySteps } from '../src/policy/policy-steps.ts'
import { evaluateFleet } from '../test/policy/evaluate-fleet.ts'
import { drawFiles, type PolicyFiles } from './policies/draw-files.ts'
import { type Breach, type Range, runCases } from './run-cases.ts'

/**
 * Reads policies that were made to take long, to fill the memory or to break the parser, and evaluates those that are
 * accepted on resources with long texts. Each ends in time and within the memory of a small container; a refusal names
 * file, line and column. `node prove/policies.ts [cases] [seed]`.
 */
const mostMs = 60_000
const mostHeapMb = 384
/** Fifty lines, each with the names of all rules. */
const longestMessage = 250_000
/** Custom rules may take a minute of a run: by a clock that is so many times as fast, this ends sooner. */
const clockSpeed = 10
const project = { name: 'acme/payments', service: 'acme', uid: 'payments' }
const resources = takeInventory(
  'endpoints',
  ['a'.repeat(4_000), `${'a'.repeat(60_000)}!`, 'x, '.repeat(20_000)].map((text, at) => ({
    uid: `EP-${at}`,
    project_id: project.uid,
    name: text,
    description: text,
    owner_id: text,
    url: `https://a.example/${text}`,
    status: 'active',
    secrets: [],
    authentication: null,
  })),
  createSealer(Buffer.alloc(32, 1)),
).listed

await runCases({ script: import.meta.url, atOnce: 4, deadlineMs: 900_000, heapMb: mostHeapMb, prove })

async function prove({ seed, from, to }: Range): Promise<readonly Breach[]> {
  const found: Breach[] = []
  for (let index = from; index < to; index++) {
    const files = drawFiles(createRandom(`policies/${seed}/${index}`))
    const what = await breakOf(files)
    if (what === undefined) continue
    found.push({ index, promise: 'other', what, shrunk: files.text, size: files.text.length })
  }
  return found
}

/** What a policy broke; undefined where nothing. */
async function breakOf({ files }: PolicyFiles): Promise<string | undefined> {
  const startedAt = performance.now()
  const readFile = (path: string) => {
    const text = files[path.replace('/etc/', '')]
    if (text === undefined) throw new Error(`ENOENT: no such file, open '${path}'`)
    return text
  }
  try {
    const policy = await inTime(policySteps('/etc/policy.yaml', readFile), 'reading the policy', undefined)
    evaluate(policy)
  } catch (error) {
    if (!(error instanceof AuditError) || error.exitCode !== 2) throw error
    const wrong = refusalFault(error.message)
    if (wrong !== undefined) return wrong
  }
  const tookMs = performance.now() - startedAt
  return tookMs > mostMs ? `it took ${(tookMs / 1000).toFixed(0)} s` : undefined
}

function evaluate(policy: Policy): void {
  const now = Date.parse('2026-11-21T03:00:00Z')
  const evaluated = evaluateFleet(policy, now, undefined, () => performance.now() * clockSpeed).of(project)
  for (const resource of resources) evaluated.evaluate(resource)
}

/** A refusal is lines with a place each, or says which limit of time was met. */
function refusalFault(message: string): string | undefined {
  if (message.length > longestMessage) return `the refusal has ${message.length} characters`
  const [first = ''] = message.split('\n')
  if (/ takes more than 10 s, the limit$/.test(first)) return undefined
  return /^\S+\.yaml:\d+:\d+: \S/.test(first)
    ? undefined
    : `the refusal names no line and column: ${first.slice(0, 200)}`
}
