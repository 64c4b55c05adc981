import { cpSync } from 'node:fs'
import Database from 'better-sqlite3'
import { deleteEndpoint, setEndpointStatus } from '../../src/demo/edits.ts'
import { generateFleet } from '../../src/demo/generate-fleet.ts'
import { startSimulatedService } from '../../src/demo/simulated-service.ts'
import { command } from './run-in-process.ts'
import { configurationFor, openDirectory, startHookdrift } from './start-process.ts'

const latencyMs = 15

interface Stopped {
  /** A process that a signal ends before it can say anything counts as 143, as a shell does it. */
  readonly code: number | null
  /** From the signal to the end of the process. */
  readonly ms: number
  readonly hasCommitted: boolean
  /** Whether the run after it said what it would have said without it, and `verify` finds nothing. */
  readonly isNextRight: boolean
}

/**
 * Stops audits by SIGTERM, each at a moment of its own: from the start of the process to the last request. What is
 * audited has changed since the run before, so the next run has something to say.
 */
export async function stopAtMoments(count: number, random: () => number): Promise<readonly Stopped[]> {
  const fleet = generateFleet({ projects: 3, endpointsPerProject: 12, sourcesPerProject: 4 })
  await using service = await startSimulatedService(fleet)
  using before = openDirectory()
  const env = { ACME_KEY: fleet.personalKey, HOOKDRIFT_LOG: 'silent' }
  const audit = (directory: ReturnType<typeof openDirectory>) =>
    command(`audit --config ${directory.file('hookdrift.yaml')} --format json`, { cwd: directory.path, env })
  before.write('hookdrift.yaml', configurationFor(service.url, fleet))
  await audit(before)
  for (const { uid: project } of fleet.projects()) {
    const [first, second] = fleet.open(project).endpoints
    if (first === undefined || second === undefined) throw new Error('too few endpoints')
    setEndpointStatus(fleet, { project, uid: first.uid }, 'inactive')
    deleteEndpoint(fleet, { project, uid: second.uid })
  }
  using undisturbed = openDirectory()
  cpSync(before.path, undisturbed.path, { recursive: true })
  const asked = service.requests.length
  const startedAt = performance.now()
  const expected = said((await audit(undisturbed)).stdout)
  const requests = service.requests.length - asked
  // The start of a process, and the waits for its answers.
  const wholeMs = performance.now() - startedAt + 500 + requests * latencyMs

  const results: Stopped[] = []
  for (let index = 0; index < count; index++) {
    using directory = openDirectory()
    cpSync(before.path, directory.path, { recursive: true })
    service.behaviour.latencyMs = latencyMs
    const from = service.requests.length
    const running = startHookdrift('audit --quiet', { cwd: directory.path, env })
    // Half of them by what they have asked, half by the time that has passed.
    const moment = random()
    if (index % 2 === 0) {
      let isEnded = false
      void running.ended.then(() => {
        isEnded = true
      })
      while (!isEnded && service.requests.length - from < moment * requests)
        await new Promise((resolve) => setTimeout(resolve, 2))
    } else await new Promise((resolve) => setTimeout(resolve, moment * wholeMs))
    const signalledAt = performance.now()
    running.child.kill('SIGTERM')
    const { code, signal } = await running.ended
    const ms = performance.now() - signalledAt
    service.behaviour.latencyMs = 0
    const hasCommitted = committedRuns(directory.file('hookdrift.db')) > 1
    const next = said((await audit(directory)).stdout)
    const verified = await command(`verify --history ${directory.file('hookdrift.db')}`, {
      cwd: directory.path,
      env,
    })
    results.push({
      code: signal === 'SIGTERM' ? 143 : code,
      ms,
      hasCommitted,
      isNextRight: verified.code === 0 && isAsExpected(next, expected),
    })
  }
  return results
}

interface Report {
  readonly verdict: { readonly exit_code: number; readonly violations: unknown }
  readonly coverage: readonly { readonly status: string }[]
  readonly violations: readonly { readonly fingerprint: string; readonly state: string }[]
}

function said(stdout: string): Report {
  return JSON.parse(stdout)
}

/** Active violations are the same; the stopped run may already have reported new ones as opened. */
function isAsExpected(next: Report, expected: Report) {
  const activeFingerprints = ({ violations }: Report) =>
    violations
      .flatMap(({ fingerprint, state }) => (state === 'resolved' ? [] : [fingerprint]))
      .sort()
      .join()
  return (
    activeFingerprints(next) === activeFingerprints(expected) &&
    next.verdict.exit_code === expected.verdict.exit_code &&
    JSON.stringify(next.verdict.violations) === JSON.stringify(expected.verdict.violations) &&
    next.coverage.every(({ status }) => status === 'complete')
  )
}

function committedRuns(file: string) {
  return query<{ runs: number }>(file, 'SELECT count(*) AS runs FROM committed_run')[0]?.runs ?? 0
}

function query<Row>(file: string, sql: string) {
  const db = new Database(file, { readonly: true })
  try {
    return db.prepare<[], Row>(sql).all()
  } finally {
    db.close()
  }
}
