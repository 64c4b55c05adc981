import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type RunRequest, requestRun } from '../../../src/app/pool/runs.ts'
import type { NewAcceptance } from '../../../src/history/acceptances.ts'
import type { NewApproval } from '../../../src/history/approvals.ts'
import type { History } from '../../../src/history/history.ts'
import type { NewMessage } from '../../../src/history/outbox.ts'
import { connect } from '../../../src/history/postgres/connect.ts'
import { postgresBackend } from '../../../src/history/postgres/postgres-backend.ts'
import { openPostgresHistory } from '../../../src/history/postgres/postgres-history.ts'
import { keepNothing } from '../../../src/history/retention.ts'
import { pruneHistory } from '../../../src/history/sql/prune-history.ts'
import { readRunRecord } from '../../../src/history/sql/read-run.ts'
import { listRuns } from '../../../src/history/sql/runs.ts'
import { AuditError } from '../../../src/model/errors.ts'
import { faultsIn } from '../database-fixture.ts'
import { Machines } from '../processes.ts'
import { aChange, aStart, at, aVersion, aViolation, commit, orders, payments, walkAll } from '../samples.ts'
import { type CuttingProxy, openCuttingProxy } from './cutting-proxy.ts'
import { hasPostgres, makeDatabase, type TestDatabase } from './databases.ts'

/** The tests of the describe block around it, each with a history whose connections can be cut; it is sound after them. */
function openCutFixture() {
  const fixture = {} as { place: TestDatabase; proxy: CuttingProxy; history: History }
  beforeEach(async () => {
    fixture.place = await makeDatabase()
    fixture.proxy = await openCuttingProxy(fixture.place.server)
    fixture.history = await openPostgresHistory(fixture.proxy.server, owner)
  })
  afterEach(async () => {
    await fixture.history.close()
    await fixture.proxy.close()
    const db = connect(fixture.place.server)
    expect(await faultsIn(db)).toEqual([])
    await db.close()
    await fixture.place.remove()
  })
  return fixture
}

const owner = { ...new Machines().process(1), usesLocalClock: true }
const scopes = { endpoint: { listing: 'endpoints', filter: null } } as const
const signed = { by: 'ops', at: at(10) }
const { fingerprint, rule, kind, uid, path } = aViolation('a')
const approvals = [payments, orders].map((project) => ({
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

describe.skipIf(!hasPostgres)('a connection that breaks at a COMMIT', () => {
  const fixture = openCutFixture()

  async function aDraft(hour: number) {
    const draft = await fixture.history.begin(aStart(at(hour)))
    await walkAll(draft)
    await draft.stage(payments, [aVersion(`of ${hour}`)])
    await draft.stageChanges(payments, [aChange(`of ${hour}`)])
    await draft.stageViolations(payments, { confirmed: [], violations: [aViolation(`of ${hour}`)] })
    return draft
  }

  const numbers = async () => (await listRuns(fixture.history)).map(({ number }) => number)

  it('after the server executed it leaves the run committed, and the caller learns so', async () => {
    const draft = await aDraft(1)
    fixture.proxy.arm('after')
    const record = await commit(draft)
    expect(fixture.proxy.cuts).toBe(1)
    expect(record.changes).toHaveLength(1)
    expect(await readRunRecord(fixture.history, 1)).toEqual(record)
    await expect(commit(draft)).rejects.toMatchObject({ exitCode: 5 })
    // The lease is free.
    expect((await commit(await aDraft(2))).violations).toHaveLength(2)
    expect(await numbers()).toEqual([1, 2])
  })

  it('before the server got it leaves a run that can be abandoned', async () => {
    const draft = await aDraft(1)
    fixture.proxy.arm('before')
    await expect(commit(draft)).rejects.toThrow(AuditError)
    expect(fixture.proxy.cuts).toBe(1)
    expect(await numbers()).toEqual([])
    await draft.abandon(at(1.5))
    await commit(await aDraft(2))
    expect(await numbers()).toEqual([2])
  })

  it('while it is on its way leaves the run committed or not, as the caller learns', async () => {
    for (let hour = 1; hour <= 20; hour += 1) {
      const draft = await aDraft(hour)
      fixture.proxy.arm('meanwhile')
      const isCommitted = await commit(draft).then(
        () => true,
        () => false,
      )
      expect((await numbers()).includes(draft.run)).toBe(isCommitted)
      if (!isCommitted) await draft.abandon(at(hour + 0.5))
    }
    expect(fixture.proxy.cuts).toBe(20)
  })

  it('of the beginning does not cost the run, nor the lease', async () => {
    fixture.proxy.arm('after')
    const draft = await aDraft(1)
    await commit(draft)
    fixture.proxy.arm('before')
    await expect(fixture.history.begin(aStart(at(2)))).rejects.toThrow(AuditError)
    expect((await commit(await aDraft(3))).number).toBe(2)
    expect([fixture.proxy.cuts, await numbers()]).toEqual([2, [1, 2]])
  })

  it('finds the run lost where another process took the lease meanwhile', async () => {
    const draft = await aDraft(1)
    fixture.proxy.arm('before')
    // The other process begins as soon as the server has rolled back.
    const owner = { ...new Machines().process(2, 'beta'), usesLocalClock: true, now: () => Date.parse(at(1)) }
    const other = await openPostgresHistory(fixture.place.server, owner)
    const [committed, next] = await Promise.allSettled([commit(draft), beginRepeatedly(other)])
    expect(committed).toMatchObject({ status: 'rejected', reason: { exitCode: expect.any(Number) } })
    if (next.status === 'rejected') throw next.reason
    expect(next.value.interrupted).toEqual([1])
    await walkAll(next.value)
    await commit(next.value)
    await other.close()
    expect(await numbers()).toEqual([2])
  })

  async function beginRepeatedly(other: History) {
    for (;;) {
      try {
        return await other.begin(aStart(at(2)))
      } catch (error) {
        if (!(error instanceof AuditError) || error.exitCode !== 5) throw error
      }
    }
  }
})

describe.skipIf(!hasPostgres)('a command whose connection breaks at its COMMIT', () => {
  const fixture = openCutFixture()
  beforeEach(async () => {
    for (const hour of [1, 2]) {
      const draft = await fixture.history.begin(aStart(at(hour)))
      await walkAll(draft)
      await commit(draft)
    }
  })

  async function prune() {
    const db = connect(fixture.proxy.server)
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

  async function ask() {
    const db = connect(fixture.proxy.server)
    try {
      await requestRun(db, request, 'asked')
    } finally {
      await db.close()
    }
  }

  const commands: Readonly<Record<string, { readonly execute: () => Promise<void>; readonly count: string }>> = {
    'an approval of two projects': {
      execute: () => fixture.history.approve(approvals),
      count: 'SELECT count(*) / 2.0 FROM hookdrift.approval',
    },
    'a revocation of an approval': {
      execute: () => fixture.history.revoke([1], { by: 'lead', at: at(12) }),
      count: "SELECT count(*) FROM hookdrift.approval WHERE id = 1 AND revoked_by = 'lead'",
    },
    'an acceptance': {
      execute: () => fixture.history.accept(acceptances),
      count: 'SELECT count(*) FROM hookdrift.acceptance',
    },
    'a revocation of an acceptance': {
      execute: () => fixture.history.revokeAcceptances([1], { by: 'lead', at: at(12) }),
      count: "SELECT count(*) FROM hookdrift.acceptance WHERE id = 1 AND revoked_by = 'lead'",
    },
    'a note': {
      execute: async () => {
        const signed = { by: 'ada', at: at(9) }
        await fixture.history.note({ text: 'deploy', happenedAt: at(8), ref: null, projects: [], signed })
      },
      count: 'SELECT count(*) FROM hookdrift.recorded_note',
    },
    'a notification': {
      execute: () => fixture.history.enqueue(messages, at(9)),
      count: 'SELECT count(*) FROM hookdrift.notification',
    },
    'a pruning': { execute: prune, count: 'SELECT count(*) FROM hookdrift.checkpoint' },
    'a request for a run': {
      execute: ask,
      count: 'SELECT count(*) FROM hookdrift.run_plan',
    },
  }
  const cases = Object.entries(commands).map(([name, command]) => ({ name, ...command }))

  async function counted(sql: string) {
    const db = connect(fixture.place.server)
    return Number(await db.value(sql).finally(() => db.close()))
  }

  /** What the commands need that revoke something. */
  async function prepare(name: string) {
    if (name.startsWith('a revocation of an approval')) await fixture.history.approve(approvals)
    if (name.startsWith('a revocation of an acceptance')) await fixture.history.accept(acceptances)
  }

  it.each(cases)('learns that it was recorded, once: $name', async ({ name, execute, count }) => {
    await prepare(name)
    fixture.proxy.arm('after')
    await execute()
    expect([fixture.proxy.cuts, await counted(count)]).toEqual([1, 1])
  })

  it.each(cases)(
    'learns that it was not recorded, unless it records it then: $name',
    async ({ name, execute, count }) => {
      await prepare(name)
      fixture.proxy.arm('before')
      const [result] = await Promise.allSettled([execute()])
      if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(AuditError)
      expect([fixture.proxy.cuts, await counted(count)]).toEqual([1, result.status === 'fulfilled' ? 1 : 0])
      if (result.status === 'rejected') await execute()
      expect(await counted(count)).toBe(1)
    },
  )

  it('records each of twenty approvals whose COMMIT is on its way as it says', async () => {
    let expected = 0
    for (let n = 1; n <= 20; n += 1) {
      fixture.proxy.arm('meanwhile')
      const [result] = await Promise.allSettled([
        fixture.history.approve([{ ...signed, ...approvals[0], at: at(n) } as NewApproval]),
      ])
      if (result.status === 'fulfilled') expected += 1
      expect(await counted('SELECT count(*) FROM hookdrift.approval')).toBe(expected)
    }
    expect(fixture.proxy.cuts).toBe(20)
  })
})

describe.skipIf(!hasPostgres)('a machine that is gone in the midst of a commit', () => {
  it('keeps the lease locked until the server ends its transaction, and not longer', async () => {
    const place = await makeDatabase()
    const proxy = await openCuttingProxy(place.server)
    const machines = new Machines()
    const owner = { ...machines.process(1), usesLocalClock: true }
    const history = await openPostgresHistory(proxy.server, owner, { mostIdleMs: 1_500 })
    const other = await openPostgresHistory(place.server, {
      ...machines.process(2, 'beta'),
      usesLocalClock: true,
      // The lease has expired.
      now: () => owner.now() + 3_600_000,
    })
    try {
      const draft = await history.begin(aStart(at(1)))
      await walkAll(draft)
      proxy.arm('silent')
      // Before the transaction is idle: a busy machine may notice the cut late.
      const from = performance.now()
      const committing = commit(draft)
      await expect.poll(() => proxy.cuts).toBe(1)
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
