import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { changeEndpoint } from '../../src/demo/edits.ts'
import { at } from '../audit/fleet-fixture.ts'
import { type CliFixture, openCliFixture } from './cli-fixture.ts'
import { command } from './run-in-process.ts'

let cli: CliFixture
beforeAll(async () => {
  cli = await openCliFixture({ projects: 1, endpointsPerProject: 3 })
  const project = at(cli.fleet.projects(), 0).uid
  const { uid } = at(cli.fleet.open(project).endpoints, 0)
  changeEndpoint(cli.fleet, { project, uid }, (row) => ({ ...row, url: 'http://plain.example.com/in' }))
  await cli.audit(['--quiet'])
}, 60_000)
afterAll(() => cli[Symbol.asyncDispose]())

const ask = (...words: string[]) =>
  command([...words, '--history', cli.directory.file('hookdrift.db')], { cwd: cli.directory.path, env: cli.env })
const rowsOf = async (...words: string[]) => JSON.parse((await ask(...words, '--format', 'json')).stdout).rows
const open = (rule: string) => rowsOf('violations', '--open', '--rule', rule)

describe('hookdrift accept', () => {
  it('closes a violation with the next run, and opens it again once it is revoked', async () => {
    const [{ fingerprint }] = await open('endpoint/url-not-https')
    const [accepted] = await rowsOf('accept', fingerprint.slice(0, 8), '--reason', 'ticket 4711', '--by', 'alice')
    expect(accepted).toMatchObject({ fingerprint, rule: 'endpoint/url-not-https', reason: 'ticket 4711', by: 'alice' })
    expect(await open('endpoint/url-not-https')).toHaveLength(1)

    const report = JSON.parse((await cli.audit(['--format', 'json'])).stdout)
    const ended = report.violations.filter(
      (violation: { fingerprint: string }) => violation.fingerprint === fingerprint,
    )
    expect(ended).toMatchObject([{ state: 'resolved', resolution: 'accepted' }])
    expect(await open('endpoint/url-not-https')).toEqual([])

    const [revoked] = await rowsOf('accept', '--revoke', fingerprint, '--by', 'bob')
    expect(revoked).toMatchObject({ fingerprint, by: 'alice', revoked_at: expect.any(String) })
    expect(await rowsOf('accept', '--list')).toEqual([revoked])
    await cli.audit(['--quiet'])
    expect(await open('endpoint/url-not-https')).toMatchObject([{ fingerprint, state: 'opened' }])
  })

  it('masks a credential in the reason', async () => {
    const [{ fingerprint }] = await open('endpoint/url-not-https')
    const secret = `AKIA${'ABCDEFGHIJKLMNOP'}`
    await ask('accept', fingerprint, '--reason', `the key ${secret}`, '--by', 'alice')
    const [{ reason }] = await rowsOf('accept', '--list')
    expect(reason).toContain('the key ')
    expect(reason).not.toContain(secret)
  })

  it.each([
    [[], 'expected fingerprints to accept, --list, or --revoke'],
    [['--list', '--revoke', 'abcdef'], 'expected fingerprints to accept, --list, or --revoke'],
    [['0123456789abcdef'], 'an acceptance needs a reason'],
    [['0123456789abcdef', '--reason', 'x'], 'no active violation has the fingerprint "0123456789abcdef"'],
    [['0', '--reason', 'x'], 'no active violation has the fingerprint "0"'],
    [['--revoke', '0123456789abcdef'], 'no acceptance has the fingerprint "0123456789abcdef"'],
  ])('refuses %j', async (words, message) => {
    const { code, stdout, stderr } = await ask('accept', ...words)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(message)
  })
})
