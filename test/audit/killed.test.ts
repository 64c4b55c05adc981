import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { changeEndpoint, createEndpoint, deleteEndpoint, setEndpointStatus } from '../../src/demo/edits.ts'
import type { SimulatedFleet } from '../../src/demo/fleet.ts'
import { generateFleet } from '../../src/demo/generate-fleet.ts'
import { createRandom } from '../../src/demo/random.ts'
import { type SimulatedService, startSimulatedService } from '../../src/demo/simulated-service.ts'
import { configurationFor, type Ended, type Running, startHookdrift } from '../cli/start-process.ts'
import { tries } from '../thoroughness.ts'
import { at, query } from './fleet-fixture.ts'
import { faultsIn } from './verify-history-file.ts'

/** More kills find rarer moments: HOOKDRIFT_KILLS=50. */
const kills = Number(process.env.HOOKDRIFT_KILLS ?? tries(10, { locally: 4 }))
const abreast = 3
const random = createRandom('killed')

/** A history after one run, a fleet that was edited since, and what the second run reports. */
let root: string
let fleet: SimulatedFleet
let undisturbed: { readonly ended: Ended; readonly requests: number; readonly recorded: unknown }

/** A copy of the history with a service of its own over the edited fleet. */
async function openCopy(name: string, onRequest: (count: number) => void = () => {}) {
  let count = 0
  const service: SimulatedService = await startSimulatedService(fleet, {
    latencyMs() {
      onRequest(++count)
      return 4
    },
  })
  const directory = join(root, name)
  cpSync(join(root, 'before'), directory, { recursive: true })
  writeFileSync(join(directory, 'hookdrift.yaml'), configurationFor(service.url, fleet))
  return {
    service,
    history: join(directory, 'hookdrift.db'),
    requests: () => count,
    audit: (): Running =>
      startHookdrift(['audit', '--format', 'json'], { cwd: directory, env: { ACME_KEY: fleet.personalKey } }),
    [Symbol.asyncDispose]: () => service.close(),
  }
}

/** The rows of the documented views, without times and numbers of runs. */
function recordedBy(history: string) {
  return {
    current: query(
      history,
      'SELECT service, project_uid, kind, uid, name, body, facts FROM current_resource ORDER BY project_uid, kind, uid',
    ),
    violations: query(
      history,
      `SELECT fingerprint, rule, severity, state, project_uid, kind, uid, name, path, message FROM open_violation
       ORDER BY fingerprint`,
    ),
    drift: query(
      history,
      `SELECT project_uid, kind, uid, name, change, fields, referrers FROM drift
       WHERE run = (SELECT max(number) FROM committed_run) ORDER BY project_uid, kind, uid`,
    ),
    runs: query(history, 'SELECT exit_code FROM committed_run WHERE number = (SELECT max(number) FROM committed_run)'),
    rows: query(history, 'SELECT (SELECT count(*) FROM version) AS versions, (SELECT count(*) FROM change) AS changes'),
  }
}

async function soundness(history: string) {
  return {
    integrity: query(history, 'PRAGMA integrity_check'),
    foreign: query(history, 'PRAGMA foreign_key_check'),
    running: query(history, "SELECT number FROM run WHERE state = 'running'"),
    verify: await faultsIn(history),
  }
}

const sound = { integrity: [{ integrity_check: 'ok' }], foreign: [], running: [], verify: [] }

/** The JSON report without what differs from run to run. */
function reported({ stdout }: Ended) {
  const { verdict, drift, violations } = JSON.parse(stdout)
  return {
    verdict,
    drift: drift.map(({ between: _, ...rest }: Record<string, unknown>) => rest),
    violations: violations.map(({ first_seen: _, last_seen: __, ...rest }: Record<string, unknown>) => rest),
  }
}

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'hookdrift-killed-'))
  fleet = generateFleet({ projects: 3, incomingEvery: 3, endpointsPerProject: 16, sourcesPerProject: 6 })
  mkdirSync(join(root, 'before'))
  await using first = await openCopy('first')
  expect((await first.audit().ended).code).toBe(1)
  rmSync(join(root, 'before'), { recursive: true })
  cpSync(join(root, 'first'), join(root, 'before'), { recursive: true })

  for (const { uid: project } of fleet.projects()) {
    const { endpoints } = fleet.open(project)
    setEndpointStatus(fleet, { project, uid: at(endpoints, 3).uid }, 'inactive')
    setEndpointStatus(fleet, { project, uid: at(endpoints, 4).uid }, 'active')
    changeEndpoint(fleet, { project, uid: at(endpoints, 9).uid }, (row) => ({ ...row, http_timeout: 61 }))
    deleteEndpoint(fleet, { project, uid: at(endpoints, 12).uid })
    createEndpoint(fleet, project, { name: 'new', url: 'http://new.example/in' })
  }
  await using second = await openCopy('undisturbed')
  const ended = await second.audit().ended
  undisturbed = { ended, requests: second.requests(), recorded: recordedBy(second.history) }
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** Every moment that a run has: before it asks, at any of its requests, while it commits. */
function someMoments(count: number) {
  return Array.from({ length: count }, (_, index) => ({
    index,
    request: random.below(undisturbed.requests + 3),
    laterMs: random.below(30),
  }))
}

async function killAndGoOn({ index, request, laterMs }: { index: number; request: number; laterMs: number }) {
  let running: Running | undefined
  const kill = () => running?.child.kill('SIGKILL')
  const killSoon = (count: number) => {
    if (count === request) setTimeout(kill, laterMs)
    // The commit cannot be seen from outside: it follows the last request shortly.
    if (request > undisturbed.requests && count === undisturbed.requests) setTimeout(kill, laterMs * 3)
  }
  await using copy = await openCopy(`killed-${index}`, killSoon)
  running = copy.audit()
  if (request === 0) setTimeout(kill, laterMs * 20)
  const killed = await running.ended
  const next = await copy.audit().ended
  return {
    killed,
    next,
    soundness: await soundness(copy.history),
    recorded: recordedBy(copy.history),
    file: copy.history,
  }
}

describe('a killed run', () => {
  it(
    'leaves the history before it or after it, at any moment, and the next run reports the same',
    async () => {
      const moments = someMoments(kills)
      const outcomes: { wasKilled: boolean; wasCommitted: boolean }[] = []
      const work = async () => {
        for (let moment = moments.pop(); moment !== undefined; moment = moments.pop()) {
          const { killed, next, soundness, recorded, file } = await killAndGoOn(moment)
          const [{ committed }] = [
            at(query<{ committed: number }>(file, 'SELECT count(*) AS committed FROM committed_run'), 0),
          ]
          const wasCommitted = committed === 3
          const context = `${JSON.stringify(moment)} ${next.stderr}`
          expect(next.code, context).toBe(undisturbed.ended.code)
          expect(soundness, context).toEqual(sound)
          if (wasCommitted) {
            // The killed run had committed everything: the next run finds nothing new.
            expect({ ...recorded, drift: [] }, context).toEqual({ ...(undisturbed.recorded as object), drift: [] })
            expect(reported(next).drift, context).toEqual([])
          } else {
            expect(recorded, context).toEqual(undisturbed.recorded)
            expect(reported(next), context).toEqual(reported(undisturbed.ended))
          }
          outcomes.push({ wasKilled: killed.signal === 'SIGKILL', wasCommitted })
        }
      }
      // Each runs to its end, also when one fails: no process outlives the test.
      const ends = await Promise.allSettled(Array.from({ length: abreast }, work))
      for (const end of ends) if (end.status === 'rejected') throw end.reason
      expect(outcomes).toHaveLength(kills)
      expect(outcomes.filter(({ wasKilled, wasCommitted }) => wasKilled && !wasCommitted).length).toBeGreaterThan(
        kills / 2,
      )
    },
    kills * 15_000,
  )

  it.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const)('ends in order after %s with %i, and the next run reports everything', async (signal, code) => {
    let running: Running | undefined
    await using copy = await openCopy(`${signal}`, (count) => {
      if (count === Math.floor(undisturbed.requests / 2)) running?.child.kill(signal)
    })
    running = copy.audit()
    const ended = await running.ended
    expect({ code: ended.code, signal: ended.signal }).toEqual({ code, signal: null })
    const [last] = query<{ state: string; exit_code: number | null }>(
      copy.history,
      'SELECT state, exit_code FROM run ORDER BY number DESC LIMIT 1',
    )
    // Committed as an incomplete scan, or abandoned without a trace.
    if (last?.state === 'committed') {
      expect(last.exit_code).toBe(code)
      expect(query(copy.history, "SELECT 1 FROM change WHERE change = 'removed'").length).toBeLessThan(6)
    } else {
      expect(last).toEqual({ state: 'interrupted', exit_code: null })
      expect(query(copy.history, 'SELECT 1 FROM version WHERE from_run = 2')).toEqual([])
    }
    expect(await soundness(copy.history)).toEqual(sound)
    const next = await copy.audit().ended
    expect(next.code).toBe(undisturbed.ended.code)
    const { current, violations } = undisturbed.recorded as ReturnType<typeof recordedBy>
    expect(recordedBy(copy.history)).toMatchObject({ current, violations })
  })

  it('ends at once on a second SIGTERM', async () => {
    let running: Running | undefined
    await using copy = await openCopy('twice', (count) => {
      if (count !== 3) return
      copy.service.failNext({ how: 'hang', times: Number.POSITIVE_INFINITY })
      running?.child.kill('SIGTERM')
      setTimeout(() => running?.child.kill('SIGTERM'), 20)
    })
    running = copy.audit()
    // By itself or by the signal: a shell calls both 143.
    const { code, signal } = await running.ended
    expect(code ?? signal).toBeOneOf([143, 'SIGTERM'])
    copy.service.faults.length = 0
    expect((await copy.audit().ended).code).toBe(undisturbed.ended.code)
    expect(await soundness(copy.history)).toEqual(sound)
  })
})
