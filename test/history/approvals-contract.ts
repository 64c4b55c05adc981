import { assert, beforeEach, describe, expect, it } from 'vitest'
import { type ApprovedResource, activeApprovals, approvalsByResource } from '../../src/history/approvals.ts'
import type { Draft, History } from '../../src/history/history.ts'
import {
  listApprovals,
  listApprovalsOf,
  readApproved,
  readApprovedBodies,
  readApprovedResources,
} from '../../src/history/sql/approvals.ts'
import type { Kind, Resource } from '../../src/model/resource.ts'
import { openContractFixture, type Place } from './contract-fixture.ts'
import { idOf } from './known-in.ts'
import {
  aChange,
  aCoverage,
  anApproval,
  at,
  aVersion,
  commit,
  orders,
  payments,
  approvedScopes as scopes,
} from './samples.ts'

const anImported: ApprovedResource = {
  kind: 'endpoint',
  uid: 'a',
  name: 'from a file',
  attributes: { url: 'https://example.com' },
  sealKeyId: 'key-9',
}

/** What every backend promises about approvals, withheld removals and recent changes. */
export function describeApprovals(name: string, makePlace: () => Place): void {
  describe(`${name}: a history with approvals`, () => {
    const fixture = openContractFixture(makePlace)
    let history: History
    beforeEach(() => {
      history = fixture.history
    })
    const { begin, run } = fixture

    /** Run 1 knows a and b, run 2 changes a and ends b. */
    async function twoRuns() {
      await run((draft) => draft.stage(payments, [aVersion('a', { n: 1 }), aVersion('b')]))
      await run(async (draft) => {
        await draft.stage(payments, [aVersion('a', { n: 2 }, { replaces: await idOf(draft, 'a') })])
        await draft.endVersions(payments, [await idOf(draft, 'b')])
      })
    }

    it('keeps every approval; the last one of each project is active until it is revoked', async () => {
      await twoRuns()
      await history.approve([anApproval(payments, 1), anApproval(orders, 1)])
      await history.approve([anApproval(payments, 2, { by: 'audit', at: at(11), note: '' })])
      const ids = async () => activeApprovals(await listApprovals(history)).map(({ id }) => id)
      expect(await ids()).toEqual([3, 2])
      await history.revoke([3], { by: 'lead', at: at(12) })
      // A second revocation changes nothing.
      await history.revoke([3], { by: 'other', at: at(13) })
      expect(await ids()).toEqual([2])
      const common = { scopes, run: 1, note: 'reviewed', by: 'ops', at: at(10), revoked: undefined }
      expect(await listApprovals(history)).toEqual([
        { ...common, id: 1, project: payments },
        { ...common, id: 2, project: orders },
        {
          ...common,
          id: 3,
          project: payments,
          run: 2,
          note: '',
          by: 'audit',
          at: at(11),
          revoked: { by: 'lead', at: at(12) },
        },
      ])
    })

    it('gives the state of a run to the runs after it', async () => {
      await twoRuns()
      await history.approve([anApproval(payments, 1)])
      const draft = await begin()
      const approval = (await listApprovalsOf(draft.past, payments)).at(-1)
      assert(approval, 'nothing is approved')
      expect(await listApprovalsOf(draft.past, orders)).toEqual([])
      expect(uidsOf(await readApproved(draft.past, approval), 'endpoint').toSorted()).toEqual(['a', 'b'])
      expect(uidsOf(await readApproved(draft.past, approval), 'source')).toEqual([])
      const asked = ['z', 'a'].map((uid) => ({ kind: 'endpoint', uid }) as const)
      const bodies = await readApprovedBodies(draft.past, approval, asked)
      expect(bodies.map((body) => body?.attributes)).toEqual([undefined, { n: 1 }])
      await draft.abandon(at(20))
      expect((await readApprovedResources(history, approval)).map(({ uid }) => uid)).toEqual(['a', 'b'])
    })

    it('gives amended resources as they were approved by themselves, and the rest as of its run', async () => {
      await twoRuns()
      const amendments = [
        { kind: 'endpoint', uid: 'a', run: 2, at: at(10) },
        { kind: 'endpoint', uid: 'b', run: 2, at: at(10) },
      ] as const
      const resources = [{ ...anImported, uid: 'a', attributes: { n: 2 } }]
      await run((draft) => draft.stage(payments, [aVersion('c', { n: 3 })]))
      await history.approve([anApproval(payments, 1, { state: { run: 1, resources }, amendments, osUser: 'root' })])
      const draft = await begin()
      const approval = (await listApprovalsOf(draft.past, payments)).at(-1)
      assert(approval, 'nothing is approved')
      expect(approval).toMatchObject({ run: 1, amendments, osUser: 'root' })
      expect(uidsOf(await readApproved(draft.past, approval), 'endpoint')).toEqual(['a'])
      const asked = ['b', 'a', 'c'].map((uid) => ({ kind: 'endpoint', uid }) as const)
      const bodies = await readApprovedBodies(draft.past, approval, asked)
      expect(bodies.map((body) => body?.attributes)).toEqual([undefined, { n: 2 }, undefined])
      await draft.abandon(at(20))
      expect((await readApprovedResources(history, approval)).map(({ uid, attributes }) => [uid, attributes])).toEqual([
        ['a', { n: 2 }],
      ])
      // Where the rest is of a run as well.
      await history.approve([
        anApproval(payments, 2, { state: { run: 1, resources: [] }, amendments: [amendments[1]] }),
      ])
      const rest = await readApprovedResources(history, activeApprovals(await listApprovals(history))[0] ?? approval)
      expect(rest.map(({ uid, attributes }) => [uid, attributes])).toEqual([['a', { n: 1 }]])
    })

    it('keeps what each approval changed, and confirmations, which are never in force', async () => {
      await twoRuns()
      const [a, b] = ['a', 'b'].map((uid) => ({ kind: 'endpoint', uid }) as const)
      assert(a && b, 'there are two')
      await history.approve([anApproval(payments, 1, { by: 'first', follows: null })])
      await history.approve([anApproval(payments, 2, { by: 'second', approves: [a, b], follows: 1 })])
      await history.approve([anApproval(payments, 2, { by: 'third', approves: [], confirms: 2, follows: 2 })])
      const resources = [{ ...anImported, uid: 'a', attributes: { n: 3 } }]
      const amendments = [{ ...a, run: 2, at: at(11) }]
      await history.approve([
        anApproval(payments, 2, { by: 'fourth', at: at(11), state: { run: 2, resources }, amendments, approves: [a] }),
      ])
      const approvals = await listApprovals(history)
      expect(approvals.map(({ approves, confirms }) => [approves, confirms])).toEqual([
        [undefined, undefined],
        [[a, b], undefined],
        [[], 2],
        [[a], undefined],
      ])
      const draft = await begin()
      expect(await listApprovalsOf(draft.past, payments)).toEqual(approvals)
      await draft.abandon(at(20))
      const namedOf = (ofProject: typeof approvals) => {
        const approvalOf = approvalsByResource(ofProject)
        return [a, b, { kind: 'source', uid: 'c' } as const].map((one) => approvalOf(one)?.by)
      }
      expect(namedOf(approvals)).toEqual(['fourth', 'second', 'first'])
      expect(namedOf(approvals.slice(0, 3))).toEqual(['second', 'second', 'first'])
      expect(activeApprovals(approvals.slice(0, 3)).map(({ by }) => by)).toEqual(['second'])
      // As a history has it that kept no such list.
      const earlier = approvals.map((approval) => Object.assign({}, approval, { approves: undefined }))
      expect(namedOf(earlier)).toEqual(['fourth', 'second', 'second'])
      const view = await history.ask((session) =>
        session.all<{ id: number; is_active: number; confirms: number | null }>(
          'SELECT id, is_active, confirms FROM hookdrift.baseline ORDER BY id',
        ),
      )
      expect(view).toEqual([
        { id: 1, is_active: 0, confirms: null },
        { id: 2, is_active: 0, confirms: null },
        { id: 3, is_active: 0, confirms: 2 },
        { id: 4, is_active: 1, confirms: null },
      ])
      await history.revoke([4], { by: 'lead', at: at(12) })
      expect(namedOf(await listApprovals(history))).toEqual([undefined, undefined, undefined])
    })

    it('refuses an approval that was compared with one which is not in force by now', async () => {
      await twoRuns()
      const approve = (follows: number | null) => history.approve([anApproval(payments, 1, { follows })])
      await expect(approve(1)).rejects.toMatchObject({ exitCode: 2 })
      await approve(null)
      await expect(approve(null)).rejects.toMatchObject({ exitCode: 2 })
      await history.revoke([1], { by: 'lead', at: at(12) })
      await expect(approve(1)).rejects.toMatchObject({ exitCode: 2 })
      // All or none.
      const both = [anApproval(orders, 1, { follows: null }), anApproval(payments, 1, { follows: 1 })]
      await expect(history.approve(both)).rejects.toMatchObject({ exitCode: 2 })
      expect(await listApprovals(history)).toHaveLength(1)
    })

    it('gives a state that came from files, byte for byte', async () => {
      await history.approve([anApproval(payments, 0, { state: { resources: [anImported] } })])
      const [approval] = await listApprovals(history)
      assert(approval, 'nothing is approved')
      expect(approval.run).toBeUndefined()
      expect(await readApprovedResources(history, approval)).toEqual([anImported])
      const draft = await begin()
      expect(uidsOf(await readApproved(draft.past, approval), 'endpoint')).toEqual(['a'])
      const { name, attributes, sealKeyId } = anImported
      const asked = ['a', 'b'].map((uid) => ({ kind: 'endpoint', uid }) as const)
      const [body, ...others] = await readApprovedBodies(draft.past, approval, asked)
      expect(body).toMatchObject({ name, attributes, sealKeyId })
      expect(others).toEqual([undefined])
      await draft.abandon(at(20))
    })

    it('refuses approvals and revocations while a run is under way', async () => {
      await twoRuns()
      const draft = await begin()
      await expect(history.approve([anApproval(payments, 1)])).rejects.toMatchObject({ exitCode: 5 })
      await expect(history.revoke([1], { by: 'ops', at: at(9) })).rejects.toMatchObject({ exitCode: 5 })
      await draft.abandon(at(20))
      expect(await listApprovals(history)).toEqual([])
    })

    it('remembers withheld removals until a walk reaches the end again', async () => {
      const walk = async (status: Parameters<typeof aCoverage>[1], held?: readonly string[]) => {
        const draft = await begin()
        const before = (await draft.previouslyWithheld(payments)).get('endpoints')
        await draft.stageScan(payments)
        await draft.stageWalk(payments, aCoverage('endpoints', status), undefined)
        if (held !== undefined) await draft.withholdRemovals(payments, 'endpoints', held)
        await commit(draft)
        return before
      }
      expect(await walk('suspect', ['a', 'b'])).toBeUndefined()
      expect(await walk('partial')).toEqual(['a', 'b'])
      expect(await walk('suspect', ['c'])).toEqual(['a', 'b'])
      expect(await walk('suspect', [])).toEqual(['c'])
      expect(await walk('suspect', ['c'])).toEqual([])
      const killed = await begin()
      await killed.withholdRemovals(payments, 'endpoints', ['x'])
      await killed.stageScan(payments)
      await killed.stageWalk(payments, aCoverage('endpoints', 'suspect'), undefined)
      await killed.abandon(at(20))
      expect(await walk('complete')).toEqual(['c'])
      expect(await walk('complete')).toBeUndefined()
    })

    it('lists changes since a time', async () => {
      const fields = [
        { path: '/url', before: 'a', after: 'b' },
        { path: '/status', before: 'x', after: 'y' },
      ]
      const modify = (uid: string) => (draft: Draft) =>
        draft.stageChanges(payments, [aChange(uid, { change: 'modified', fields }), aChange(`${uid}-new`)])
      await run(modify('a'))
      await run(modify('b'))
      await run((draft) => draft.stageChanges(orders, [aChange('c', { change: 'modified', fields })]), [orders])
      const draft = await begin()
      await modify('d')(draft)
      const paths = ['/url', '/status']
      expect((await draft.historyOf(payments, at(0))).modifications).toEqual([
        { kind: 'endpoint', uid: 'a', run: 1, at: at(1), paths },
        { kind: 'endpoint', uid: 'b', run: 2, at: at(2), paths },
      ])
      expect((await draft.historyOf(payments, at(2))).modifications).toEqual([
        { kind: 'endpoint', uid: 'b', run: 2, at: at(2), paths },
      ])
      await draft.abandon(at(20))
    })
  })
}

function uidsOf(resources: readonly Pick<Resource, 'kind' | 'uid'>[], kind: Kind): readonly string[] {
  return resources.filter((resource) => resource.kind === kind).map(({ uid }) => uid)
}
