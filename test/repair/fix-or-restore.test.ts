import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { changeEndpoint, updateEndpoint } from '../../src/demo/edits.ts'
import type { EndpointRow } from '../../src/demo/rows.ts'
import { policyOf } from '../audit/audit-harness.ts'
import { at } from '../audit/fleet-fixture.ts'
import { command } from '../cli/run-in-process.ts'
import { type HistoryFixture, openHistoryFixture } from '../questions/history-fixture.ts'
import { richEndpoint } from './rich-rows.ts'

const policyWith = (seconds: number) => `
extends: []
rules:
  drift/authentication-lost: {}
  endpoint/timeout-high: { max_seconds: ${seconds} }
  endpoint/signature-simple: {}
  endpoint/failure-rate-high: {}
`
const policy = policyOf(policyWith(60))

let history: HistoryFixture
let policyFile: string
let rows: readonly EndpointRow[]
beforeAll(async () => {
  history = await openHistoryFixture({ fleet: { endpointsPerProject: 6 } })
  policyFile = history.write('policy-60.yaml', policyWith(60))
  rows = history.fixture.dataOf('payments').endpoints
  change(0, { ...richEndpoint, advanced_signatures: false, http_timeout: 120 })
  change(1, { ...richEndpoint, http_timeout: 120 })
  change(2, { ...richEndpoint, http_timeout: 120, failure_rate: 40 })
  change(3, { ...richEndpoint, http_timeout: 120 })
  await audit()
})
afterAll(() => history[Symbol.asyncDispose]())

async function audit() {
  history.fixture.harness.advance(3_600_000)
  return history.fixture.audit({ policy })
}

function change(index: number, update: Partial<EndpointRow>): void {
  const { uid, project_id: project } = at(rows, index)
  changeEndpoint(history.fixture.fleet, { project, uid }, (old) => ({ ...old, ...update }))
}
const uidOf = (index: number) => at(rows, index).uid
const restore = (index: number, ...args: string[]) =>
  history.rows(['restore', uidOf(index), '--policy', policyFile, ...args])
/** The text without its line breaks. */
const textOf = async (...args: string[]) => {
  const { code, stdout, stderr } = await history.ask(['restore', ...args])
  return { code, stderr, text: stdout.replaceAll('\n', ' ') }
}

describe('restore, for a resource that did not drift', () => {
  it('sets the values of all its open violations in one request, or that of the named rule', async () => {
    const both = await restore(0)
    expect(both.fixes).toEqual([
      { rule: 'endpoint/signature-simple', path: '/advanced_signatures', from: false, to: true, option: null },
      {
        rule: 'endpoint/timeout-high',
        path: '/http_timeout',
        from: 120,
        to: 60,
        option: { name: 'max_seconds', value: 60 },
      },
    ])
    expect(both.rows).toHaveLength(1)
    expect(both.rows[0]).toMatchObject({ restores: [], body: { advanced_signatures: true, http_timeout: 60 } })
    const one = await restore(0, '--rule', 'endpoint/timeout-high')
    expect(one.rows[0].body).toMatchObject({ advanced_signatures: false, http_timeout: 60 })
  })

  it('says what it sets, which rule asks for it, and what to read first', async () => {
    const { code, text } = await textOf(uidOf(1), '--policy', policyFile)
    expect(code).toBe(0)
    expect(text).toContain('sets /http_timeout from 120 to 60, as endpoint/timeout-high asks (max_seconds: 60).')
    expect(text).toContain('Update the endpoint: set /http_timeout to 60:')
    expect(text).toContain('Before you send it, read `hookdrift rules endpoint/timeout-high`.')
    expect(text).not.toMatch(/puts back|policy differs/)
  })

  it('prefers a fix to the state before the last change, which `--run` still names', async () => {
    change(1, { description: 'meant' })
    const { run } = await audit()
    expect((await restore(1)).rows[0].body).toMatchObject({ description: 'meant', http_timeout: 60 })
    const former = await restore(1, '--run', `${run.number - 1}`)
    expect(former).toMatchObject({ fixes: [], state: { basis: 'asked' } })
    expect(former.rows[0].body).toMatchObject({ description: richEndpoint.description, http_timeout: 120 })
  })
})

describe('restore, for a resource that drifted', () => {
  it('puts it back, and fixes the violation of a rule that is named', async () => {
    const { uid, project_id: project, name, url } = at(rows, 3)
    updateEndpoint(history.fixture.fleet, { project, uid }, { name, url, http_timeout: 120 })
    await audit()
    expect(await restore(3)).toMatchObject({ fixes: [], state: { basis: 'before_drift' } })
    const named = await restore(3, '--rule', 'drift/authentication-lost')
    expect(named).toMatchObject({ fixes: [], state: { rules: ['drift/authentication-lost'] } })
    const fixed = await restore(3, '--rule', 'endpoint/timeout-high')
    expect(fixed).toMatchObject({ state: null, fixes: [{ to: 60 }] })
    expect(fixed.rows[0].body).not.toHaveProperty('authentication.type')
  })
})

describe('the policy that restore reads', () => {
  it("is today's: it says so where the run had another", async () => {
    const file = history.write('policy-90.yaml', policyWith(90))
    const { text } = await textOf(uidOf(2), '--policy', file)
    expect(text).toContain('sets /http_timeout from 120 to 90')
    expect(text).toMatch(/The policy differs from that of run \d+\./)
  })

  it('may allow the present value by now: then there is no request', async () => {
    const file = history.write('policy-300.yaml', policyWith(300))
    const answer = await history.rows(`restore ${uidOf(2)} --rule endpoint/timeout-high --policy ${file}`)
    expect(answer).toMatchObject({ rows: [], fixes: [], left_to_you: [{ path: '/http_timeout' }] })
    expect(answer.left_to_you[0].reason).toContain('does not ask for another value')
    const { text } = await textOf(uidOf(2), '--rule', 'endpoint/timeout-high', '--policy', file)
    expect(text).toContain('no value to set for endpoint/timeout-high')
  })

  it('is that of the configuration; without one, a bound is left to a person', async () => {
    history.write('hookdrift.yaml', `${configuration}policy: policy-60.yaml\n`)
    const { file, directory: cwd } = history.fixture.harness
    const args = ['restore', uidOf(2), '--format', 'json']
    const configured = await command(args, { cwd, env: { HOOKDRIFT_HISTORY: file } })
    expect(JSON.parse(configured.stdout).fixes).toMatchObject([{ to: 60 }])
    for (const more of [
      { args: [...args, '--history', file], env: {} },
      { args: [...args, '--config', 'none.yaml'], env: { HOOKDRIFT_HISTORY: file } },
    ]) {
      const { stdout } = await command(more.args, { cwd, env: more.env })
      const { fixes, left_to_you } = JSON.parse(stdout)
      expect(fixes).toEqual([])
      expect(left_to_you[0].reason).toBe(
        'endpoint/timeout-high needs the option `max_seconds` of the policy: name the policy with --policy.',
      )
    }
  })
})

const configuration = `
services:
  - name: acme
    url: https://hooks.example.com
    key: not-a-real-key
    projects: [{ id: P1, name: payments }]
`

describe('a rule', () => {
  it.each([
    ['endpoint/timeout-hihg', 'no open violation of endpoint/timeout-hihg, did you mean endpoint/timeout-high?'],
    ['endpoint/signature-simple', 'no open violation of endpoint/signature-simple'],
    ['endpoint/failure-rate-high', 'no request fixes a violation of endpoint/failure-rate-high by one value'],
  ])('%s without a violation or a fix is refused', async (rule, message) => {
    const { code, stderr } = await history.ask(['restore', uidOf(2), '--rule', rule, '--policy', policyFile])
    expect(code).toBe(2)
    expect(stderr).toContain(message)
  })

  it('is not named together with a run', async () => {
    const { code, stderr } = await history.ask(['restore', uidOf(2), '--rule', 'x', '--run', '1'])
    expect(code).toBe(2)
    expect(stderr).toContain('cannot be used with')
  })
})
