import { hash } from 'node:crypto'
import Database from 'better-sqlite3'
import type { Draft, History } from '../../src/history/history.ts'
import { openSqliteHistory } from '../../src/history/sqlite/sqlite-history.ts'
import { temporaryDatabasePath } from './database-fixture.ts'
import { idOf, markIn } from './known-in.ts'
import { Machines } from './processes.ts'
import { aChange, aContext, aCoverage, aNotice, aStart, at, aVersion, orders, payments, walkAll } from './samples.ts'
import { ending, opening, turning } from './violation-steps.ts'

/** A history with something of everything, as bytes. */
export async function makeSoundHistory(): Promise<Buffer> {
  const { file, remove } = temporaryDatabasePath()
  const history = openSqliteHistory(file, new Machines().process(1))
  await run(history, 1, async (draft) => {
    for (const project of [payments, orders]) await walkAll(draft, project)
    await draft.stageWalk(orders, { ...aCoverage('sources', 'partial'), of: 9, oldest_at: at(0) }, undefined)
    const facts = '{"/secret":{"min_length":8,"weak":[]}}'
    const two = [aVersion('a', { url: 'a' }), aVersion('b', { url: 'b' })]
    await draft.stage(payments, [...two, withFacts('c', facts)])
    await opening('a', 'b', 'c')(draft)
    await markIn(draft, payments, 'source', ['s', 't'])
    await draft.stageNotice(payments, aNotice('endpoints', 'the shape changed'))
  })
  await run(history, 2, async (draft) => {
    await walkAll(draft)
    const fields = [{ path: '/url', before: 'a', after: 'x' }]
    await draft.stage(payments, [aVersion('a', { url: 'x' }, { replaces: await idOf(draft, 'a') })])
    await draft.endVersions(payments, [await idOf(draft, 'b')])
    const modified = aChange('a', { change: 'modified', fields, referrers: ['u1'] })
    await draft.stageChanges(payments, [modified, aChange('b', { change: 'removed' })])
    await ending('b')(draft)
    const waiver = { owner: 'team', reason: 'moves', expires: '2027-01-01' }
    await turning('a', { state: 'waived', waiver })(draft)
    await turning('c', { state: 'unknown', lastRun: 1 })(draft)
    await markIn(draft, payments, 'source', ['s'])
    await draft.stageNotice(payments, aNotice('endpoints', 'and again'))
    await draft.withholdRemovals(payments, 'endpoints', ['z'])
  })
  const approved = { project: payments, scopes: {}, note: 'as it is', by: 'alice', at: at(2.6) }
  const resources = [{ kind: 'endpoint', uid: 'a', name: 'a', attributes: { url: 'x' }, sealKeyId: 'key-1' }] as const
  await history.approve([
    { ...approved, state: { run: 1 } },
    { ...approved, state: { resources }, approves: [{ kind: 'endpoint', uid: 'a' }] },
  ])
  await history.approve([{ ...approved, state: { run: 1 }, approves: [], confirms: 2 }])
  await history.revoke([1], { by: 'bob', at: at(2.7) })
  const given = await history.begin(aStart(at(3)))
  await given.abandon(at(3.5))
  await run(history, 4, (draft) => walkAll(draft))
  await history.delivered('msg_hook_1', at(5))
  await history.failed('msg_chat_1', { at: at(5), error: 'answered 500', nextTryAt: undefined })
  await history.failed('msg_chat_2', { at: at(5), error: 'answered 500', nextTryAt: at(6) })
  await history.claim('hook')
  const ticket = { key: 'incident 10', target: 'sealed:1', reference: '12', changedAt: at(5) }
  await history.rememberTicket('chat', ticket)
  await history.close()
  const db = new Database(file)
  db.pragma('journal_mode = DELETE')
  const bytes = db.serialize()
  db.close()
  remove()
  return bytes
}

function withFacts(uid: string, facts: string) {
  const version = aVersion(uid, { url: uid })
  return { ...version, facts, digest: hash('sha256', version.body + facts) }
}

async function run(history: History, number: number, work: (draft: Draft) => Promise<void>) {
  const draft = await history.begin(aStart(at(number)))
  await work(draft)
  await draft.stageContext(aContext())
  const message = (channel: string) => {
    const id = `msg_${channel}_${number}`
    const body = { id, created_at: at(number + 0.5), run: { number }, text: 'what is new' }
    return { id, channel, run: number, body: JSON.stringify(body) }
  }
  await draft.commit(
    at(number + 0.5),
    () => 0,
    () => [
      message('hook'),
      { ...message('chat'), incidents: [{ key: `incident ${number}0`, subjects: [`subject ${number}0`] }] },
    ],
  )
}
