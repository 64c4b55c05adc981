import { hostname, userInfo } from 'node:os'
import { stripVTControlCharacters } from 'node:util'
import { parse } from 'csv-parse/sync'
import { afterAll, describe, expect, it } from 'vitest'
import { changeEndpoint } from '../../src/demo/edits.ts'
import { showTime } from '../../src/report/text/show-time.ts'
import { at } from '../audit/fleet-fixture.ts'
import { openCliFixture } from './cli-fixture.ts'
import { refusal } from './refusal.ts'
import type { CommandLine } from './start-process.ts'

const cli = await openCliFixture({ projects: 1, endpointsPerProject: 3 })
changeEndpoint(cli.fleet, cli.endpoint(), (row) => ({ ...row, url: 'http://plain.example.com/in' }))
await cli.audit('--quiet')
afterAll(() => cli[Symbol.asyncDispose]())

const { run: ask } = cli
const rowsOf = async (line: CommandLine) => (await cli.json(line)).rows
const open = (rule: string) => rowsOf(`violations --open --rule ${rule}`)

describe('hookdrift accept', () => {
  it('closes a violation with the next run, and opens it again once it is revoked', async () => {
    const [{ fingerprint }] = await open('endpoint/url-not-https')
    const [accepted] = await rowsOf(`accept ${fingerprint.slice(0, 8)} --reason 'ticket 4711' --by alice`)
    expect(accepted).toMatchObject({ fingerprint, rule: 'endpoint/url-not-https', reason: 'ticket 4711', by: 'alice' })
    expect(await open('endpoint/url-not-https')).toHaveLength(1)

    const report = await cli.json('audit')
    const ended = report.violations.filter((violation) => violation.fingerprint === fingerprint)
    expect(ended).toMatchObject([{ state: 'resolved', resolution: 'accepted' }])
    expect(await open('endpoint/url-not-https')).toEqual([])

    const [revoked] = await rowsOf(`accept --revoke ${fingerprint} --by bob`)
    expect(revoked).toMatchObject({ fingerprint, by: 'alice', revoked_at: expect.any(String) })
    expect(await rowsOf('waivers list --acceptances')).toEqual([revoked])
    await cli.audit('--quiet')
    expect(await open('endpoint/url-not-https')).toMatchObject([{ fingerprint, state: 'opened' }])
  })

  it('takes what text answers show: the first characters of a fingerprint, in `violations` and the report', async () => {
    const [{ fingerprint }] = await open('endpoint/url-not-https')
    const short = fingerprint.slice(0, 8)
    expect((await ask('violations --rule endpoint/url-not-https')).stdout).toContain(short)
    const report = (await ask('report --format text')).stdout
    expect(report).toContain(short)
  })

  it('takes a rule and the name or uid of its resource', async () => {
    const rule = 'endpoint/url-not-https'
    const [{ fingerprint, name, uid, project: of }] = await open(rule)
    expect(await ask(`accept ${rule} 'no such endpoint' --reason x`)).toEqual(
      refusal(`${fingerprint.slice(0, 8)}  ${of} endpoint`),
    )
    for (const named of [name, uid, uid.slice(0, 20)]) {
      expect(await rowsOf(`accept ${rule} ${named} --reason known`)).toMatchObject([{ fingerprint, uid }])
      await ask(`accept --revoke ${fingerprint}`)
    }
    const project = at(cli.fleet.projects(), 0).uid
    const [, second] = cli.fleet.open(project).endpoints
    changeEndpoint(cli.fleet, { project, uid: second?.uid ?? '' }, (row) => ({
      ...row,
      name,
      url: 'http://b.example.com/',
    }))
    await cli.audit('--quiet')
    const ambiguous = await ask(`accept ${rule} ${name} --reason x`)
    expect([ambiguous.code, ambiguous.stderr]).toEqual([
      2,
      expect.stringContaining(`2 active violations of ${rule} are at`),
    ])
    expect(ambiguous.stderr).toContain(second?.uid)
    changeEndpoint(cli.fleet, { project, uid: second?.uid ?? '' }, () => second ?? expect.unreachable())
    await cli.audit('--quiet')
  })

  it('says who accepted a violation when it is accepted again, before the next run and after it', async () => {
    const [{ fingerprint }] = await open('endpoint/url-not-https')
    await ask(`accept ${fingerprint} --reason 'the receiver moved' --by lee`)
    const short = fingerprint.slice(0, 8)
    const refused = {
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(`hookdrift: ${short} was accepted by lee on `),
    }
    expect(await ask(`accept ${short} --reason again`)).toEqual(refused)
    await cli.audit('--quiet')
    const after = await ask(`accept ${short} --reason again`)
    expect(after).toEqual(refused)
    expect(after.stderr).toMatch(
      new RegExp(`: the receiver moved\\n  \`hookdrift accept --config \\S+ --revoke ${short}\` takes it back\\n`),
    )
    await ask(`accept --revoke ${fingerprint}`)
    await cli.audit('--quiet')
  })

  it('records which user of the system wrote it, next to the name of --by, and why a run ended it', async () => {
    const { username } = userInfo()
    const [{ fingerprint, uid }] = await open('endpoint/url-not-https')
    await ask(`accept ${fingerprint} --reason known --by lee`)
    const [accepted] = await rowsOf('waivers list --acceptances')
    expect(accepted).toMatchObject({
      by: 'lee',
      os_user: `${username} on ${hostname()}`,
      ended_at: null,
      ended_by: null,
    })
    expect(accepted.value_digest).toMatch(/^[0-9a-f]{64}$/)
    expect((await ask('waivers list --acceptances')).stdout).toContain(
      `by lee, account ${username} on host ${hostname()} on `,
    )
    await cli.audit('--quiet')
    const project = at(cli.fleet.projects(), 0).uid
    changeEndpoint(cli.fleet, { project, uid }, (row) => ({ ...row, url: 'http://other.example.com/in' }))
    const report = await cli.json('audit')
    expect(report.violations).toContainEqual(
      expect.objectContaining({
        fingerprint,
        state: 'opened',
        message: expect.stringMatching(/ \(accepted before, with another value, by lee on \d{4}-\d\d-\d\d\)$/),
      }),
    )
    const [ended] = await rowsOf('waivers list --acceptances')
    expect(ended).toMatchObject({ ended_by: 'value_changed', ended_at: report.run.started_at, revoked_at: null })
  })

  it('lists acceptances in 80 columns with the name of the resource, whole dates and whole reasons', async () => {
    const [{ fingerprint, name, uid, project: of }] = await open('endpoint/url-not-https')
    const reason = 'the receiver moved to another host, and its certificate comes with ticket 4711'
    await ask(`accept ${fingerprint} --reason '${reason}' --by 'a person with a long name'`)
    const [row] = await rowsOf('waivers list --acceptances')
    expect(row).toMatchObject({ name, uid })
    const { stdout } = await ask('waivers list --acceptances', { columns: 80 })
    const lines = stripVTControlCharacters(stdout).split('\n')
    expect(lines.filter((line) => line.length > 80)).toEqual([])
    expect(lines[0]).toBe(`  ${fingerprint.slice(0, 8)} endpoint/url-not-https`)
    const text = lines.join('\n').replace(/\n +/g, ' ')
    expect(text).toContain(`${of} endpoint "${name}" ${uid} at /url`)
    expect(text).toContain(` on ${showTime(row.at)}: ${reason} `)
    expect(text).not.toContain('…')
    const { stdout: csv } = await ask('waivers list --acceptances --format csv')
    expect(parse(csv, { columns: true })[0]).toMatchObject({ fingerprint, name, reason })
    await ask(`accept --revoke ${fingerprint}`)
    await cli.audit('--quiet')
  })

  it('masks a credential in the reason and in the name', async () => {
    const [{ fingerprint }] = await open('endpoint/url-not-https')
    const secret = `AKIA${'ABCDEFGHIJKLMNOP'}`
    await ask(`accept ${fingerprint} --reason 'the key ${secret}' --by 'bot ${secret}'`)
    const [{ reason, by }] = await rowsOf('waivers list --acceptances')
    expect(reason).toContain('the key ')
    expect(reason).not.toContain(secret)
    expect(by).toBe('bot sealed:masked')
  })

  it.each([
    ['', 'expected violations to accept, --cause, or --revoke'],
    ['--list --revoke abcdef', "unknown option '--revoke'"],
    ['0123456789abcdef', 'an acceptance needs a reason'],
    ['--revoke 0123456789abcdef --reason x', '--reason says why violations are accepted'],
    ['--list --reason x', "unknown option '--reason'"],
    ['--list --by eve', "unknown option '--by'"],
    ['0123456789abcdef --reason x', 'no active violation has the fingerprint "0123456789abcdef"'],
    ['0 --reason x', 'no active violation has the fingerprint "0"'],
    ['--revoke 0123456789abcdef', 'no active acceptance has the fingerprint "0123456789abcdef"'],
  ])('refuses %j', async (line, message) => {
    expect(await ask(`accept ${line}`)).toEqual(refusal(message))
  })
})

it('says of a violation about a waiver that it cannot be accepted', async () => {
  await using waived = await openCliFixture({ projects: 1, endpointsPerProject: 1 }, 'policy: ./policy.yaml\n')
  const expires = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10)
  const waiver = 'rule: endpoint/inactive, match: { name: gone }, owner: lee, reason: moved'
  waived.directory.write('policy.yaml', `waivers:\n  - { ${waiver}, expires: ${expires} }\n`)
  await waived.audit('--quiet')
  const { rows } = await waived.json('violations --rule waiver/unused')
  expect(await waived.run(`accept ${rows[0].fingerprint} --reason known`)).toEqual(
    refusal('a violation about a waiver cannot'),
  )
})

it('accepts a violation of the project that has the name now, which another one had before', async () => {
  await using renamed = await openCliFixture({ endpointsPerProject: 3 })
  const [first, second] = [at(renamed.fleet.projects(), 0), at(renamed.fleet.projects(), 1)]
  const place = renamed.endpoint()
  changeEndpoint(renamed.fleet, place, (row) => ({ ...row, url: 'http://plain.example.com/in' }))
  await renamed.audit('--quiet')
  renamed.configure((text) => {
    const others = text.split('\n').filter((line) => !line.includes(second.uid))
    return others.join('\n').replace(`name: ${first.name}`, `name: ${second.name}`)
  })
  await renamed.audit('--quiet')
  const answerTo = async (line: string) => (await renamed.json(line)).rows
  expect(await answerTo('status')).toMatchObject([{ project: `acme/${second.name}`, run: 2 }])
  expect(await answerTo(`compare ${second.name} ${second.uid}`)).not.toEqual([])
  const [accepted] = await answerTo(`accept endpoint/url-not-https ${place.uid} --reason known`)
  const report = JSON.parse((await renamed.audit('--format json')).stdout)
  const isAccepted = ({ fingerprint }: { fingerprint: string }) => fingerprint === accepted.fingerprint
  expect(report.violations.filter(isAccepted)).toMatchObject([{ resolution: 'accepted' }])
})
