import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Session } from '../../src/history/sql/session.ts'
import { explainViews } from '../../src/history/sqlite/views.ts'
import { canonicalJson } from '../../src/model/canonical-json.ts'
import type { JsonObject } from '../../src/model/json.ts'
import { openContractFixture, type Place } from './contract-fixture.ts'
import { activeIn, idOf, markIn } from './known-in.ts'
import {
  aChange,
  aContext,
  aCoverage,
  aNotice,
  anApproval,
  anEnding,
  at,
  aVersion,
  aViolation,
  commit,
  endedAs,
  orders,
  payments,
} from './samples.ts'
import { confirming, ending, opening, turning } from './violation-steps.ts'

const columnsOf = new Map(explainViews().map(({ view, columns }) => [view, columns]))
const views = [...columnsOf.keys()]

/** The questions in SQL of the page on asking the history. */
const page = readFileSync(join(import.meta.dirname, '../../docs/how-to/ask-the-history.md'), 'utf8')
const questions = [
  ...[...page.matchAll(/^```sql\n(.*?)\n```$/gms)].map(([, sql = '']) => sql),
  ...[...page.matchAll(/^\$ hookdrift query "([^"]*)"$/gm)].map(([, sql = '']) => sql.replaceAll(/\\\n */g, '')),
].filter((sql) => !sql.endsWith('FROM violations'))

/** What every backend shows to other programs, such as sqlite3 and psql. */
export function describeViews(name: string, makePlace: () => Place): void {
  describe(`${name}: the documented views`, () => {
    const fixture = openContractFixture(makePlace)
    const { begin } = fixture

    const rows = (sql: string) => fixture.place.inDatabase((db) => db.all<Record<string, unknown>>(sql))

    /** All rows of a view, whose columns are as explained. */
    async function shown(view: string, order: string) {
      const found = await rows(`SELECT * FROM hookdrift.${view} ORDER BY ${order}`)
      for (const row of found) expect(Object.keys(row)).toEqual(columnsOf.get(view))
      return found
    }

    async function everythingIn(session: Session) {
      const contents: Record<string, unknown> = {}
      for (const view of views)
        contents[view] = (await session.all(`SELECT * FROM hookdrift.${view}`)).map((row) => JSON.stringify(row)).sort()
      return contents
    }
    const everything = () => fixture.place.inDatabase(everythingIn)

    /** Adds a, b and c with a violation each. */
    async function firstRun() {
      const draft = await begin()
      await draft.stageScan(payments)
      await draft.stageWalk(payments, aCoverage('endpoints'), ['/url'])
      await draft.stageWalk(payments, { ...aCoverage('subscriptions', 'partial'), of: 9, oldest_at: at(0) }, undefined)
      const uids = ['a', 'b', 'c']
      const versions = uids.map((uid) => aVersion(uid, { of: uid, owner_id: 'tenant-1' }))
      await draft.stage(payments, versions)
      await draft.stageChanges(payments, [aChange('a', { referrers: ['u'] })])
      await opening(...uids)(draft)
      await draft.stageContext(aContext())
      await draft.commit(at(1.5), () => 1)
    }

    /** Modifies a, removes b, whose violation ends; c's becomes unknown; d is added. */
    async function draftSecond() {
      const draft = await begin()
      await draft.stageScan(payments)
      await draft.stageWalk(payments, aCoverage('endpoints'), ['/url'])
      await draft.stage(payments, [aVersion('a', { n: 2 }, { replaces: await idOf(draft, 'a') }), aVersion('d')])
      await draft.endVersions(payments, [await idOf(draft, 'b')])
      await draft.stageChanges(payments, [aChange('b', { change: 'removed' })])
      const unknown = turning('c', { state: 'unknown', lastRun: 1 })
      for (const step of [confirming('a'), ending('b'), unknown, opening('d')]) await step(draft)
      await draft.stageNotice(payments, aNotice('endpoints', 'the shape changed'))
      await markIn(draft, payments, 'source', ['s'])
      await draft.stageContext(aContext({ rules: [] }))
      return draft
    }

    it('show only the last committed run while another is drafted, given up, or killed', async () => {
      await firstRun()
      const before = await everything()
      const draft = await draftSecond()
      expect(await everything()).toEqual(before)
      await draft.abandon(at(3))
      expect(await everything()).toEqual(before)
      await draftSecond()
      fixture.owner.kill()
      await fixture.history.close()
      expect(await everything()).toEqual(before)
      fixture.history = await fixture.place.open(fixture.machines.process(200))
      expect((await begin()).interrupted).toEqual([3])
      expect(await everything()).toEqual(before)
    })

    it('show one state to a reader in a transaction during later commits', async () => {
      await firstRun()
      await fixture.place.inDatabase(async (db) => {
        const before = await db.snapshot(async (session) => {
          const first = await everythingIn(session)
          await commit(await draftSecond())
          expect(await everythingIn(session)).toEqual(first)
          return first
        })
        expect(await everythingIn(db)).not.toEqual(before)
      })
    })

    const ofPayments = { project: 'acme/payments', service: 'acme', project_uid: '01PAYMENTS' }
    const ofOrders = { ...ofPayments, project: 'acme/orders', project_uid: '01ORDERS' }

    it('contain what their documentation says of runs, walks and rules', async () => {
      await firstRun()
      await commit(await draftSecond())
      const third = await begin()
      await third.stageScan(orders)
      await third.stageWalk(orders, aCoverage('endpoints', 'failed'), undefined)
      await third.commit(at(3.5), () => 3)
      const run = {
        fail_on: 'medium',
        tool_version: '0.1.0',
        policy_digest: 'policy',
        configuration_digest: 'configuration',
        chain: expect.stringMatching(/^[0-9a-f]{64}$/),
      }
      expect(await shown('committed_run', 'number')).toEqual([
        { number: 1, started_at: at(1), finished_at: at(1.5), exit_code: 1, ...run },
        { number: 2, started_at: at(2), finished_at: at(2.5), exit_code: 0, ...run },
        { number: 3, started_at: at(3), finished_at: at(3.5), exit_code: 3, ...run },
      ])
      const endpoints = {
        ...ofPayments,
        listing: 'endpoints',
        status: 'complete',
        cause: null,
        reason: null,
        filter: null,
        pages: 1,
        items: 2,
        requests: 3,
        retries: 0,
        duration_ms: 40,
        total: null,
        oldest_at: null,
      }
      const partial = {
        listing: 'subscriptions',
        status: 'partial',
        cause: 'timeout',
        reason: 'it is partial',
        total: 9,
        oldest_at: at(0),
      }
      const failed = { ...ofOrders, status: 'failed', cause: 'http', reason: 'it is failed' }
      expect(await shown('run_coverage', 'run, listing')).toEqual([
        { run: 1, started_at: at(1), exit_code: 1, ...endpoints },
        { run: 1, started_at: at(1), exit_code: 1, ...endpoints, ...partial },
        { run: 2, started_at: at(2), exit_code: 0, ...endpoints },
        { run: 3, started_at: at(3), exit_code: 3, ...endpoints, ...failed },
      ])
      const rule = {
        rule: 'endpoint/url-not-https',
        kind: 'endpoint',
        severity: 'high',
        severity_rank: 2,
        title: 'No TLS',
      }
      expect(await shown('run_rule', 'run')).toEqual([
        { run: 1, started_at: at(1), ...rule, controls: '["soc2:CC6.7"]' },
      ])
    })

    it('contain what their documentation says of resources and their changes', async () => {
      await firstRun()
      await commit(await draftSecond())
      const resource = (uid: string, fromRun: number, body: JsonObject) => {
        const named = {
          kind: 'endpoint',
          uid,
          name: `name of ${uid}`,
          from_run: fromRun,
          owner: body.owner_id ?? null,
        }
        return { ...ofPayments, ...named, body: canonicalJson(JSON.parse(JSON.stringify(body))), facts: '' }
      }
      const first = (uid: string) => resource(uid, 1, { of: uid, owner_id: 'tenant-1' })
      const now = [resource('a', 2, { n: 2 }), first('c'), resource('d', 2, {})]
      expect(await shown('current_resource', 'uid')).toEqual(now)
      expect(await shown('resource_at', 'run, uid')).toEqual([
        ...[first('a'), first('b'), first('c')].map((row) => ({ run: 1, ...row })),
        ...now.map((row) => ({ run: 2, ...row })),
      ])
      const change = { ...ofPayments, kind: 'endpoint', fields: '[]', owner: 'tenant-1' }
      expect(await shown('drift', 'run')).toEqual([
        { run: 1, started_at: at(1), ...change, uid: 'a', name: 'name of a', change: 'added', referrers: '["u"]' },
        { run: 2, started_at: at(2), ...change, uid: 'b', name: 'name of b', change: 'removed', referrers: null },
      ])
    })

    const violation = (uid: string) => {
      const { fingerprint, rule, severity, kind, name, path, message } = aViolation(uid)
      const found = { fingerprint, rule, severity, severity_rank: 2, kind, uid, name, path, message }
      return { ...ofPayments, ...found, first_seen: at(1) }
    }

    it('contain what their documentation says of violations, seen by the last run that scanned their project', async () => {
      await firstRun()
      await commit(await draftSecond())
      await fixture.run(async () => {}, [orders])
      const open = { state: 'open', waiver: null, last_seen: at(2), owner: null }
      const active = [
        { ...violation('a'), ...open },
        { ...violation('c'), ...open, state: 'unknown', last_seen: at(1), owner: 'tenant-1' },
        { ...violation('d'), ...open, first_seen: at(2) },
      ]
      expect(await shown('active_violation', 'uid')).toEqual(active)
      expect(await shown('open_violation', 'uid')).toEqual(active)
    })

    const waiver = { owner: 'nora', reason: 'moves in May', expires: '2026-06-01', ticket: 'OPS-7' }

    it('leave what a waiver accepts out of the open ones, also after a scan that could not confirm it', async () => {
      await firstRun()
      await fixture.run(async (draft) => {
        for (const step of [confirming('a'), turning('b', { state: 'waived', waiver }), confirming('c')])
          await step(draft)
      })
      const counts = (view: string) =>
        rows(`SELECT state, count(*) AS n FROM hookdrift.${view} GROUP BY state ORDER BY state`)
      const open = [{ state: 'open', n: 2 }]
      expect([await counts('open_violation'), await counts('active_violation')]).toEqual([
        open,
        [...open, { state: 'waived', n: 1 }],
      ])
      const { first_seen: _, ...ofB } = violation('b')
      const { owner, ...said } = waiver
      const waived = { ...ofB, ...said, waiver_owner: owner, owner: 'tenant-1' }
      const since = { state: 'waived', waived_at: at(2), ended_at: null, is_active: 1 }
      expect(await shown('waived_violation', 'waived_at')).toEqual([{ ...waived, ...since }])
      await fixture.run(async (draft) => {
        for (const step of [confirming('a'), turning('b', { state: 'unknown', lastRun: 2 }), confirming('c')]) {
          await step(draft)
        }
      })
      expect(await counts('open_violation')).toEqual(open)
      const unconfirmed = { state: 'unknown', waived_at: at(3), ended_at: null, is_active: 1 }
      expect(await shown('waived_violation', 'waived_at')).toEqual([
        { ...waived, ...since, ended_at: at(3), is_active: 0 },
        { ...waived, ...unconfirmed },
      ])
    })

    it('say who accepted which violations, and which acceptances are over', async () => {
      await firstRun()
      const accept = (uid: string) => {
        const { fingerprint, rule, kind, path } = aViolation(uid)
        const reason = `${uid} is known`
        return { project: payments, fingerprint, rule, kind, uid, path, reason, valueDigest: null }
      }
      await fixture.history.accept([
        { ...accept('a'), by: 'eve', at: at(2), osUser: 'root' },
        { ...accept('b'), by: 'eve', at: at(2) },
      ])
      await fixture.history.revokeAcceptances([2], { by: 'lead', at: at(3), osUser: 'root' })
      const accepted = (uid: string) => {
        const { first_seen: _, ...found } = violation(uid)
        const signed = { reason: `${uid} is known`, accepted_at: at(2), accepted_by: 'eve' }
        return { ...found, ...signed, owner: 'tenant-1', ended_at: null, ended_by: null }
      }
      const revoked = { revoked_at: at(3), revoked_by: 'lead', revoked_as: 'root' }
      const held = { revoked_at: null, revoked_by: null, revoked_as: null }
      expect(await shown('accepted_violation', 'id')).toEqual([
        { id: 1, ...accepted('a'), accepted_as: 'root', ...held, is_active: 1 },
        { id: 2, ...accepted('b'), accepted_as: null, ...revoked, is_active: 0 },
      ])
    })

    it('say how violations ended, and who or what ended those that are not gone', async () => {
      await firstRun()
      await fixture.run(async (draft) => {
        for (const end of [ending('a', 'accepted'), ending('b', 'policy'), ending('c')]) await end(draft)
      })
      const ended = { run: 2, ended_at: at(2), open_seconds: 3600, owner: 'tenant-1' }
      const noOne = { ended_by: null, ended_kind: null, ended_person: null, ended_reason: null }
      const [accepted, policy] = (['accepted', 'policy'] as const).map((one) => JSON.stringify(anEnding(one).ended_by))
      expect(await shown('violation_history', 'uid')).toEqual([
        {
          ...violation('a'),
          ...ended,
          resolution: 'accepted',
          ended_by: accepted,
          ended_kind: 'baseline',
          ended_person: 'eve',
          ended_reason: 'looks fine',
        },
        { ...violation('b'), ...ended, resolution: 'policy', ...noOne, ended_by: policy, ended_kind: 'override' },
        { ...violation('c'), ...ended, resolution: 'fixed', ...noOne },
      ])
    })

    it('name the owner of the endpoint of a subscription whose violation ended', async () => {
      await fixture.run(async (draft) => {
        const subscription = aVersion('u', { endpoint_uid: 'a' }, { kind: 'subscription' })
        await draft.stage(payments, [aVersion('a', { owner_id: 'tenant-1' }), subscription])
        const violations = [aViolation('u', { kind: 'subscription' })]
        await draft.stageViolations(payments, { confirmed: [], violations })
      })
      await fixture.run(async (draft) => {
        const active = await draft.unconfirmedViolations(payments)
        await draft.endViolations(payments, endedAs(active.map(({ id }) => id)))
      })
      expect(await shown('violation_history', 'uid')).toMatchObject([{ uid: 'u', owner: 'tenant-1' }])
      expect(await shown('current_resource', 'uid')).toMatchObject([
        { uid: 'a', owner: 'tenant-1' },
        { uid: 'u', owner: 'tenant-1' },
      ])
    })

    it.each(questions)('answer %s', async (question) => {
      await firstRun()
      await commit(await draftSecond())
      const known = new RegExp(`\\b(?:FROM|JOIN) (?=${views.join('|')})`, 'g')
      await rows(question.replaceAll(known, (word) => `${word}hookdrift.`))
    })

    it('distinguish the approval that drift rules compare with', async () => {
      await fixture.aFirstRun()
      const approval = anApproval(payments, 1, { at: at(9) })
      await fixture.history.approve([approval])
      await fixture.history.approve([{ ...approval, approves: [{ kind: 'endpoint', uid: 'a' }] }])
      await fixture.history.approve([{ ...approval, project: orders }])
      await fixture.history.approve([{ ...approval, approves: [], confirms: 2 }])
      await fixture.history.revoke([3], { by: 'lead', at: at(12) })
      const approved = { ...ofPayments, run: 1, note: 'reviewed', approved_at: at(9), approved_by: 'ops' }
      const signed = { approved_as: null, revoked_as: null, approves: null, confirms: null }
      const approves = '[{"kind":"endpoint","uid":"a"}]'
      const valid = { ...signed, revoked_at: null, revoked_by: null }
      expect(await shown('baseline', 'id')).toEqual([
        { id: 1, ...approved, ...valid, is_active: 0 },
        { id: 2, ...approved, ...valid, approves, is_active: 1 },
        { id: 3, ...approved, ...ofOrders, ...signed, revoked_at: at(12), revoked_by: 'lead', is_active: 0 },
        { id: 4, ...approved, ...valid, approves: '[]', confirms: 2, is_active: 0 },
      ])
    })
  })

  describe(`${name}: the table of runs`, () => {
    const fixture = openContractFixture(makePlace)
    const rows = (sql: string) => fixture.place.inDatabase((db) => db.all(sql))

    it('shows what became of each', async () => {
      await fixture.run()
      await (await fixture.begin()).abandon(at(2.2))
      await fixture.begin()
      const columns = 'number, state, finished_at, exit_code, seal_key_id'
      expect(await rows(`SELECT ${columns} FROM hookdrift.run ORDER BY number`)).toEqual([
        { number: 1, state: 'committed', finished_at: at(1.5), exit_code: 0, seal_key_id: 'key-1' },
        { number: 2, state: 'interrupted', finished_at: at(2.2), exit_code: null, seal_key_id: 'key-1' },
        { number: 3, state: 'running', finished_at: null, exit_code: null, seal_key_id: 'key-1' },
      ])
    })

    it('and that of walks are all that a run without changes adds to', async () => {
      await fixture.aFirstRun()
      const tables = ['version', 'violation', 'change', 'notice', 'unreferenced', 'project']
      const contents = () => Promise.all(tables.map((table) => rows(`SELECT * FROM hookdrift.${table}`)))
      const before = await contents()
      await fixture.run(async (draft) => {
        await draft.stage(payments, [])
        const active = await activeIn(draft, payments, 'endpoint', ['a', 'b'])
        await draft.stageViolations(payments, { confirmed: active.map(({ id }) => id), violations: [] })
        await draft.endVersions(payments, [])
        await draft.endViolations(payments, endedAs((await draft.unconfirmedViolations(payments)).map(({ id }) => id)))
        await markIn(draft, payments, 'source', [])
      })
      expect(await contents()).toEqual(before)
      expect(await rows('SELECT run FROM hookdrift.walk ORDER BY run')).toEqual([1, 1, 2, 2].map((run) => ({ run })))
    })
  })
}
