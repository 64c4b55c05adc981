import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { releases } from '../../src/demo/behaviour.ts'
import { changeData, updateProject } from '../../src/demo/edits.ts'
import type { EndpointRow, ProjectData, SourceRow, SubscriptionRow } from '../../src/demo/rows.ts'
import type { ServiceOptions } from '../../src/demo/simulated-service.ts'
import { policyOf } from '../audit/audit-harness.ts'
import { at } from '../audit/fleet-fixture.ts'
import { type HistoryFixture, openHistoryFixture } from '../questions/history-fixture.ts'
import {
  endpointEdits,
  endpointForms,
  laterProject,
  laterProjectEdits,
  laterSourceEdits,
  projectEdits,
  richEndpoint,
  richProject,
  richSource,
  richSubscription,
  sourceEdits,
  sourceForms,
  sourceQueues,
  subscriptionEdits,
  verifierLosses,
} from './rich-rows.ts'
import { sendTo, valuesFrom } from './send-rows.ts'

const policy = policyOf(`
extends: []
rules:
  drift/authentication-lost: {}
  drift/filter-widened: {}
  drift/function-changed: {}
  drift/project-weakened: {}
  drift/rate-limit-lost: {}
  drift/request-id-header: {}
  drift/url-host-changed: {}
  drift/verification-weakened: {}
`)

type Lists = { readonly endpoints: EndpointRow; readonly subscriptions: SubscriptionRow; readonly sources: SourceRow }

const plainSource: Partial<SourceRow> = { ...richSource, type: 'http', pub_sub: null }

/** What a row was, and what a colleague made of it. */
type Edit = {
  readonly [List in keyof Lists]: {
    readonly list: List
    readonly form: Partial<Lists[List]>
    readonly edit: Partial<Lists[List]>
  }
}[keyof Lists]

/** Edits a row of its own with each edit, between two audits, and sends what restore prints for it. */
async function putAllBack(edits: readonly Edit[], service: ServiceOptions) {
  const count = (list: keyof Lists) => edits.filter((one) => one.list === list).length
  const fleet = {
    incomingEvery: 1,
    endpointsPerProject: count('endpoints'),
    subscriptionsPerProject: count('subscriptions'),
    sourcesPerProject: count('sources'),
  }
  await using history = await openHistoryFixture({ fleet, service })
  const { fixture } = history
  const project = at(fixture.fleet.projects(), 0).uid
  const rowsIn = (list: keyof Lists): readonly { readonly uid: string }[] => fixture.fleet.open(project)[list]
  const uids = edits.map(({ list }, index) => {
    const before = edits.slice(0, index).filter((one) => one.list === list).length
    return at(rowsIn(list), before).uid
  })
  const set = (part: 'form' | 'edit') =>
    changeData(fixture.fleet, project, (data): ProjectData => {
      const changed = <Row extends { readonly uid: string }>(rows: readonly Row[]) =>
        rows.map((row): Row => ({ ...row, ...edits[uids.indexOf(row.uid)]?.[part] }))
      return {
        endpoints: changed(data.endpoints),
        subscriptions: changed(data.subscriptions),
        sources: changed(data.sources),
      }
    })
  const rows = () => edits.map(({ list }, index) => rowsIn(list).find(({ uid }) => uid === uids[index]) ?? {})
  set('form')
  const before = await fixture.audit({ policy })
  const wanted = structuredClone(rows())
  set('edit')
  const drifted = await fixture.audit({ policy })
  const restore = (uid: string) => history.rows(['restore', uid, '--run', `${before.run.number}`])
  const sent = []
  for (const [index, uid] of uids.entries()) {
    const { rows: printed, left_to_you: left } = await restore(uid)
    const statuses = await sendTo(fixture, printed, valuesFrom(printed, inRequestForm(at(wanted, index))))
    sent.push({ printed, left, statuses })
  }
  const after = await fixture.audit({ policy })
  expect((await history.rows(`diff ${before.run.number} ${after.run.number}`)).rows).toEqual([])
  const endings = new Map(after.violations.map((one) => [one.fingerprint, `${one.state} ${one.resolution}`]))
  const outcomes = []
  for (const [index, uid] of uids.entries()) {
    const opened = drifted.violations.filter((one) => one.uid === uid && one.state === 'opened')
    outcomes.push({
      ...at(sent, index),
      isRestored: isDeepStrictEqual(withoutTime(at(rows(), index)), withoutTime(at(wanted, index))),
      opened: opened.map(({ fingerprint }) => endings.get(fingerprint)),
      again: (await restore(uid)).rows,
    })
  }
  return outcomes
}

describe.each([
  ['keeps what the real service keeps', false, 'seed'],
  ['wipes all that an update omits', true, 'later'],
] as const)('the requests that restore prints, at a service that %s', (_, isForgetful, release) => {
  let history: HistoryFixture
  let project: string
  beforeAll(async () => {
    const sizes = { endpointsPerProject: 1, subscriptionsPerProject: 1, sourcesPerProject: 1 }
    history = await openHistoryFixture({ fleet: { incomingEvery: 1, ...sizes }, service: { isForgetful, release } })
    project = at(history.fixture.fleet.projects(), 0).uid
  })
  afterAll(() => history[Symbol.asyncDispose]())

  const data = () => history.fixture.fleet.open(project)
  const rowOf = <List extends keyof Lists>(list: List) => at(data()[list] as readonly Lists[List][], 0)

  function set<List extends keyof Lists>(list: List, change: Partial<Lists[List]>): void {
    changeData(history.fixture.fleet, project, (all): ProjectData => {
      return { ...all, [list]: all[list].map((row) => ({ ...row, ...change })) }
    })
  }

  const audit = () => history.fixture.audit({ policy })

  /** Restores after an edit; returns the text that people saw. */
  async function restore(uid: string, edit: () => void | Promise<void>, original: () => object) {
    const before = await audit()
    const wanted = structuredClone(original())
    await edit()
    const drifted = await audit()
    const args = ['restore', uid, '--run', `${before.run.number}`]
    const { rows, left_to_you } = await history.rows(args)
    expect(JSON.stringify([rows, left_to_you])).not.toMatch(/sealed:|not-a-real-key/)
    const values = valuesFrom(rows, inRequestForm(wanted))
    expect(await sendTo(history.fixture, rows, values)).toEqual(rows.map(() => 202))
    expect(withoutTime(original())).toEqual(withoutTime(wanted))
    const after = await audit()
    const { rows: differing } = await history.rows(`diff ${before.run.number} ${after.run.number}`)
    expect(differing).toEqual([])
    const opened = drifted.violations.filter(({ state }) => state === 'opened')
    // The preparation of a case is drift too, and stays open.
    const ids = new Set(opened.map(({ fingerprint }) => fingerprint))
    const ends = after.violations.filter(({ fingerprint }) => ids.has(fingerprint))
    expect(ends.map(({ state, resolution }) => `${state} ${resolution}`)).toEqual(opened.map(() => 'resolved fixed'))
    expect((await history.rows(args)).rows).toEqual([])
    return { left: left_to_you, opened: opened.map(({ rule }) => rule) }
  }

  const possible = endpointEdits.filter(
    ({ status, advanced_signatures }) =>
      advanced_signatures === undefined && (status !== 'inactive' || releases[release].hasActivate),
  )

  const newer = release === 'later' ? laterSourceEdits : []
  const ofSources = [...[...sourceEdits, ...newer].map((edit) => [{}, edit] as const), ...sourceForms, ...sourceQueues]
  const edits: readonly Edit[] = [
    ...possible.map((edit) => ({ list: 'endpoints', form: richEndpoint, edit }) as const),
    ...subscriptionEdits.map((edit) => ({ list: 'subscriptions', form: richSubscription, edit }) as const),
    ...ofSources.map(([form, edit]) => ({ list: 'sources', form: { ...plainSource, ...form }, edit }) as const),
  ]

  describe('put back, leaving nothing to a person,', () => {
    let outcomes: Awaited<ReturnType<typeof putAllBack>>
    beforeAll(async () => {
      outcomes = await putAllBack(edits, { isForgetful, release })
    })

    it.each(edits.map(({ list, form, edit }, index) => [list, edit, form, index] as const))(
      'of %s: %j of %j',
      (_list, _edit, _form, index) => {
        const { printed, left, statuses, isRestored, opened, again } = at(outcomes, index)
        expect(printed).not.toEqual([])
        expect(JSON.stringify(printed)).not.toMatch(/sealed:|not-a-real-key/)
        expect({ left, isRestored, again }).toEqual({ left: [], isRestored: true, again: [] })
        expect(statuses).toEqual(printed.map(() => 202))
        expect(opened.filter((ending) => ending !== 'resolved fixed')).toEqual([])
      },
    )
  })

  it('leave the form of signatures to a person, because no update changes it in an incoming project', async () => {
    set('endpoints', richEndpoint)
    const before = await audit()
    set('endpoints', { advanced_signatures: false })
    await audit()
    const { rows, left_to_you } = await history.rows([
      'restore',
      rowOf('endpoints').uid,
      '--run',
      `${before.run.number}`,
    ])
    expect({ rows, left_to_you }).toEqual({
      rows: [],
      left_to_you: [{ path: '/advanced_signatures', reason: 'No request changes it in an incoming project.' }],
    })
    set('endpoints', richEndpoint)
  })

  it.each([richEndpoint, ...endpointForms].map((form) => [Object.keys(form).join(), form] as const))(
    'put back all that an update with a name and a URL wiped, of an endpoint with %s',
    async (_names, form) => {
      set('endpoints', { ...richEndpoint, ...form })
      const { uid, url } = rowOf('endpoints')
      const wipe = async () => {
        const headers = {
          authorization: `Bearer ${history.fixture.fleet.personalKey}`,
          'content-type': 'application/json',
        }
        const address = `${history.fixture.service.url}/api/v1/projects/${project}/endpoints/${uid}`
        await fetch(address, { method: 'PUT', headers, body: JSON.stringify({ name: 'wiped', url }) })
      }
      expect((await restore(uid, wipe, () => rowOf('endpoints'))).left).toEqual([])
    },
  )

  it.each(verifierLosses)(
    'leave the verifier of a source alone that was %j and is %j, and put back the rest',
    async (form, edit, reason) => {
      set('sources', { ...plainSource, ...form })
      const { uid, name } = rowOf('sources')
      const before = await audit()
      set('sources', edit)
      await audit()
      const args = ['restore', uid, '--run', `${before.run.number}`]
      const left = [{ path: '/verifier', reason: expect.stringContaining(reason) }]
      expect(await history.rows(args)).toMatchObject({ rows: [], left_to_you: left })
      set('sources', { name: 'renamed', forward_headers: [] })
      await audit()
      const { rows, left_to_you } = await history.rows(args)
      expect(left_to_you).toEqual(left)
      expect(rows.map(({ restores }: { restores: string[] }) => restores)).toEqual([['/forward_headers', '/name']])
      const values = valuesFrom(rows, { ...richSource, ...form })
      expect(await sendTo(history.fixture, rows, values)).toEqual([202])
      const { forward_headers } = richSource
      expect(rowOf('sources')).toMatchObject({ name, forward_headers, ...(isForgetful ? {} : edit) })
    },
  )

  it('leave settings of a project alone that no request writes, and put back the rest', async () => {
    const { fleet } = history.fixture
    updateProject(fleet, project, richProject)
    const before = await audit()
    updateProject(fleet, project, { multiple_endpoint_subscriptions: true, add_event_id_trace_headers: true })
    await audit()
    const args = ['restore', project, '--run', `${before.run.number}`]
    const settings = ['/config/add_event_id_trace_headers', '/config/multiple_endpoint_subscriptions']
    const left = settings.map((path) => ({ path, reason: expect.stringContaining('No request') }))
    expect(await history.rows(args)).toMatchObject({ rows: [], left_to_you: left })
    const edit = { search_policy: '1h', multiple_endpoint_subscriptions: true, add_event_id_trace_headers: true }
    updateProject(fleet, project, edit)
    await audit()
    const { rows, left_to_you } = await history.rows(args)
    expect(left_to_you).toEqual(left)
    expect(rows.map(({ restores }: { restores: string[] }) => restores)).toEqual([['/config/search_policy']])
    for (const name of ['multiple_endpoint_subscriptions', 'add_event_id_trace_headers'])
      expect(rows[0].body.config).not.toHaveProperty(name)
    const values = valuesFrom(rows, { config: fleet.project(project)?.config })
    expect(await sendTo(history.fixture, rows, values)).toEqual([202])
    const { search_policy } = richProject
    expect(fleet.project(project)?.config).toMatchObject({ ...edit, search_policy })
    updateProject(fleet, project, { multiple_endpoint_subscriptions: false, add_event_id_trace_headers: false })
  })

  it.each([...projectEdits, ...(release === 'later' ? laterProjectEdits : [])])(
    'put back a project after %j',
    async (edit) => {
      const { fleet } = history.fixture
      updateProject(fleet, project, release === 'later' ? { ...richProject, ...laterProject } : richProject)
      const original = () => fleet.project(project)?.config ?? {}
      expect((await restore(project, () => updateProject(fleet, project, edit), original)).left).toEqual([])
    },
  )
})

/** A body nests what a row has flat. */
function inRequestForm(row: object): unknown {
  const { pub_sub } = Object(row)
  if ('meta_event' in row) return { config: row }
  if (!pub_sub?.amqp) return row
  const { bindedExchange: exchange, routingKey, ...amqp } = pub_sub.amqp
  return { ...row, pub_sub: { ...pub_sub, amqp: { ...amqp, bindExchange: { exchange, routingKey } } } }
}

function withoutTime(row: object): object {
  const { updated_at: _, ...others } = Object(row)
  return others
}
