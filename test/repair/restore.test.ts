import { spawnSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { changeData, changeEndpoint, deleteEndpoint, replaceSecret, updateEndpoint } from '../../src/demo/edits.ts'
import type { EndpointRow } from '../../src/demo/rows.ts'
import { policyOf } from '../audit/audit-harness.ts'
import { at } from '../audit/fleet-fixture.ts'
import { type HistoryFixture, openHistoryFixture } from '../questions/history-fixture.ts'
import { richEndpoint, richSubscription } from './rich-rows.ts'
import { sendRows, valuesFrom, valuesOf } from './send-rows.ts'

const policy = policyOf('extends: []\nrules: { drift/authentication-lost: {}, drift/rate-limit-lost: {} }\n')

let history: HistoryFixture
let project: string
beforeAll(async () => {
  history = await openHistoryFixture({ fleet: { endpointsPerProject: 10, subscriptionsPerProject: 10 } })
  project = at(history.fixture.fleet.projects(), 0).uid
  const { fleet } = history.fixture
  changeData(fleet, project, ({ endpoints, subscriptions, sources }) => ({
    endpoints: endpoints.map((row, index) => ({ ...row, ...richEndpoint, name: `endpoint-${index}` })),
    subscriptions: subscriptions.map((row) => ({ ...row, ...richSubscription })),
    sources,
  }))
  await audit()
})
afterAll(() => history[Symbol.asyncDispose]())

const audit = () => history.fixture.audit({ policy })

const row = (index: number): EndpointRow => {
  const found = history.fixture.dataOf('payments').endpoints.find(({ name }) => name === `endpoint-${index}`)
  if (found === undefined) throw new Error(`there is no endpoint-${index}`)
  return found
}
const change = (uid: string, update: Partial<EndpointRow>) =>
  changeEndpoint(history.fixture.fleet, { project, uid }, (old) => ({ ...old, ...update }))
const placeholder = (name: string) => `\${${name}}`

describe('the state that restore chooses', () => {
  it('is the one before the first change that an open violation of a drift rule reports', async () => {
    const { uid, url } = row(0)
    updateEndpoint(history.fixture.fleet, { project, uid }, { name: 'endpoint-0', url })
    const { run } = await audit()
    change(uid, { http_timeout: 25 })
    await audit()
    const answer = await history.rows('restore endpoint-0')
    expect(answer.state).toMatchObject({ to_run: run.number, basis: 'before_drift' })
    expect(answer.state.rules).toEqual(['drift/authentication-lost', 'drift/rate-limit-lost'])
    expect(answer.rows).toHaveLength(1)
    expect(answer.rows[0].restores).toEqual([
      ...['/authentication', '/description', '/http_timeout', '/rate_limit', '/rate_limit_duration'],
    ])
    expect(answer.rows[0].body).toMatchObject({ http_timeout: 20, rate_limit: 100 })
  })

  it('is the one before the last change, where no drift rule reports one', async () => {
    const { uid } = row(1)
    change(uid, { http_timeout: 21 })
    await audit()
    change(uid, { http_timeout: 22 })
    await audit()
    await audit()
    const answer = await history.rows(`restore ${uid.slice(0, 24)}`)
    expect(answer.state.basis).toBe('before_change')
    expect(answer.rows[0].body.http_timeout).toBe(21)
  })

  it('is that of the run that a person names, or the present one: then it says so', async () => {
    const { uid } = row(2)
    change(uid, { http_timeout: 23 })
    const { run } = await audit()
    expect((await history.rows(`restore ${uid} --run 1`)).rows[0].body.http_timeout).toBe(20)
    const { stdout, code } = await history.ask(['restore', uid, '--run', `${run.number}`])
    expect(code).toBe(0)
    expect(stdout).toContain('nothing to restore')
    expect(stdout).toContain('There is no request to print.')
  })

  it('is an earlier one that does not differ from the present one: then it says so', async () => {
    const { uid } = row(4)
    change(uid, { http_timeout: 24 })
    await audit()
    change(uid, { http_timeout: 20 })
    await audit()
    const { stdout } = await history.ask(['restore', uid, '--run', '1'])
    expect(stdout.replaceAll('\n', ' ')).toMatch(
      /nothing to restore that is known\.\s+Whether \/mtls_client_cert\/client_key is as in run 1 is unknown\./,
    )
  })

  it('is none for a resource that never changed', async () => {
    const { stdout, code } = await history.ask(['restore', row(3).uid])
    expect(code).toBe(0)
    expect(stdout.replaceAll('\n', ' ')).toContain('no earlier state of it, so there is nothing to put back')
    expect(await history.rows(`restore ${row(3).uid}`)).toMatchObject({ state: null, rows: [] })
  })
})

describe('a resource that is gone', () => {
  it('is created anew with all fields, and so is the subscription that went with it', async () => {
    const { fleet } = history.fixture
    const endpoint = row(4)
    const subscription = at(
      fleet.open(project).subscriptions.filter(({ endpoint_id }) => endpoint_id === endpoint.uid),
      0,
    )
    deleteEndpoint(fleet, { project, uid: endpoint.uid })
    await audit()
    const answer = await history.rows('restore endpoint-4')
    expect(answer).toMatchObject({
      resource: { is_gone: true },
      state: { basis: 'before_removal' },
      dependents: [{ kind: 'subscription', uid: subscription.uid }],
    })
    const original = { ...endpoint, secret: endpoint.secrets?.[0]?.value }
    const values = new Map([...valuesOf(history.fixture), ...valuesFrom(answer.rows, original)])
    const [created] = await sendRows(answer.rows, values)
    expect(created?.status).toBe(201)
    const uid = String(created?.data?.uid)
    expect(uid).not.toBe(endpoint.uid)
    const { created_at: _c, updated_at: _u, secrets: made, ...others } = row(4)
    const { created_at: _d, updated_at: _v, secrets: former, ...wanted } = endpoint
    expect(others).toEqual({ ...wanted, uid })
    expect(made?.map(({ value }) => value)).toEqual(former?.map(({ value }) => value))

    const next = await history.rows(`restore ${subscription.uid}`)
    expect(next.rows[0].body.endpoint_id).toBe(placeholder('NEW_ENDPOINT_ID'))
    expect(next.rows[0].placeholders).toContainEqual({
      name: 'NEW_ENDPOINT_ID',
      in: 'body',
      path: '/endpoint_id',
      hint: `the uid of the new endpoint: the former one "${endpoint.uid}" is gone`,
    })
    const more = new Map([
      ...valuesOf(history.fixture),
      ...valuesFrom(next.rows, subscription),
      ['NEW_ENDPOINT_ID', uid],
    ])
    expect((await sendRows(next.rows, more))[0]?.status).toBe(201)
    const back = fleet.open(project).subscriptions.find(({ endpoint_id }) => endpoint_id === uid)
    const { name, filter_config, alert_config, rate_limit_config } = subscription
    expect(back).toMatchObject({ name, filter_config, retry_config: null, alert_config, rate_limit_config })
    expect(next.left_to_you.map(({ path }: { path: string }) => path)).toContain('/retry_config')
    expect(back?.function).toBe(subscription.function)
  })

  it('says what else to do', async () => {
    const { uid } = row(5)
    deleteEndpoint(history.fixture.fleet, { project, uid })
    await audit()
    const { stdout } = await history.ask(['restore', uid])
    const text = stdout.replaceAll('\n', ' ')
    expect(text).toContain('The new endpoint gets a new uid: name it wherever the former one is named.')
    expect(text).toMatch(/1 subscription went with the endpoint: \w+\. Restore each after it\./)
    const refused = await history.ask(['restore', uid, '--run', 'latest'])
    expect(refused.code).toBe(2)
    expect(refused.stderr).toContain(`no state of the endpoint ${uid} in run`)
    expect(refused.stderr).toContain('it has states of runs')
  })
})

describe('what restore leaves to a person', () => {
  it('is a former signing secret', async () => {
    const { uid } = row(6)
    replaceSecret(history.fixture.fleet, { project, uid }, 'not-a-real-key-other')
    await audit()
    const answer = await history.rows(`restore ${uid}`)
    expect(answer.rows).toEqual([])
    expect(answer.left_to_you.map(({ path }: { path: string }) => path)).toEqual(['/secrets'])
    expect(answer.left_to_you[0].reason).toContain('expire_secret')
  })

  it('is what an update keeps if it is sent empty, and what the service alone sets', async () => {
    const { uid } = row(7)
    change(uid, { owner_id: '', status: 'inactive' })
    await audit()
    change(uid, { owner_id: 'tenant-09', status: 'active', description: 'other' })
    await audit()
    const answer = await history.rows(`restore ${uid}`)
    expect(answer.left_to_you.map(({ path }: { path: string }) => path)).toEqual(['/owner_id', '/status'])
    expect(answer.rows[0].restores).toEqual(['/description'])
    expect(answer.rows[0].body).not.toHaveProperty('owner_id')
  })
})

describe('the text of restore', () => {
  it('runs in a shell, sends the body of the JSON answer, and shows no secret and no seal', async () => {
    const { uid, authentication } = row(8)
    const hostile = `it's $(touch /tmp/x) \`id\` \u001b[31m \u202e "${placeholder('ENDPOINT_SECRET')}"\n`
    change(uid, { name: hostile, description: hostile })
    await audit()
    change(uid, { name: 'endpoint-8', description: '', authentication: null })
    await audit()
    const { rows } = await history.rows(`restore ${uid}`)
    const { stdout } = await history.ask(['restore', uid])
    for (const text of [stdout, (await history.ask(['restore', uid, '--format', 'json'])).stdout]) {
      expect(text).not.toMatch(/sealed:|not-a-real-key/)
      expect(text).not.toMatch(/[^\P{Cc}\n]|[\p{Cf}\p{Zl}\p{Zp}]/u)
    }
    const lines = stdout.split('\n')
    const [from, to] = [
      lines.findIndex((line) => line.startsWith('curl ')),
      lines.indexOf('Set these variables first. Escape " and \\ in values.'),
    ]
    const script = `curl() { for argument in "$@"; do printf '%s\\0' "$argument"; done; }\n${lines.slice(from, to).join('\n')}`
    const values = new Map([
      ...valuesOf(history.fixture),
      ...valuesFrom(rows, { ...row(8), name: hostile, description: hostile, authentication }),
    ])
    const env = { PATH: process.env.PATH ?? '', ...Object.fromEntries(values) }
    const args = spawnSync('sh', { input: script, env, encoding: 'utf8', timeout: 20_000 }).stdout.split('\0')
    const sent = JSON.parse(args[args.indexOf('--data-raw') + 1] ?? '')
    expect(sent).toMatchObject({ name: hostile, description: hostile, authentication, http_timeout: 20 })
    expect(Object.keys(sent)).toEqual(Object.keys(rows[0].body))
    expect(args[args.indexOf('--url') + 1]).toBe(
      `${history.fixture.service.url}/api/v1/projects/${project}/endpoints/${uid}`,
    )
  })
})

describe('mistakes', () => {
  it.each([
    [['restore', 'no-such-thing'], 'has no resource "no-such-thing"'],
    [['restore', 'endpoint-9', '--run', '99'], 'run 99'],
    [['restore', 'endpoint-9', '--project', 'acme/other'], 'has no resource "endpoint-9"'],
  ])('%j is refused', async (words, message) => {
    const { code, stdout, stderr } = await history.ask(words)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(message)
  })
})
