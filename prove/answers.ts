import { createRandom } from '../src/demo/random.ts'
import { messageOf } from '../src/model/errors.ts'
import type { Report } from '../src/model/report.ts'
import { openAuditHarness, policyOf } from '../test/audit/audit-harness.ts'
import { ofProject } from '../test/audit/fleet-fixture.ts'
import { checkRuns, type Fault } from './answers/check-runs.ts'
import { drawMutation, type Mutation } from './answers/mutation.ts'
import { drawWorld, type RecordedWorld } from './answers/recorded-world.ts'
import { serveWorld, type WirePlace } from './answers/wire-answers.ts'
import { type Breach, type Range, runCases } from './run-cases.ts'

/**
 * Audits projects that were recorded from a running service: in good health, with an answer mutated or one of each
 * listing, and in good health again. Nothing may be removed, resolved or met that the mutated answers do not show, and
 * the run after says what the run before said. `node prove/answers.ts [cases] [seed]`.
 */
// Without the rules across projects: what one project shows says nothing of another.
const policy = policyOf(
  'extends: [all]\nrules: { endpoint/auth-shared: off, endpoint/secret-shared: off, source/verifier-shared: off }\n',
)
/** Mutations that one project lives through. */
const perProject = 96
const atOnce = 8 * perProject
/** Among so many of these, mutations have runs of their own in one. In the others, one of each listing shares a run. */
const aloneEvery = 32
const runDeadlineMs = 120_000

await runCases({ script: import.meta.url, atOnce, deadlineMs: 30 * runDeadlineMs, prove })

interface Case {
  readonly index: number
  readonly mutation: Mutation
}

interface LivingProject {
  readonly name: string
  readonly world: RecordedWorld
  readonly service: Awaited<ReturnType<typeof serveWorld>>
  /** The cases of its mutated runs. */
  readonly rounds: readonly (readonly Case[])[]
}

async function prove({ seed, from, to }: Range): Promise<readonly Breach[]> {
  const indexes = Array.from({ length: to - from }, (_, at) => from + at)
  const byProject = Map.groupBy(indexes, (index) => Math.floor(index / perProject))
  const projects = await Promise.all([...byProject].map(([number, own]) => openProject(seed, number, own)))
  const bugs = new Map<string, string>()
  const harness = openAuditHarness({
    projects: Object.fromEntries(projects.map(({ name, world }) => [name, world.uid])),
    key: 'not-a-real-key',
    pageSize: 2,
    limits: { retries: 1, retryBudgetMs: 5_000 },
    listings: { sources: 'auto', project: 'auto', event_types: 'auto', filters: 'required' },
    concurrency: 4,
  })
  const urls = Object.fromEntries(projects.map(({ name, service }) => [name, service.url]))
  const audit = () =>
    harness.audit({
      url: 'http://127.0.0.1:9',
      urls,
      policy,
      onBug: ({ ref }, error) => bugs.set(ref.name, messageOf(error)),
    })
  const found: Breach[] = []
  try {
    let before = await audit()
    refuseIncomplete(before)
    const rounds = Math.max(...projects.map((project) => project.rounds.length))
    for (let round = 0; round < rounds; round++) {
      for (const { service, rounds } of projects) {
        const spoilers = new Map((rounds[round] ?? []).map(({ mutation }) => [keyOf(mutation.place), mutation]))
        service.take()
        service.spoilBy((asked, answer) => spoilers.get(keyOf(asked))?.spoil(answer) ?? answer)
      }
      bugs.clear()
      const startedAt = performance.now()
      const mutated = await audit()
      const hasHung = performance.now() - startedAt > runDeadlineMs
      const given = projects.map(({ service }) => service.take())
      for (const { service } of projects) service.spoilBy(undefined)
      const crashed = new Map(bugs)
      const after = await audit()
      for (const [at, { name, world, rounds }] of projects.entries()) {
        const cases = rounds[round] ?? []
        const [first] = cases
        if (first === undefined) continue
        const of = (report: Report) => ofProject(report, `acme/${name}`)
        const runs = { before: of(before), mutated: of(mutated), after: of(after), given: given[at] ?? [] }
        const bug = crashed.get(`acme/${name}`)
        const mutations = cases.map(({ mutation }) => mutation)
        const faults: Fault[] = [
          ...checkRuns(runs, mutations, world),
          ...(bug === undefined ? [] : [{ promise: 'other' as const, what: `a bug ended the audit: ${bug}` }]),
          ...(hasHung ? [{ promise: 'other' as const, what: 'the run took too long' }] : []),
        ]
        const text = cases.map(({ index, mutation }) => `case ${index}: ${mutation.text}`).join('; ')
        found.push(...faults.map((fault) => ({ ...fault, index: first.index, shrunk: text, size: text.length })))
      }
      before = after
    }
  } finally {
    await Promise.all(projects.map(({ service }) => service[Symbol.asyncDispose]()))
  }
  try {
    // The history verifies in the end.
    await harness[Symbol.asyncDispose]()
  } catch (error) {
    // Where something broke, this adds nothing.
    if (found.length === 0) throw error
  }
  return found
}

async function openProject(seed: string, number: number, indexes: readonly number[]): Promise<LivingProject> {
  const drawn = drawWorld(createRandom(`answers/${seed}/${number}`), `PROJECT-${number}`)
  const cases = indexes.map((index) => {
    const mutation = drawMutation(drawn, index % perProject, createRandom(`answers/${seed}/case ${index}`))
    return { index, mutation }
  })
  const isAlone = Math.floor(number / (atOnce / perProject)) % aloneEvery === 0
  const rounds = isAlone ? cases.map((one) => [one]) : shareRounds(cases)
  return { name: `p${number}`, world: drawn, service: await serveWorld(drawn), rounds }
}

/** Cases of different listings share a run: a listing that one of them spoils would hide what another one does to it. */
function shareRounds(cases: readonly Case[]): Case[][] {
  const rounds: Case[][] = []
  for (const one of cases) {
    const isOfOne = ({ mutation }: Case) => listingOf(mutation.place) === listingOf(one.mutation.place)
    const free = rounds.find((others) => !others.some(isOfOne))
    if (free === undefined) rounds.push([one])
    else free.push(one)
  }
  return rounds
}

/** The filter rows of each subscription are a listing of their own. */
function listingOf({ listing, of }: WirePlace): string {
  return `${listing} ${of}`
}

function keyOf(place: WirePlace): string {
  return JSON.stringify(place)
}

/** What the recordings show must be complete, or nothing would be proven. */
function refuseIncomplete({ coverage }: Report): void {
  const gap = coverage.find(({ status }) => status !== 'complete')
  if (gap !== undefined) throw new Error(`${gap.listing} of ${gap.project} is ${gap.status}: ${gap.reason}`)
}
