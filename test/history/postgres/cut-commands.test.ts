import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { NewAcceptance } from '../../../src/history/acceptances.ts'
import type { NewApproval } from '../../../src/history/approvals.ts'
import type { History } from '../../../src/history/history.ts'
import type { NewMessage } from '../../../src/history/outbox.ts'
import { connect } from '../../../src/history/postgres/connect.ts'
import { postgresBackend } from '../../../src/history/postgres/postgres-backend.ts'
import { openPostgresHistory } from '../../../src/history/postgres/postgres-history.ts'
import { keepNothing } from '../../../src/history/retention.ts'
import { pruneHistory } from '../../../src/history/sql/prune-history.ts'
import { listRuns } from '../../../src/history/sql/runs.ts'
import { AuditError } from '../../../src/model/errors.ts'
import { openJobs } from '../../../src/pool/jobs.ts'
import { type RunRequest, requestRun } from '../../../src/pool/runs.ts'
import { Machines } from '../processes.ts'
import { aStart, at, aViolation, commit, orders, payments, walkAll } from '../samples.ts'
import { type CuttingProxy, openCuttingProxy } from './cutting-proxy.ts'
import { hasPostgres, makeDatabase, type TestDatabase } from './databases.ts'

const scopes = { endpoint: { listing: 'endpoints', filter: null } } as const
const signed = { by: 'ops', at: at(10) }
const { fingerprint, rule, kind, uid, path } = aViolation('a')
const approvals: NewApproval[] = [payments, orders].map((project) => ({
  ...signed,
  project,
  scopes,
  note: 'reviewed',
  state: { run: 1 },
}))
const acceptances: NewAcceptance[] = [
  { ...signed, project: payments, fingerprint, rule, kind, uid, path, reason: 'it was meant', valueDigest: null },
]
const messages: NewMessage[] = [{ id: 'm1', channel: 'hook', run: null, body: '{}' }]
const request: RunRequest = {
  schedule: null,
  configurationDigest: '',
  policyDigest: '',
  sealKeyId: '',
  only: [],
  failOn: 'low',
  runTimeoutMs: 1_000,
  runsProbes: false,
  acceptsRemovals: false,
  notifies: false,
}

describe.skipIf(!hasPostgres)('a command whose connection breaks at its COMMIT', () => {
  const owner = { ...new Machines().process(1), isClockOwn: true }
  let place: TestDatabase
  let proxy: CuttingProxy
  let history: History
  beforeEach(async () => {
    place = await makeDatabase()
    proxy = await openCuttingProxy(place.server)
    history = await openPostgresHistory(proxy.server, owner)
    for (const hour of [1, 2]) {
      const draft = await history.begin(aStart(at(hour)))
      await walkAll(draft)
      await commit(draft)
    }
  })
  afterEach(async () => {
    await history.close()
    await proxy.close()
    await place.remove()
  })

  async function prune(): Promise<void> {
    const db = connect(proxy.server)
    try {
      await pruneHistory(postgresBackend(db, owner), {
        keep: { ...keepNothing, last: 1 },
        options: { keep_last: 1 },
        toolVersion: '0',
      })
    } finally {
      await db.close()
    }
  }

  async function ask(): Promise<void> {
    const db = connect(proxy.server)
    const jobs = await openJobs(connect(place.server), () => {})
    try {
      await requestRun({ db, jobs }, request, 'asked')
    } finally {
      await jobs.close()
      await db.close()
    }
  }

  const commands: Readonly<Record<string, { readonly execute: () => Promise<void>; readonly count: string }>> = {
    'an approval of two projects': {
      execute: () => history.approve(approvals),
      count: 'SELECT count(*) / 2.0 FROM hookdrift.approval',
    },
    'a revocation of an approval': {
      execute: () => history.revoke([1], { by: 'lead', at: at(12) }),
      count: "SELECT count(*) FROM hookdrift.approval WHERE id = 1 AND revoked_by = 'lead'",
    },
    'an acceptance': {
      execute: () => history.accept(acceptances),
      count: 'SELECT count(*) FROM hookdrift.acceptance',
    },
    'a revocation of an acceptance': {
      execute: () => history.revokeAcceptances([1], { by: 'lead', at: at(12) }),
      count: "SELECT count(*) FROM hookdrift.acceptance WHERE id = 1 AND revoked_by = 'lead'",
    },
    'a notification': {
      execute: () => history.enqueue(messages, at(9)),
      count: 'SELECT count(*) FROM hookdrift.notification',
    },
    'a pruning': { execute: prune, count: 'SELECT count(*) FROM hookdrift.checkpoint' },
    'a request for a run': {
      execute: ask,
      count: 'SELECT (SELECT count(*) FROM hookdrift.run_plan) * (SELECT count(*) FROM hookdrift_jobs.job)',
    },
  }
  const cases = Object.entries(commands).map(([name, command]) => ({ name, ...command }))

  async function counted(sql: string): Promise<number> {
    const db = connect(place.server)
    return Number(await db.value(sql).finally(() => db.close()))
  }

  /** What the commands need that revoke something. */
  async function prepare(name: string): Promise<void> {
    if (name.startsWith('a revocation of an approval')) await history.approve(approvals)
    if (name.startsWith('a revocation of an acceptance')) await history.accept(acceptances)
    if (name.startsWith('a request')) await (await openJobs(connect(place.server), () => {})).close()
  }

  it.each(cases)('learns that it was recorded, once: $name', async ({ name, execute, count }) => {
    await prepare(name)
    proxy.arm('after')
    await execute()
    expect([proxy.cuts, await counted(count)]).toEqual([1, 1])
  })

  it.each(cases)(
    'learns that it was not recorded, unless it records it then: $name',
    async ({ name, execute, count }) => {
      await prepare(name)
      proxy.arm('before')
      const [result] = await Promise.allSettled([execute()])
      if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(AuditError)
      expect([proxy.cuts, await counted(count)]).toEqual([1, result.status === 'fulfilled' ? 1 : 0])
      if (result.status === 'rejected') await execute()
      expect(await counted(count)).toBe(1)
    },
  )

  it('records each of twenty approvals whose COMMIT is on its way as it says', async () => {
    let expected = 0
    for (let n = 1; n <= 20; n += 1) {
      proxy.arm('meanwhile')
      const [result] = await Promise.allSettled([
        history.approve([{ ...signed, ...approvals[0], at: at(n) } as NewApproval]),
      ])
      if (result.status === 'fulfilled') expected += 1
      expect(await counted('SELECT count(*) FROM hookdrift.approval')).toBe(expected)
    }
    expect(proxy.cuts).toBe(20)
  })
})

describe.skipIf(!hasPostgres)('a machine that is gone in the midst of a commit', () => {
  it('keeps the lease locked until the server ends its transaction, and not longer', async () => {
    const place = await makeDatabase()
    const proxy = await openCuttingProxy(place.server)
    const machines = new Machines()
    const owner = { ...machines.process(1), isClockOwn: true }
    const history = await openPostgresHistory(proxy.server, owner, { mostIdleMs: 1_500 })
    const other = await openPostgresHistory(place.server, {
      ...machines.process(2, 'beta'),
      isClockOwn: true,
      // The lease has expired.
      now: () => owner.now() + 3_600_000,
    })
    try {
      const draft = await history.begin(aStart(at(1)))
      await walkAll(draft)
      proxy.arm('silent')
      const committing = commit(draft)
      await expect.poll(() => proxy.cuts).toBe(1)
      const from = performance.now()
      const [lost, next] = await Promise.allSettled([committing, other.begin(aStart(at(2)))])
      expect(lost).toMatchObject({ status: 'rejected', reason: { exitCode: expect.any(Number) } })
      if (next.status === 'rejected') throw next.reason
      expect(next.value.interrupted).toEqual([1])
      expect(performance.now() - from).toBeGreaterThan(1_000)
      await walkAll(next.value)
      await commit(next.value)
      expect((await listRuns(other)).map(({ number }) => number)).toEqual([2])
    } finally {
      await history.close()
      await other.close()
      await proxy.close()
      await place.remove()
    }
  })
})
