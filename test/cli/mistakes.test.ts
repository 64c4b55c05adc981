import { describe, expect, it } from 'vitest'
import { at } from '../audit/fleet-fixture.ts'
import { closedPort } from '../service/front-ends.ts'
import { openCliFixture } from './cli-fixture.ts'
import { refusal } from './refusal.ts'
import { command } from './run-in-process.ts'
import { configurationFor, openDirectory } from './start-process.ts'

/** More than a wait between two tries. */
const waitMs = 5_000

describe('a mistake', () => {
  it('a wrong key is one message that says where the key is, after one request with it', async () => {
    await using cli = await openCliFixture({ projects: 3 })
    const key = 'CO.wrongkey12345678.not-a-real-key-not-a-real-key-not-a-real-key'
    const startedAt = performance.now()
    const { code, stdout, stderr } = await cli.audit('', { env: { ACME_KEY: key } })
    expect(performance.now() - startedAt).toBeLessThan(waitMs)
    const requests = cli.service.requests.filter(({ path }) => !path.startsWith('/ui/license'))
    expect({ code, stderr, requests: requests.length }).toEqual({ code: 3, stderr: '', requests: 1 })
    expect(stdout.match(/authorization failed/g)?.length).toBe(1)
    expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(
      /INCOMPLETE SCAN: 18 of 18 listings .*acme: 401 unauthorized: .* asked: GET http:\S+ \(request id \S+\) key: \$\{ACME_KEY\} at \S*hookdrift\.yaml:4:10 with 64 characters beginning with CO\.wron cost: 18 listings of 3 projects: .* next: Check the key/,
    )
    expect(stdout).not.toContain('wrongkey')
  })

  it.each([
    ['--output report.txt', ''],
    ['--format json', '{'],
  ])('shows its cause on stderr where stdout has no text: %s', async (line, start) => {
    await using cli = await openCliFixture({ projects: 3 })
    const { code, stdout, stderr } = await cli.audit(line, { env: { ACME_KEY: 'wrong' } })
    expect(code).toBe(3)
    expect(stdout.slice(0, 1)).toBe(start)
    expect(stderr).toMatch(/^hookdrift: acme: 401 unauthorized: .*\nhookdrift: {3}asked {2}GET http:\S+/)
    expect(stderr.match(/401 unauthorized/g)?.length).toBe(1)
  })

  it('a service that is down is named while the run waits for it', async () => {
    await using cli = await openCliFixture()
    // No other test is given this port.
    const url = 'http://127.0.0.1:1'
    cli.directory.write('hookdrift.yaml', configurationFor(url, cli.fleet))
    const { code, stdout, stderr } = await cli.audit()
    expect(code).toBe(3)
    expect(stderr).toBe(
      `hookdrift: acme: connection refused from ${url}/api/v1/projects/${at(cli.fleet.projects(), 0).uid}; trying again\n`,
    )
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(`curl -v ${url} `)
    expect(stdout).toMatch(/\n {4}url: \S*hookdrift\.yaml:3:10\n/)
    const quiet = await cli.audit('--quiet')
    expect(quiet.stderr).toMatch(/Exit code 3\. acme: connection refused \(url \S*hookdrift\.yaml:3:10\)\.\n$/)
  })

  it.each([true, false])('a service that the environment names is named by its variable', async (isVariable) => {
    using directory = openDirectory()
    const url = `http://127.0.0.1:${await closedPort()}`
    const env = { HOOKDRIFT_KEY: 'not-a-real-key', HOOKDRIFT_PROJECTS: 'p1', ...(isVariable && { HOOKDRIFT_URL: url }) }
    const line = `audit --history ${directory.file('history.db')} ${isVariable ? '' : `--url ${url}`}`
    const { code, stdout } = await command(line, { cwd: directory.path, env })
    expect(code).toBe(3)
    expect(stdout).toMatch(/\n {4}url: HOOKDRIFT_URL\n/)
  })

  it('/api/v1 in the URL is reported where it is, before a request', async () => {
    await using cli = await openCliFixture()
    cli.directory.write('hookdrift.yaml', configurationFor(`${cli.service.url}/api/v1`, cli.fleet))
    expect(await cli.audit()).toEqual(
      refusal(/hookdrift\.yaml:3:10: leave \/api\/v1 out of the URL, it is appended: http:\S+:\d+\n$/),
    )
    expect(cli.service.requests).toEqual([])
  })

  it('an installation key that is empty is not replaced by a new one', async () => {
    await using cli = await openCliFixture()
    const empty = await cli.audit('', { env: { HOOKDRIFT_SEAL_KEY: '' } })
    expect(empty.code).toBe(2)
    expect(empty.stderr).toMatch(
      /^hookdrift: HOOKDRIFT_SEAL_KEY is empty, and there is no key .*hookdrift\.key: is the/,
    )
    expect((await cli.audit('--quiet')).code).toBe(0)
    expect((await cli.audit('--quiet', { env: { HOOKDRIFT_SEAL_KEY: '' } })).code).toBe(0)
  })

  it('a slip in --project is corrected', async () => {
    await using cli = await openCliFixture()
    const name = at(cli.fleet.projects(), 0).name
    for (const [typed, meant] of [
      [`acme/${name}x`, `acme/${name}`],
      [`${name}x`, name],
    ]) {
      expect(await cli.audit(`--project ${typed ?? ''}`)).toEqual(refusal(`, did you mean ${meant}?`))
    }
  })

  it.each([
    ['report 3', 'report --run 3'],
    ['report latest~1', 'report --run latest~1'],
    ['audit acme/payments', 'audit --project acme/payments'],
    ['policy test policy.yaml', 'policy test --policy policy.yaml'],
  ])('an argument that is an option: %s', async (line, meant) => {
    const { code, stderr } = await command(line, { cwd: '/' })
    expect(code).toBe(2)
    expect(stderr).toMatch(/^hookdrift: too many arguments/)
    expect(stderr).toContain(`  did you mean ${meant}?\n`)
  })

  it.each([
    ['demo --serve 0 --history demo.db', '--serve audits nothing, so there is no --history to keep'],
    ['demo --no-changes', '--no-changes is for --serve'],
  ])('an option that would do nothing: %s', async (line, message) => {
    expect(await command(line, { cwd: '/' })).toEqual(refusal(`hookdrift: ${message}`))
  })

  it('a history that is named as a directory is refused', async () => {
    await using cli = await openCliFixture()
    const { code, stderr } = await cli.audit('--history runs/')
    expect(code).toBe(2)
    expect(stderr).toBe(
      'hookdrift: the history runs/ is named as a directory, expected a file\n  name a file in it, such as runs/hookdrift.db\n',
    )
  })
})

describe('the log', () => {
  it('shows each request at the level debug, without the key', async () => {
    await using cli = await openCliFixture({ projects: 1 })
    const { stderr } = await cli.start('audit --quiet', { HOOKDRIFT_LOG: 'debug' }).ended
    const requests = stderr
      .split('\n')
      .filter((line) => line.includes('"msg":"request"'))
      .map((line) => JSON.parse(line))
    expect(requests.length).toBe(cli.service.requests.length)
    expect(requests[2]).toMatchObject({
      service: 'acme',
      method: 'GET',
      url: `${cli.service.url}/api/v1/projects/${at(cli.fleet.projects(), 0).uid}/endpoints?perPage=4`,
      status: 200,
      fault: null,
      duration_ms: expect.any(Number),
      next_try_ms: null,
    })
    expect(stderr).not.toContain(cli.fleet.personalKey)
  })
})

describe('an interrupted run', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('states the exit code of its process: %s', async (signal, code) => {
    await using cli = await openCliFixture()
    cli.service.behaviour.latencyMs = 300
    const running = cli.start('audit --format json')
    while (cli.service.requests.length < 3) await new Promise((resolve) => setTimeout(resolve, 10))
    running.child.kill(signal)
    const ended = await running.ended
    expect(ended.code).toBe(code)
    expect(JSON.parse(ended.stdout).verdict.exit_code).toBe(code)
    expect((await cli.run('report')).stdout).toMatch(new RegExp(`Exit\\s+code\\s+${code}\\.\\n`))
    expect((await cli.run('verify')).code).toBe(0)
  })
})
