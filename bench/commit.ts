import { hash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { verdictOf } from '../src/audit/compose-report.ts'
import { columnsOf } from '../src/history/body-columns.ts'
import type { Draft } from '../src/history/history.ts'
import type { LocalProcess } from '../src/history/sqlite/lease.ts'
import { openSqliteHistory } from '../src/history/sqlite/sqlite-history.ts'
import type { NewVersion, NewViolation } from '../src/history/staged.ts'
import { canonicalJson } from '../src/model/canonical-json.ts'
import type { ProjectRef } from '../src/model/resource.ts'
import { type Finding, fingerprintOf } from '../src/model/violation.ts'
import { activeIn } from '../test/history/known-in.ts'
import { table } from './table.ts'

/**
 * How long the commit of a first run takes, and how long it was to draft. `BENCH_RESOURCES` (default 200,000) in projects
 * of 200, of which one in `BENCH_VIOLATION_EVERY` (default 50) has a violation.
 */
const resources = Number(process.env.BENCH_RESOURCES ?? 200_000)
const violationEvery = Number(process.env.BENCH_VIOLATION_EVERY ?? 50)
const projectSize = 200
const pageSize = 100

const directory = mkdtempSync(join(tmpdir(), 'hookdrift-commit-'))
const owner: LocalProcess = {
  host: 'here',
  bootId: 'boot',
  pid: process.pid,
  isAlive: () => true,
  now: () => Date.now(),
  every: () => () => {},
}

try {
  const file = join(directory, 'history.db')
  const history = openSqliteHistory(file, owner)
  const draft = await history.begin({
    startedAt: new Date().toISOString(),
    failOn: 'medium',
    toolVersion: '0',
    policyDigest: 'policy',
    configurationDigest: 'configuration',
    sealKeyId: 'key',
    normaliser: 1,
  })
  const drafting = await costOf(() => fill(draft))
  const committing = await costOf(() => draft.commit(new Date().toISOString(), (record) => verdictOf(record).exit_code))
  await history.close()
  const rows = Object.entries({ drafting, committing }).map(([name, { wallMs, cpuMs, written }]) => {
    return [name, ...[wallMs, cpuMs].map((ms) => Math.round(ms).toLocaleString('en')), (written / 1e6).toFixed(1)]
  })
  process.stdout.write(`\
${resources.toLocaleString('en')} resources; the file has ${(statSync(file).size / 1e6).toFixed(0)} MB.

${table([['', 'wall, ms', 'cpu, ms', 'written, MB'], ...rows])}
`)
} finally {
  rmSync(directory, { recursive: true, force: true })
}

async function fill(draft: Draft): Promise<void> {
  for (let first = 0; first < resources; first += projectSize) {
    const uid = `project-${first}`
    const project: ProjectRef = { name: `acme/${uid}`, service: 'acme', uid }
    await draft.stageScan(project)
    for (const listing of ['endpoints', 'subscriptions'] as const) {
      const done = { status: 'complete', cause: null, reason: null, filter: null } as const
      await draft.stageWalk(
        project,
        { listing, ...done, pages: 1, items: 100, requests: 1, retries: 0, duration_ms: 1 },
        undefined,
      )
    }
    for (let page = first; page < first + projectSize; page += pageSize) await insertPage(draft, project, page)
  }
}

async function insertPage(draft: Draft, project: ProjectRef, first: number): Promise<void> {
  const versions: NewVersion[] = []
  const violations: NewViolation[] = []
  for (let at = first; at < first + pageSize; at++) {
    const uid = `01M7XVZ2T417${String(at).padStart(14, '0')}`
    const finding = {
      rule: 'endpoint/timeout-high',
      severity: 'low',
      kind: 'endpoint',
      uid,
      name: `endpoint ${at}`,
    } as const
    const attributes = {
      name: finding.name,
      url: `https://hooks-${at}.example.com/receive`,
      owner_id: `tenant-${at % 97}`,
      uid,
      http_timeout: 30,
      rate_limit: 100,
      rate_limit_duration: 60,
      status: 'active',
      description: 'x'.repeat(200),
    }
    const body = canonicalJson(attributes)
    const [digest, columns] = [hash('sha256', body), columnsOf('endpoint', attributes)]
    versions.push({ ...finding, digest, body, columns, facts: '', normaliser: 1, replaces: undefined })
    if (at % violationEvery === 0)
      violations.push(violationOf(project, { ...finding, path: '/http_timeout', message: 'is high' }))
  }
  const uids = versions.map(({ uid }) => uid)
  await draft.stage(project, versions)
  await activeIn(draft, project, 'endpoint', uids)
  await draft.stageViolations(project, { confirmed: [], violations })
}

function violationOf(project: ProjectRef, finding: Finding): NewViolation {
  return {
    ...finding,
    fingerprint: fingerprintOf(project, finding),
    state: 'open',
    waiver: undefined,
    firstRun: undefined,
    lastRun: undefined,
    originRun: undefined,
    replaces: undefined,
  }
}

async function costOf(work: () => Promise<unknown>) {
  const [startedAt, cpuAt, writtenAt] = [performance.now(), process.cpuUsage(), bytesWritten()]
  await work()
  const { user, system } = process.cpuUsage(cpuAt)
  return {
    wallMs: performance.now() - startedAt,
    cpuMs: (user + system) / 1000,
    written: bytesWritten() - writtenAt,
  }
}

/** By this process. Linux only. */
function bytesWritten(): number {
  return Number(/^wchar: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1])
}
