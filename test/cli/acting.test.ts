import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { setEndpointStatus, updateEndpoint } from '../../src/demo/edits.ts'
import { breakOne, type CliFixture, openCliFixture } from './cli-fixture.ts'
import { refusal } from './refusal.ts'

const inWords = 'Exit code'

describe('--fail-on', () => {
  let cli: CliFixture
  beforeAll(async () => {
    cli = await openCliFixture()
    breakOne(cli)
    await cli.audit()
  })
  afterAll(() => cli[Symbol.asyncDispose]())

  it('never: the exit code is 0 with violations and 3 without coverage, in every format and in the history', async () => {
    await using cli = await openCliFixture()
    breakOne(cli)
    expect((await cli.audit('--fail-on never')).code).toBe(0)
    cli.service.behaviour.outage = 'lists-unreadable'
    const { code, stdout } = await cli.audit('--fail-on never --format json')
    expect(code).toBe(3)
    expect(JSON.parse(stdout).verdict).toMatchObject({ exit_code: 3, fail_on: 'never' })
    const runs = cli.query('SELECT exit_code, fail_on FROM committed_run ORDER BY number')
    expect(runs).toEqual([
      { exit_code: 0, fail_on: 'never' },
      { exit_code: 3, fail_on: 'never' },
    ])
    expect(await cli.run('verify')).toMatchObject({ code: 0 })
  })

  it('new: fails for what this run opened, and the report of that run says so later', async () => {
    const verdictOf = async (line: string) => (await cli.json(`report ${line}`)).verdict
    expect((await cli.audit('--fail-on new')).code).toBe(0)
    setEndpointStatus(cli.fleet, cli.endpoint(0, 1), 'inactive')
    const failed = await cli.audit('--fail-on new --format json')
    expect(failed.code).toBe(1)
    const { number } = JSON.parse(failed.stdout).run
    expect((await cli.audit('--fail-on new')).code).toBe(0)
    expect(await verdictOf(`--run ${number}`)).toMatchObject({ exit_code: 1, fail_on: 'new' })
    expect((await verdictOf('')).text).toMatch(/^Passed: \d+ resources, no new violation at medium or above \(open: /)
  })

  it('new: with an approved baseline, fails until what was opened since then is fixed', async () => {
    await using cli = await openCliFixture()
    const approve = () => cli.run('baseline approve --by me')
    await cli.audit()
    expect((await approve()).code).toBe(0)
    breakOne(cli)
    const codes: number[] = []
    for (let run = 0; run < 3; run++) codes.push((await cli.audit('--fail-on new --quiet')).code)
    expect((await approve()).code).toBe(0)
    codes.push((await cli.audit('--fail-on new --quiet')).code)
    expect(codes).toEqual([1, 1, 1, 0])
    expect((await cli.run('verify')).code).toBe(0)
  })
})

describe('--quiet', () => {
  it('prints the verdict on stderr and nothing else', async () => {
    await using cli = await openCliFixture()
    breakOne(cli)
    const { code, stdout, stderr } = await cli.audit('--quiet')
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(
      /^hookdrift: \d+ open violations \(1 high, .*\), 1 at medium or above; first scan\. Exit code 1\.\n$/,
    )
  })
})

describe('notifications of an audit', () => {
  const channel = 'notify: [{ name: files, type: directory, path: ./out }]\n'

  it('are sent unless a person tries a history of their own on a terminal', async () => {
    await using cli = await openCliFixture({}, channel)
    const folder = cli.directory.file('out')
    const tried = await cli.audit(`--history ${cli.directory.file('try.db')}`, { columns: 100 })
    expect(tried.stderr).toContain('channels are not notified: the history is not the configured one; --notify')
    expect(existsSync(folder)).toBe(false)
    // The configured history, spelt out, is not one of their own; neither is a job's.
    for (const more of [
      { args: `--history ${cli.directory.file('hookdrift.db')}`, columns: 100 },
      { args: '--history job.db' },
      { args: '--history asked.db --notify', columns: 100 },
    ]) {
      const { stderr } = await cli.audit(more.args, more)
      expect(stderr).not.toContain('not notified')
    }
    expect(existsSync(folder)).toBe(true)
  })

  it('of a run with --no-notify need no secrets of channels', async () => {
    const secret = `notify: [{ name: chat, type: slack, url: "\${SLACK_URL}" }]\n`
    await using cli = await openCliFixture({}, secret)
    expect(await cli.audit('--quiet')).toEqual(refusal('variable SLACK_URL is not set'))
    expect((await cli.audit('--quiet --no-notify')).code).toBe(0)
    // The same configuration, with its secret, is not another one.
    expect((await cli.audit('--quiet', { env: { SLACK_URL: 'http://127.0.0.1:9/x' } })).code).toBe(0)
    expect(cli.query('SELECT count(DISTINCT configuration_digest) AS digests FROM run')).toEqual([{ digests: 1 }])
  })

  it('of a run with --no-notify are sent by the next run', async () => {
    await using cli = await openCliFixture({}, 'notify: [{ name: out, type: log, min_severity: high }]\n')
    await cli.audit()
    breakOne(cli)
    await cli.audit('--no-notify')
    const messages = () => cli.query("SELECT json_extract(body, '$.title') AS title FROM notification ORDER BY rowid")
    expect(messages()).toEqual([])
    await cli.audit()
    expect(messages()).toEqual([
      {
        title: expect.stringMatching(
          /^HIGH acme\/\S+: Endpoint is inactive: .+, endpoint "\S+", owner "\S+" \(run 3\)$/,
        ),
      },
    ])
  })
})

describe('--metrics-file', () => {
  it('has the metrics of the worker, for a collector that is another user', async () => {
    await using cli = await openCliFixture()
    breakOne(cli)
    const file = cli.directory.file('hookdrift.prom')
    expect((await cli.audit(`--metrics-file ${file} --quiet`)).code).toBe(1)
    const text = readFileSync(file, 'utf8')
    expect(text).toMatch(/^hookdrift_open_violations\{severity="high",rule="endpoint\/inactive"\} 1$/m)
    expect(text).toMatch(/^hookdrift_last_run_exit_code 1$/m)
    expect(text.match(/^hookdrift_last_success_timestamp_seconds\{project="[^"]+"\} \d/gm)).toHaveLength(2)
    expect(text).not.toContain('in_progress')
    expect(execFileSync('stat', ['-c', '%a', file], { encoding: 'utf8' }).trim()).toBe('644')
    expect(existsSync(`${file}.tmp`)).toBe(false)
    expect((await cli.audit('--metrics-file /nowhere/x.prom')).stderr).toContain('--metrics-file: cannot write to')
  })
})

describe('--metrics-file of a run that', () => {
  const successes = (text: string) =>
    (text.match(/^hookdrift_last_success_timestamp_seconds\{.*$/gm) ?? []).map((line) => line.split('} ')[1])

  it('could not scan everything keeps when all was last seen, and says that it is incomplete', async () => {
    await using cli = await openCliFixture()
    const file = cli.directory.file('hookdrift.prom')
    expect((await cli.audit(`--metrics-file ${file} --quiet`)).code).toBe(0)
    const before = readFileSync(file, 'utf8')
    cli.service.behaviour.outage = 'lists-unreadable'
    expect((await cli.audit(`--metrics-file ${file} --quiet`)).code).toBe(3)
    const after = readFileSync(file, 'utf8')
    expect(successes(before)).toHaveLength(2)
    expect(successes(after)).toEqual(successes(before))
    expect(after).toMatch(/^hookdrift_last_run_exit_code 3$/m)
    expect(after).toMatch(/^hookdrift_walks\{project="[^"]+",listing="endpoints",status="failed"\} 1$/m)
    expect(after).not.toMatch(/^hookdrift_walks\{[^}]*listing="endpoints",status="complete"/m)
  })

  it('never saw a project claims no success for it', async () => {
    await using cli = await openCliFixture()
    const file = cli.directory.file('hookdrift.prom')
    cli.service.behaviour.outage = 'lists-unreadable'
    expect((await cli.audit(`--metrics-file ${file} --quiet`)).code).toBe(3)
    expect(successes(readFileSync(file, 'utf8'))).toEqual([])
  })

  it('an error ended leaves the file', async () => {
    await using cli = await openCliFixture()
    const file = cli.directory.write('hookdrift.prom', 'as before\n')
    const history = cli.directory.write('not-a-history', 'x'.repeat(5_000))
    expect((await cli.audit(`--metrics-file ${file} --history ${history} --quiet`)).code).toBe(4)
    expect(readFileSync(file, 'utf8')).toBe('as before\n')
  })

  it('cannot be written leaves the reports', async () => {
    await using cli = await openCliFixture()
    const file = cli.directory.file('hookdrift.prom')
    const report = cli.directory.file('report.json')
    // The place is taken after it was checked.
    cli.service.behaviour.latencyMs = () => {
      mkdirSync(file, { recursive: true })
      return 0
    }
    const { code, stdout, stderr } = await cli.audit(`--metrics-file ${file} --report json=${report}`)
    expect({ code, stderr }).toEqual({ code: 4, stderr: expect.stringContaining('cannot write the metrics') })
    expect(stdout).toContain('Scanned 2 projects')
    expect(JSON.parse(readFileSync(report, 'utf8'))).toMatchObject({ run: { number: 1 } })
  })

  it('cannot write its report is written all the same', async () => {
    await using cli = await openCliFixture()
    const file = cli.directory.file('hookdrift.prom')
    const report = cli.directory.file('report.json')
    // The place is taken after it was checked.
    cli.service.behaviour.latencyMs = () => {
      mkdirSync(report, { recursive: true })
      return 0
    }
    expect((await cli.audit(`--metrics-file ${file} --report json=${report} --quiet`)).code).toBe(4)
    expect(readFileSync(file, 'utf8')).toContain('hookdrift_last_run_exit_code 0')
  })
})

describe('a history that is lost after the run', () => {
  it('costs the HTML report its trend, and no report', async () => {
    await using cli = await openCliFixture()
    await cli.audit()
    cli.service.behaviour.outage = 'lists-unreadable'
    const [html, json] = [cli.directory.file('report.html'), cli.directory.file('report.json')]
    // The causes of an incomplete scan are printed before the reports.
    const onStderr = (text: string) => {
      if (text.includes('next')) writeFileSync(cli.directory.file('hookdrift.db'), 'not a history')
    }
    const { code, stderr } = await cli.audit(`--format csv --report html=${html} --report json=${json}`, { onStderr })
    expect({ code, stderr }).toMatchObject({ code: 3, stderr: expect.stringContaining('the HTML report has no trend') })
    expect(readFileSync(html, 'utf8')).toContain('INCOMPLETE SCAN')
    expect(JSON.parse(readFileSync(json, 'utf8'))).toMatchObject({ run: { number: 2 } })
  })
})

describe('an unknown width of the terminal', () => {
  it('is 100 columns', async () => {
    await using cli = await openCliFixture()
    const { stdout } = await cli.audit('', { columns: 0, env: { NO_COLOR: '1' } })
    const widest = Math.max(...stdout.split('\n').map(({ length }) => length))
    expect(stdout).toContain(inWords)
    expect(widest).toBeGreaterThan(70)
  })
})

describe('waivers draft', () => {
  it('says what it leaves out because it was not scanned', async () => {
    await using cli = await openCliFixture({ projects: 1, endpointsPerProject: 2, clean: false })
    await cli.audit('--quiet')
    cli.service.faults.push({ path: /\/endpoints/, times: Number.POSITIVE_INFINITY, how: 'reset' })
    await cli.audit('--quiet')
    const expires = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
    const { stderr } = await cli.run(`waivers draft --owner lee --expires ${expires}`)
    expect(stderr).toMatch(/^hookdrift: \d+ violations? not accepted: the last scan could not check them$/m)
    expect(stderr).toMatch(/^hookdrift: incomplete scan: 1 of \d+ listings not complete; `hookdrift status /m)
  })

  it('says that a policy file cannot hold what it drafts', async () => {
    await using cli = await openCliFixture({ projects: 1, endpointsPerProject: 1 }, 'policy: ./policy.yaml\n')
    const rules = Array.from({ length: 100 }, (_, at) => {
      return `  - { id: acme/rule-${at}, kind: endpoint, assert: 'false', severity: low, message: wrong }\n`
    })
    cli.directory.write('policy.yaml', `extends: []\ncustom:\n${rules.join('')}`)
    await cli.audit('--quiet')
    const [expires, line] = [new Date(Date.now() + 86_400_000).toISOString().slice(0, 10), 'ü'.repeat(1000)]
    const draft = async (...args: string[]) => {
      const words = ['waivers', 'draft', '--owner', line, '--reason', line, '--expires', expires, ...args]
      return (await cli.run(words)).stderr
    }
    expect(await draft()).toContain('they are larger than 1 MiB, the limit of a policy file')
    expect(await draft('--rule acme/rule-1*')).not.toContain('limit')
  })

  it('accepts all that is open: an audit with them has nothing open and ends with 0', async () => {
    await using cli = await openCliFixture(
      { clean: false, endpointsPerProject: 12, incomingEvery: 2 },
      'policy: ./policy.yaml\n',
    )
    const policy = 'extends: [recommended]\ndue: { high: 1s }\n'
    cli.directory.write('policy.yaml', policy)
    updateEndpoint(cli.fleet, cli.endpoint(3), { name: 'a: #\n- b\u202e"', url: 'http://a.example.com' })
    const draft = (line: string) => cli.run(`waivers draft --owner 'platform: #1' ${line}`)
    expect((await cli.audit('--quiet')).code).toBe(1)
    // What is overdue by now cannot be waived, and ends with what is.
    await new Promise((resolve) => setTimeout(resolve, 1100))
    expect((await cli.audit()).stdout).toContain('violation/overdue')
    const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
    const { code, stdout, stderr } = await draft(`--expires ${inDays(60)}`)
    expect(code).toBe(0)
    expect(stderr).toMatch(/^hookdrift: \d+ violations accepted until .*: review them, then add them to the policy\n$/)
    expect(stdout).not.toMatch(/[^ -~\n]/)
    const rulesIn = (yaml: string) => new Set(Array.from(yaml.matchAll(/- rule: (\S+)/g), ([, rule]) => rule))
    const ofOne = await draft(`--expires ${inDays(60)} --rule endpoint/url-not-https --severity high`)
    expect([...rulesIn(ofOne.stdout)]).toEqual(['endpoint/url-not-https'])
    const least = await draft(`--expires ${inDays(60)} --severity critical`)
    expect(rulesIn(least.stdout).size).toBeLessThan(rulesIn(stdout).size)
    expect(await draft(`--expires ${inDays(60)} --rule endpoint/url-not-http`)).toMatchObject(
      refusal('did you mean endpoint/url-not-https?'),
    )
    cli.directory.write('policy.yaml', `${policy}${stdout}`)
    const waived = await cli.audit('--format json')
    expect(waived.code).toBe(0)
    const { violations, waived: accepted } = JSON.parse(waived.stdout).verdict
    expect(violations).toEqual({ critical: 0, high: 0, medium: 0, low: 0, info: 0 })
    expect(stderr).toContain(`${accepted} violations accepted`)

    expect((await draft(`--expires ${inDays(60)}`)).stdout).toBe('waivers: []\n')
    for (const [expires, problem] of [
      ['tomorrow', 'expected a date such as 2027-03-31'],
      ['2020-01-01', 'it has passed'],
      [inDays(400), 'it is more than 366 days ahead'],
    ]) {
      expect(await draft(`--expires ${expires ?? ''}`)).toMatchObject(refusal(problem ?? ''))
    }
  })
})
