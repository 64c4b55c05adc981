import type { Draft, History } from '../../../src/history/history.ts'
import { openSqliteHistory } from '../../../src/history/sqlite/sqlite-history.ts'
import type { JsonObject } from '../../../src/model/json.ts'
import { type Kind, type ProjectRef, policyProject } from '../../../src/model/resource.ts'
import { knownIn } from '../known-in.ts'
import { Machines } from '../processes.ts'
import {
  aChange,
  aContext,
  aCoverage,
  aNotice,
  aStart,
  at,
  aVersion,
  aViolation,
  commit,
  endedAs,
  instead,
  only,
  orders,
  payments,
  walkAll,
} from '../samples.ts'

/** Of `makeEventfulHistory`. */
export const projectsOfEvents: readonly ProjectRef[] = [payments, orders, policyProject]
export const uidsOfEvents = ['a', 'b', 'u', 's', 'd', 'w']

/** A history in a file with something of everything that readers show. */
export async function makeEventfulHistory(file: string): Promise<void> {
  const history = openSqliteHistory(file, new Machines().process(1))
  await playEvents(history)
  await history.close()
}

/** Runs with something of everything that readers show. */
export async function playEvents(history: History): Promise<void> {
  let hour = 0
  const run = async (work: (draft: Draft) => Promise<unknown>, start = {}) => {
    hour += 1
    const draft = await history.begin(aStart(at(hour), start))
    await work(draft)
    return commit(draft)
  }
  await run(firstRun)
  await accept(history)
  await run(secondRun, { sealKeyId: 'key-2', normaliser: 2 })
  await run(thirdRun, { normaliser: 2 })
  const killed = await history.begin(aStart(at(3.6)))
  await killed.stageScan(payments)
  await killed.abandon(at(3.7))
  hour += 1
  await run(fifthRun, { normaliser: 3 })
}

const endpoint = (uid: string, attributes: JsonObject, other = {}) => aVersion(uid, attributes, other)
const subscription = (uid: string, attributes: JsonObject, other = {}) =>
  aVersion(uid, attributes, { kind: 'subscription', facts: '{"sources":["s"]}', ...other })
const waiver = { owner: 'payments', reason: 'it moves', expires: '2027-03-31' }

async function firstRun(draft: Draft): Promise<void> {
  await walkAll(draft)
  await draft.stageWalk(payments, aCoverage('sources'), undefined)
  await walkAll(draft, orders)
  const versions = [
    endpoint('a', { owner_id: 'tenant-1', url: 'http://a.example' }),
    endpoint('b', { owner_id: 7 }),
    subscription('u', { endpoint_uid: 'a', source_uid: 's', device_uid: 'd' }),
    subscription('v', { endpoint_uid: 'gone', source_uid: 's', device_uid: null }),
    aVersion('s', {}, { kind: 'source' }),
  ]
  await draft.stage(payments, versions)
  await draft.stage(orders, [endpoint('a', { owner_id: 'tenant-2' })])
  const violations = [
    aViolation('a', { state: 'waived', waiver }),
    aViolation('a', { path: '/name', severity: 'low' }),
    aViolation('b'),
    aViolation('u', { kind: 'subscription', originRun: 1 }),
    aViolation('v', { kind: 'subscription' }),
  ]
  await draft.stageViolations(payments, { confirmed: [], violations })
  await draft.stageViolations(orders, { confirmed: [], violations: [aViolation('a', {}, orders)] })
  await draft.stageContext(aContext())
}

async function accept(history: History): Promise<void> {
  const { fingerprint, rule, kind, uid, path } = aViolation('b')
  const valueDigest = 'd'.repeat(64)
  const signed = { reason: 'it was meant', valueDigest, by: 'lee', osUser: 'ops', at: at(1.7) }
  await history.accept([{ project: payments, fingerprint, rule, kind, uid, path, ...signed }])
}

/** The project has another name; most of its resources and violations change. */
async function secondRun(draft: Draft): Promise<void> {
  const renamed = { ...payments, name: 'acme/payments-eu' }
  await walkAll(draft, renamed)
  const replaces = async (uid: string, kind: Kind = 'endpoint') => ({ replaces: await idOf(draft, uid, kind) })
  const versions = [
    endpoint('a', { owner_id: 'tenant-3' }, { ...(await replaces('a')), name: 'another name' }),
    endpoint('c', {}),
    subscription('u', { endpoint_uid: 'b', source_uid: 't', device_uid: 'd' }, await replaces('u', 'subscription')),
  ]
  await draft.stage(renamed, versions)
  await draft.endVersions(renamed, [await idOf(draft, 'b')])
  const fields = [{ path: '/owner_id', before: 'tenant-1', after: 'tenant-3' }]
  await draft.stageChanges(renamed, [aChange('a', { change: 'modified', fields, referrers: ['u'] }), aChange('c')])
  await draft.markUnreferenced(renamed, 'source', ['s', 't'])
  await draft.withholdRemovals(renamed, 'subscriptions', ['v', 'w'])
  const active = await draft.activeViolations(renamed, 'endpoint', ['a', 'b'])
  const waived = only(active.filter(({ state }) => state === 'waived'))
  const violations = [instead(waived, { state: 'open', waiver: undefined }), aViolation('c', { severity: 'critical' })]
  await draft.stageViolations(renamed, { confirmed: [], violations })
  await draft.endViolations(
    renamed,
    endedAs(
      active.filter(({ uid }) => uid === 'b').map(({ id }) => id),
      'accepted',
    ),
  )
  await draft.stageNotice(renamed, aNotice('sources', 'the shape changed'))
  await draft.stageNotice(undefined, aNotice(null, 'of the run'))
  await draft.stageScan(policyProject)
  const expired = aViolation('w', { rule: 'waiver/expired', kind: 'policy' }, policyProject)
  await draft.stageViolations(policyProject, { confirmed: [], violations: [expired] })
  await draft.stageContext(aContext({ projects: [] }))
}

/** One project cannot be scanned, and the other does not list sources. */
async function thirdRun(draft: Draft): Promise<void> {
  await draft.stageScan(payments)
  await draft.stageWalk(payments, aCoverage('endpoints', 'failed'), undefined)
  const [doubted] = await draft.activeViolations(payments, 'endpoint', ['a'])
  if (doubted === undefined) throw new Error('a violation is missing')
  const unknown = instead(doubted, { state: 'unknown', lastRun: 2 })
  await draft.stageViolations(payments, { confirmed: [], violations: [unknown] })
  await draft.stageScan(orders)
  await draft.stageWalk(orders, aCoverage('endpoints'), undefined)
  await draft.stageWalk(orders, aCoverage('sources', 'skipped'), undefined)
  await draft.stageWalk(orders, { ...aCoverage('subscriptions'), filter: 'endpoint=a' }, undefined)
}

async function fifthRun(draft: Draft): Promise<void> {
  await draft.stageScan(payments)
  await draft.stageWalk(payments, aCoverage('endpoints'), ['/name'])
  await draft.stageWalk(payments, aCoverage('subscriptions', 'suspect'), undefined)
  const versions = [
    endpoint('a', { owner_id: 'tenant-1', url: 'http://a.example' }, { replaces: await idOf(draft, 'a') }),
  ]
  await draft.stage(payments, [...versions, endpoint('b', { owner_id: null })])
  await draft.endViolations(
    orders,
    endedAs(
      (await draft.unconfirmedViolations(orders)).map(({ id }) => id),
      'removed',
    ),
  )
  await draft.stageScan(orders)
  await draft.markUnreferenced(payments, 'source', ['t'])
}

async function idOf(draft: Draft, uid: string, kind: Kind = 'endpoint'): Promise<number> {
  const known = (await knownIn(draft, payments, kind, [uid])).get(uid)
  if (known === undefined) throw new Error(`${uid} is not known`)
  return known.id
}
