import { assert, beforeEach, describe, expect, it } from 'vitest'
import type { Draft, History } from '../../src/history/history.ts'
import type { ComposeNotifications, PriorState } from '../../src/history/notification-facts.ts'
import type { IncidentSubjects, NewMessage } from '../../src/history/outbox.ts'
import {
  findFirstWaiting,
  findLastOfWorker,
  findLastTicketChange,
  findTicket,
  goneChannelsIn,
  listChannels,
  listUndelivered,
} from '../../src/history/sql/outbox.ts'
import { listRuns } from '../../src/history/sql/runs.ts'
import { openContractFixture, type Place } from './contract-fixture.ts'
import { idOf } from './known-in.ts'
import { aContext, aCoverage, aStart, at, aVersion, aViolation, orders, payments, walkAll } from './samples.ts'
import { ending, opening, turning } from './violation-steps.ts'

const aMessage = (id: string, channel = 'hook', run: number | null = 1): NewMessage => {
  return { id, channel, run, body: `{"id":"${id}"}` }
}

/** What every backend promises of messages. */
export function describeOutbox(name: string, makePlace: () => Place): void {
  describe(`${name}: messages`, () => {
    const fixture = openContractFixture(makePlace)
    let history: History
    beforeEach(() => {
      history = fixture.history
    })

    /** A run that does what is asked; gives what was known before it. */
    async function run(
      work: (draft: Draft) => Promise<unknown> = async () => {},
      {
        compose = () => [],
        projects = [payments],
      }: { compose?: ComposeNotifications; projects?: (typeof payments)[] } = {},
    ): Promise<PriorState> {
      fixture.hour += 1
      const draft = await history.begin(aStart(at(fixture.hour), { policyDigest: `policy ${fixture.hour}` }))
      for (const project of projects) await walkAll(draft, project)
      await work(draft)
      let before: PriorState | undefined
      await draft.commit(
        at(fixture.hour),
        () => 0,
        (record, known) => {
          before = known
          return compose(record, known)
        },
      )
      assert(before, 'compose was not called')
      return before
    }
    const movesOf = ({ transitions }: PriorState) =>
      transitions.map(({ uid, before, now }) => `${uid}: ${before} → ${now}`).sort()
    const waiving = (uid: string) =>
      turning(uid, { state: 'waived', waiver: { owner: 'team', reason: 'moves', expires: at(99) } })
    const reopening = (uid: string) => turning(uid, { state: 'open', waiver: undefined })
    const doubting = (uid: string) => turning(uid, { state: 'unknown', waiver: undefined })
    const waiting = async () => (await listUndelivered(history)).map(({ id, number, state }) => [id, number, state])

    describe('transitions', () => {
      it('compare violations with those before', async () => {
        expect(movesOf(await run(opening('a', 'b', 'c')))).toEqual([
          'a: never → open',
          'b: never → open',
          'c: never → open',
        ])
        // A violation whose wording alone changed did not move.
        expect(movesOf(await run(turning('a', { message: 'other words', severity: 'low' })))).toEqual([])
        const many = async (draft: Draft) => {
          for (const change of [ending('a'), waiving('b'), doubting('c')]) await change(draft)
        }
        expect(movesOf(await run(many))).toEqual(['a: open → ended', 'b: open → waived', 'c: open → unknown'])
        const back = async (draft: Draft) => {
          for (const change of [opening('a'), reopening('b'), reopening('c')]) await change(draft)
        }
        expect(movesOf(await run(back))).toEqual(['a: ended → open', 'b: waived → open', 'c: unknown → open'])
      })

      it('describe the last scan of a project, and omit projects that the run did not scan', async () => {
        const first = await run(async (draft) => draft.stageContext(aContext()), { projects: [payments, orders] })
        expect([first.isFirst, first.policyDigest, first.scans.size]).toEqual([true, undefined, 0])
        await run(
          async (draft) => {
            await draft.stageScan(orders)
            await draft.stageWalk(orders, aCoverage('sources', 'failed'), undefined)
          },
          { projects: [orders] },
        )
        const third = await run(async () => {}, { projects: [payments] })
        expect([third.isFirst, third.policyDigest]).toEqual([false, 'policy 2'])
        expect([...third.scans.keys()]).toEqual([payments.name])
        expect(third.scans.get(payments.name)?.silent).toEqual(new Set(['endpoint/orphan']))
        const fourth = await run(async () => {}, { projects: [orders] })
        expect(fourth.scans.get(orders.name)?.statuses.get('sources')).toBe('failed')
      })

      it('say how a listing was read last, where the scans since then left it out', async () => {
        const reading = (status: 'failed' | 'complete') => (draft: Draft) =>
          draft.stageWalk(payments, aCoverage('event_types', status), undefined)
        const statusIn = ({ scans }: PriorState) => scans.get(payments.name)?.statuses.get('event_types')
        expect(statusIn(await run(reading('failed')))).toBeUndefined()
        expect(statusIn(await run())).toBe('failed')
        expect(statusIn(await run())).toBeUndefined()
        expect(statusIn(await run(reading('complete')))).toBe('failed')
        expect(statusIn(await run(reading('failed')))).toBe('complete')
      })

      it('know a project by its uid when it has another name', async () => {
        await run(async (draft) => draft.stageContext(aContext()))
        const renamed = { ...payments, name: 'acme/money' }
        const { scans } = await run(async () => {}, { projects: [renamed] })
        expect(scans.get(renamed.name)?.silent).toEqual(new Set(['endpoint/orphan']))
      })

      it('are passed to the next scan when their notification was postponed', async () => {
        await run(opening('a', 'b'))
        const later: ComposeNotifications = () => 'later'
        await run(
          async (draft) => {
            await ending('a')(draft)
            await opening('c', 'd')(draft)
          },
          { compose: later, projects: [payments, orders] },
        )
        await run(async () => {}, { projects: [orders] })
        const next = await run(ending('d'))
        expect(movesOf(next)).toEqual(['a: open → ended', 'c: never → open'])
        expect(movesOf(await run())).toEqual([])
      })
    })

    it('name a violation that continues under another severity or message, once', async () => {
      const changesOf = ({ changes }: PriorState) =>
        changes.map(({ uid, severity, message, was }) => [uid, severity, message, was])
      await run(opening('a', 'b', 'c'))
      const [a, b] = [aViolation('a'), aViolation('b')]
      const next = await run(async (draft) => {
        await turning('a', { severity: 'critical' })(draft)
        await turning('b', { message: 'another text' })(draft)
        await turning('c', { state: 'unknown', lastRun: 1 })(draft)
      })
      expect(changesOf(next).sort()).toEqual([
        ['a', 'critical', a.message, { severity: a.severity, message: a.message }],
        ['b', b.severity, 'another text', { severity: b.severity, message: b.message }],
      ])
      expect(changesOf(await run())).toEqual([])
    })

    it('name the owner of an active violation as of the run, and of an ended one as it last was', async () => {
      const ownersOf = ({ transitions }: PriorState) => transitions.map(({ uid, owner }) => [uid, owner]).sort()
      const first = await run(async (draft) => {
        const versions = ['a', 'b'].map((uid) => aVersion(uid, { owner_id: `tenant-${uid}` }))
        await draft.stage(payments, versions)
        await opening('a', 'b', 'without')(draft)
      })
      expect(ownersOf(first)).toEqual([
        ['a', 'tenant-a'],
        ['b', 'tenant-b'],
        ['without', null],
      ])
      const gone = await run(async (draft) => {
        await draft.stage(payments, [aVersion('b', { owner_id: 'another' }, { replaces: await idOf(draft, 'b') })])
        await draft.endVersions(payments, [await idOf(draft, 'a')])
        await ending('a')(draft)
        await ending('b')(draft)
      })
      expect(ownersOf(gone)).toEqual([
        ['a', 'tenant-a'],
        ['b', 'tenant-b'],
      ])
    })

    describe('incidents', () => {
      const opens =
        (key: string, subjects: readonly string[], ...others: readonly IncidentSubjects[]) =>
        () => [{ ...aMessage(`opens ${key} ${subjects.length}`, 'duty'), incidents: [{ key, subjects }, ...others] }]
      const shown = ({ incidents }: PriorState) =>
        incidents.map(({ channel, key, subjects }) => [
          channel,
          key,
          ...subjects.map(({ subject, state }) => `${subject}: ${state}`),
        ])
      const [a, b] = ['a', 'b'].map((uid) => aViolation(uid).fingerprint) as [string, string]

      it('are remembered with the state of what they are about until a message ends them', async () => {
        expect(shown(await run(opening('a', 'b'), { compose: opens('k1', [a, b, 'a listing']) }))).toEqual([])
        expect(shown(await run(ending('a')))).toEqual([['duty', 'k1', `${a}: null`, `${b}: open`, 'a listing: null']])
        expect(shown(await run(waiving('b')))).toEqual([
          ['duty', 'k1', `${a}: null`, `${b}: waived`, 'a listing: null'],
        ])
        await run(doubting('b'), { compose: opens('k2', [b], { key: 'k1', subjects: [a] }) })
        expect(shown(await run())).toEqual([
          ['duty', 'k1', `${a}: null`],
          ['duty', 'k2', `${b}: unknown`],
        ])
        await run(async () => {}, { compose: opens('k1', []) })
        expect(shown(await run())).toEqual([['duty', 'k2', `${b}: unknown`]])
      })

      it('are as the last of their messages says', async () => {
        const about = (id: string, key: string, subjects: string[]) => ({
          ...aMessage(id),
          incidents: [{ key, subjects }],
        })
        const messages = [about('1', 'a', ['x']), about('2', 'b', ['z']), about('3', 'a', []), about('4', 'a', ['y'])]
        await history.enqueue(messages, at(1))
        expect(shown(await run())).toEqual([
          ['hook', 'a', 'y: null'],
          ['hook', 'b', 'z: null'],
        ])
      })

      it('are not touched by a message that is there already', async () => {
        await run(async () => {}, { compose: opens('k1', ['x']) })
        await run(async () => {}, {
          compose: () => [{ ...aMessage('opens k1 1', 'duty'), incidents: [{ key: 'k1', subjects: [] }] }],
        })
        expect(shown(await run())).toEqual([['duty', 'k1', 'x: null']])
      })

      it('that have ended are kept as long as there is a ticket, and not said to be open', async () => {
        const ticket = { key: 'k1', target: 'here', reference: '12', changedAt: at(1) }
        await history.enqueue([{ ...aMessage('1'), incidents: [{ key: 'k1', subjects: ['x'] }] }], at(1))
        await history.rememberTicket('hook', ticket)
        const ends = (id: string, key: string) => ({ ...aMessage(id), incidents: [{ key, subjects: [] }] })
        await history.enqueue([ends('2', 'k1'), ends('3', 'k2')], at(2))
        expect(shown(await run())).toEqual([])
        expect(await findTicket(history, 'hook', ticket)).toEqual(ticket)
        const rows = fixture.place.inDatabase((db) => db.column('SELECT key FROM hookdrift.incident'))
        expect(await rows).toEqual(['k1'])
      })
    })

    it('remember the last that was said of a ticket, for its channel and its tracker', async () => {
      await history.enqueue([aMessage('m1'), aMessage('n1', 'chat')], at(1))
      const ticket = { key: 'k1', target: 'here', reference: null, changedAt: at(1) }
      const known = (channel: string, key: string, target: string) => findTicket(history, channel, { key, target })
      await history.rememberTicket('hook', ticket)
      expect(await known('hook', 'k1', 'here')).toEqual(ticket)
      expect(await findLastTicketChange(history, 'hook', 'here')).toBeUndefined()
      const created = { ...ticket, reference: '12', changedAt: at(2) }
      await history.rememberTicket('hook', created)
      await history.rememberTicket('hook', { ...created, key: 'k2', changedAt: at(3) })
      await history.rememberTicket('hook', { ...created, key: 'k3', target: 'there', changedAt: at(4) })
      expect(await known('hook', 'k1', 'here')).toEqual(created)
      expect(await known('hook', 'k1', 'there')).toBeUndefined()
      expect(await known('chat', 'k1', 'here')).toBeUndefined()
      expect(await findLastTicketChange(history, 'hook', 'here')).toBe(at(3))
    })

    describe('the outbox', () => {
      it('stores the messages of a commit, numbered by channel, and each id once', async () => {
        await run(opening('a'), { compose: () => [aMessage('m1'), aMessage('m2'), aMessage('n1', 'chat')] })
        await history.enqueue([aMessage('m2'), aMessage('m3', 'hook', null)], at(7))
        expect(await waiting()).toEqual([
          ['n1', 1, 'pending'],
          ['m1', 1, 'pending'],
          ['m2', 2, 'pending'],
          ['m3', 3, 'pending'],
        ])
        expect(await findFirstWaiting(history, 'hook')).toEqual({
          id: 'm1',
          channel: 'hook',
          number: 1,
          run: 1,
          createdAt: at(1),
          state: 'pending',
          attempts: 0,
          nextTryAt: at(1),
          error: null,
          body: '{"id":"m1"}',
        })
        expect(await findFirstWaiting(history, 'no-such-channel')).toBeUndefined()
        expect((await run()).channels).toEqual(['chat', 'hook'])
      })

      it('knows the newest message that is about no run', async () => {
        expect(await findLastOfWorker(history)).toBeUndefined()
        await history.enqueue([aMessage('w1', 'hook', null), aMessage('w2', 'chat', null)], at(1))
        await history.enqueue([aMessage('w3', 'hook', null)], at(2))
        await history.enqueue([aMessage('m1')], at(3))
        expect(await findLastOfWorker(history)).toBe('{"id":"w3"}')
      })

      it('is empty after an abandoned run', async () => {
        const draft = await history.begin(aStart(at(1)))
        await walkAll(draft)
        await draft.abandon(at(1))
        expect(await listChannels(history)).toEqual([])
      })

      it('is empty after a failed commit', async () => {
        const draft = await history.begin(aStart(at(1)))
        await walkAll(draft)
        const failing: ComposeNotifications = () => {
          throw new Error('no words')
        }
        await expect(draft.commit(at(1), () => 0, failing)).rejects.toThrow('no words')
        expect([await listRuns(history), await listChannels(history)]).toEqual([[], []])
      })

      it('numbers messages without gaps while many are written at once, some of them the same', async () => {
        const ids = Array.from({ length: 40 }, (_, index) => `m${index % 25}`)
        await Promise.all(ids.map((id) => history.enqueue([aMessage(id), aMessage('same')], at(1))))
        const numbers = (await listUndelivered(history)).map(({ number }) => number)
        expect(numbers).toEqual(Array.from({ length: 26 }, (_, index) => index + 1))
        const written = fixture.place.inDatabase((db) => db.value('SELECT written FROM hookdrift.channel'))
        expect(await written).toBe(26)
      })

      it('writes the first of several messages with one id', async () => {
        await history.enqueue([aMessage('b'), aMessage('a'), { ...aMessage('b'), body: '[]' }], at(1))
        expect(await waiting()).toEqual([
          ['b', 1, 'pending'],
          ['a', 2, 'pending'],
        ])
        expect((await findFirstWaiting(history, 'hook'))?.body).toBe('{"id":"b"}')
      })

      it('keeps a message that is written while older ones are forgotten', async () => {
        await history.enqueue([aMessage('old')], at(1))
        await history.delivered('old', at(1))
        await Promise.all([
          history.dropFinished(at(2)),
          history.enqueue([aMessage('new')], at(3)),
          history.dropFinished(at(2)),
        ])
        expect(await waiting()).toEqual([['new', 2, 'pending']])
      })

      it('says what became of the newest message of each channel', async () => {
        await history.enqueue([aMessage('m1')], at(1))
        await history.enqueue([aMessage('m2'), aMessage('n1', 'chat')], at(2))
        await history.delivered('m1', at(3))
        const lastOnes = async () => (await listChannels(history)).map(({ lastMessage }) => lastMessage)
        const waits = { createdAt: at(2), state: 'pending', endedAt: null }
        expect(await lastOnes()).toEqual([waits, waits])
        await history.delivered('m2', at(4))
        await history.failed('n1', { at: at(5), error: 'answered 500', nextTryAt: undefined })
        expect(await lastOnes()).toEqual([
          { createdAt: at(2), state: 'dead', endedAt: at(5) },
          { createdAt: at(2), state: 'delivered', endedAt: at(4) },
        ])
        await history.dropFinished(at(9))
        expect(await lastOnes()).toEqual([null, null])
      })

      it('moves on when a message is delivered or given up, and not when it failed', async () => {
        const waits = { createdAt: at(1), state: 'pending', endedAt: null }
        await history.enqueue([aMessage('m1'), aMessage('m2'), aMessage('m3')], at(1))
        await history.failed('m1', { at: at(2), error: 'answered 500', nextTryAt: at(3) })
        const tried = { id: 'm1', attempts: 1, nextTryAt: at(3), error: 'answered 500', state: 'pending' }
        expect(await findFirstWaiting(history, 'hook')).toMatchObject(tried)
        await history.delivered('m1', at(3))
        expect((await findFirstWaiting(history, 'hook'))?.id).toBe('m2')
        await history.failed('m2', { at: at(4), error: 'answered 500', nextTryAt: undefined })
        expect((await findFirstWaiting(history, 'hook'))?.id).toBe('m3')
        expect(await listChannels(history)).toEqual([
          { name: 'hook', pending: 1, dead: 1, lastDeliveredAt: at(3), lastMessage: waits, gone: null },
        ])
        await history.delivered('m2', at(5))
        expect(await waiting()).toEqual([
          ['m2', 2, 'dead'],
          ['m3', 3, 'pending'],
        ])
      })

      it('gives up messages from before a time', async () => {
        await history.enqueue([aMessage('m1')], at(1))
        await history.enqueue([aMessage('m2'), aMessage('n1', 'chat')], at(3))
        expect(await history.giveUp('hook', at(2), at(9))).toBe(1)
        expect(await waiting()).toEqual([
          ['n1', 1, 'pending'],
          ['m1', 1, 'dead'],
          ['m2', 2, 'pending'],
        ])
      })

      it('remembers that a receiver is gone, until it returns', async () => {
        await history.enqueue([aMessage('m1')], at(1))
        const gone = { at: at(2), target: 'sealed:1' }
        await history.markGone('hook', gone)
        expect((await listChannels(history))[0]?.gone).toEqual(gone)
        expect(await history.ask(goneChannelsIn)).toEqual([{ name: 'hook', at: gone.at }])
        await history.markGone('hook', undefined)
        expect((await listChannels(history))[0]?.gone).toBeNull()
      })

      it('forgets messages that ended long ago, except those that wait or follow a waiting one', async () => {
        await history.enqueue([aMessage('m1'), aMessage('m2'), aMessage('m3')], at(1))
        await history.failed('m1', { at: at(2), error: 'no', nextTryAt: undefined })
        await history.dropFinished(at(2))
        expect(await waiting()).toHaveLength(3)
        await history.dropFinished(at(3))
        expect(await waiting()).toEqual([
          ['m2', 2, 'pending'],
          ['m3', 3, 'pending'],
        ])
        await history.failed('m3', { at: at(4), error: 'no', nextTryAt: undefined })
        await history.dropFinished(at(9))
        expect(await waiting()).toEqual([
          ['m2', 2, 'pending'],
          ['m3', 3, 'dead'],
        ])
        await history.delivered('m2', at(5))
        await history.dropFinished(at(9))
        expect(await waiting()).toEqual([])
        await history.enqueue([aMessage('m4')], at(9))
        expect(await waiting()).toEqual([['m4', 4, 'pending']])
      })
    })

    describe('a channel', () => {
      it('is delivered by one process at a time', async () => {
        const other = await fixture.place.open(fixture.machines.process(200))
        await history.enqueue([aMessage('m1')], at(1))
        const token = await history.claim('hook')
        if (token === undefined) throw new Error('not claimed')
        expect(await other.claim('hook')).toBeUndefined()
        expect(await history.claim('hook')).toBeUndefined()
        expect(await history.renew('hook', token)).toBe(true)
        await history.release('hook', token)
        const next = await other.claim('hook')
        expect(next).toBeGreaterThan(token)
        expect(await history.renew('hook', token)).toBe(false)
        await other.close()
      })

      it('is free again when its owner is dead, was silent for too long, or had a clock that was ahead', async () => {
        const killed = fixture.machines.process(300)
        const other = await fixture.place.open(killed)
        await history.enqueue([aMessage('m1')], at(1))
        await other.claim('hook')
        killed.kill()
        const mine = await history.claim('hook')
        expect(mine).toBeDefined()
        const third = await fixture.place.open(fixture.machines.process(400))
        expect(await third.claim('hook')).toBeUndefined()
        await fixture.machines.pass(fixture.place.expiryS)
        expect(await third.claim('hook')).toBeDefined()
        await fixture.machines.pass(-86_400)
        expect(await history.claim('hook')).toBeDefined()
        await third.close()
        await other.close()
      })

      it('that never had a message cannot be claimed', async () => {
        expect(await history.claim('hook')).toBeUndefined()
      })
    })
  })
}
