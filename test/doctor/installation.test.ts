// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of the configuration
import { hash } from 'node:crypto'
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openDatabase } from '../../src/history/sqlite/open-database.ts'
import { type CliFixture, openCliFixture } from '../cli/cli-fixture.ts'
import { command } from '../cli/run-in-process.ts'
import { configurationFor, openDirectory } from '../cli/start-process.ts'
import { closedPort } from '../service/front-ends.ts'
import { acmeKey, directoryFor, examine } from './doctor-fixture.ts'

const sealKey = 'a-key-that-is-not-secret-at-all-0123456789'

/** A directory whose service does not answer: what is checked here lies before that. */
async function anInstallation(options: Parameters<typeof directoryFor>[1] = {}) {
  return directoryFor(`http://127.0.0.1:${await closedPort()}`, options)
}

/** Everything in a directory: names, modes and digests. */
function contentOf(path: string): readonly string[] {
  return readdirSync(path).map((name) => {
    const { mode } = statSync(join(path, name))
    return `${name} ${mode.toString(8)} ${hash('sha256', readFileSync(join(path, name)))}`
  })
}

const examineFleet = (cli: CliFixture, env: Readonly<Record<string, string>> = {}) =>
  examine(cli.directory.path, { ...cli.env, ...env })

describe('doctor', () => {
  it('changes nothing, before the first audit and after it', async () => {
    await using cli = await openCliFixture()
    const before = contentOf(cli.directory.path)
    const first = await examineFleet(cli)
    expect(first.code).toBe(0)
    expect(first.of('history')).toEqual(['ok none yet: the first audit makes hookdrift.db, SIZE free'])
    expect(first.of('seal-key')).toEqual(['ok none yet: the first audit makes hookdrift.key'])
    expect(contentOf(cli.directory.path)).toEqual(before)

    await cli.audit(['--quiet'])
    const audited = contentOf(cli.directory.path)
    const second = await examineFleet(cli)
    expect(second.code).toBe(0)
    expect(second.of('history')).toEqual([
      expect.stringMatching(/^ok hookdrift\.db: SIZE, 1 run, intact(?:, local disk)?, SIZE free$/),
    ])
    expect(second.of('seal-key')).toEqual([
      'ok the file hookdrift.key → Keep a copy of the key elsewhere: with another key, secrets that change meanwhile go undetected.',
    ])
    expect(contentOf(cli.directory.path)).toEqual(audited)
  })

  it('names Node and itself', async () => {
    using directory = await anInstallation()
    const { of } = await examine(directory.path, { ACME_KEY: acmeKey })
    expect(of('node')).toEqual([expect.stringMatching(/^ok Node \d+\.\d+\.\d+, hookdrift \d+\.\d+\.\d+$/)])
  })

  it('names the variables, and no file, where the environment is the configuration', async () => {
    using directory = openDirectory()
    const url = `http://127.0.0.1:${await closedPort()}`
    const incomplete = await examine(directory.path, { HOOKDRIFT_URL: url })
    expect(incomplete.of('configuration').join()).toMatch(/^fail HOOKDRIFT_KEY: not set .* is set\.$/)
    const whole = { HOOKDRIFT_URL: url, HOOKDRIFT_KEY: acmeKey, HOOKDRIFT_PROJECTS: 'payments=P1' }
    const { of } = await examine(directory.path, whole)
    expect(of('configuration')).toEqual(['ok the environment: 1 service, 1 project, 0 schedules, 0 channels'])
    const plain = await examine(directory.path, { ...whole, HOOKDRIFT_URL: 'http://gateway.invalid' })
    expect(plain.of('configuration')[1]).toMatch(/^warn HOOKDRIFT_URL: the key is sent unencrypted over http/)
  })

  it('says what to do about an empty file of a key', async () => {
    using directory = await anInstallation({ key: '${file:key}' })
    directory.write('key', '\n')
    const { of } = await examine(directory.path)
    expect(of('configuration').join()).toMatch(
      /key is empty once `\$\{file:key\}` is filled in.* → Write the value into the file, where hookdrift runs\.$/,
    )
  })

  it('does not say that there is no policy where its path is wrong', async () => {
    using directory = await anInstallation({ before: 'policy: ""\n' })
    const { of } = await examine(directory.path, { ACME_KEY: acmeKey })
    expect(of('configuration')[0]).toMatch(/^fail hookdrift\.yaml:1:9: policy is ""/)
    expect(of('policy')).toEqual(['skipped the configuration cannot be read'])
  })

  it('checks what it can where there is no configuration', async () => {
    using directory = openDirectory()
    const { code, failed, rows } = await examine(directory.path, {}, ['--history', 'hookdrift.db'])
    expect({ code, failed }).toEqual({ code: 2, failed: ['configuration'] })
    expect(rows.map(({ check, status }) => `${check} ${status}`)).toEqual([
      ...['node ok', 'configuration fail', 'policy skipped', 'policy-tests skipped', 'history ok', 'seal-key ok'],
      ...['channel skipped', 'schedule skipped'],
    ])
    expect(rows[1]?.remediation).toMatch(
      /^Run `hookdrift init`, set HOOKDRIFT_URL and HOOKDRIFT_KEY, name another file with --config FILE/,
    )
  })

  it('reports all mistakes of a configuration, and goes on with the rest of it', async () => {
    using directory = await anInstallation({ more: '    retries: 3\n', before: 'history: ./runs/\nconcurency: 4\n' })
    const { code, failed, of } = await examine(directory.path)
    expect({ code, failed }).toEqual({ code: 2, failed: ['configuration', 'history', 'tcp'] })
    expect(of('configuration')).toEqual([
      'fail hookdrift.yaml:2:1: `concurency` is unknown, did you mean `concurrency`? → Correct it there, and run `hookdrift doctor --offline`.',
      expect.stringMatching(/^fail hookdrift\.yaml:6:10: the environment variable ACME_KEY is not set/),
      expect.stringMatching(/^fail hookdrift\.yaml:9:5: `retries` is unknown/),
    ])
    expect(of('history')).toEqual([
      'fail the history ./runs/ is named as a directory, expected a file → Name a file in it, such as ./runs/hookdrift.db',
    ])
    expect(of('policy')).toEqual([
      expect.stringMatching(/^ok none configured: the recommended pack with \d+ rules, 0 overrides/),
    ])
  })

  it('says what to do about a page in place of the gateway, a broken policy and a secret in the file', async () => {
    const server = createServer((_, answer) => answer.setHeader('content-type', 'text/html').end('<html></html>'))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    using directory = openDirectory()
    const service = `{ name: acme, url: "http://127.0.0.1:${port}", key: ${acmeKey}, projects: [{ id: p1 }] }`
    directory.write('hookdrift.yaml', `policy: policy.yaml\nservices: [${service}]\n`)
    directory.write('policy.yaml', 'rules: { endpoint/no-such-rule: high, endpoint/another: high }\n')
    const { rows } = await examine(directory.path)
    server.close()
    const wrong = (check: string) =>
      rows.filter((row) => row.check === check && row.status !== 'ok').map(({ remediation }) => remediation)
    const correct = 'Correct it there, and run `hookdrift policy check`.'
    expect(wrong('policy')).toEqual([correct, correct])
    expect(wrong('configuration')).toEqual(['Change it there, and replace the secret: others may have read it.'])
    expect(wrong('release')).toEqual([
      'Check what answers at /healthz below `url`: the gateway names its release there.',
    ])
    // On a terminal, alike mistakes share what to do about them.
    const { stdout } = await command(['doctor'], { cwd: directory.path, env: {} })
    expect(stdout.split(correct)).toHaveLength(2)
  })

  it('prints a line a check, with what to do beneath', async () => {
    using directory = await anInstallation()
    const { code, stdout, stderr } = await command(['doctor'], { cwd: directory.path, env: { ACME_KEY: acmeKey } })
    expect({ code, stderr }).toEqual({ code: 3, stderr: '' })
    const lines = stdout.split('\n')
    expect(lines).toContain('  ✓ configuration: hookdrift.yaml: 1 service, 2 projects, 0 schedules, 0 channels')
    expect(lines).toContain('acme')
    expect(lines).toContain('  ✓ dns: 127.0.0.1 is an address')
    expect(stdout).toMatch(/^ {2}✗ tcp: 127\.0\.0\.1:\d+: connection refused\n {4}→ Check that the service runs/m)
    expect(lines).toContain('  – key: an earlier check failed')
    expect(lines.at(-2)).toBe('1 problem. Exit code 3.')
  })
})

describe('the policy', () => {
  it('with a waiver that has ended gets a warning, as by `policy check`', async () => {
    using directory = await anInstallation({ before: 'policy: ./policy.yaml\n' })
    const waiver =
      '{ rule: endpoint/url-not-https, match: { kind: endpoint }, owner: alice, reason: moves, expires: 2020-01-01 }'
    directory.write('policy.yaml', `rules: {}\nwaivers:\n  - ${waiver}\n`)
    const { of } = await examine(directory.path, { ACME_KEY: acmeKey })
    expect(of('policy')).toEqual([
      expect.stringMatching(/^ok policy\.yaml: \d+ rules, 0 overrides, 1 waiver, 0 probes$/),
      expect.stringMatching(/^warn \S*policy\.yaml:3: the waiver of endpoint\/url-not-https by alice .* → Remove it/),
    ])
  })

  it('is read with all its mistakes', async () => {
    using directory = await anInstallation({ before: 'policy: ./policy.yaml\n' })
    directory.write('policy.yaml', 'rules:\n  endpoint/url-not-htps: high\n  endpoint/secret-weak: severe\n')
    const { code, of } = await examine(directory.path, { ACME_KEY: acmeKey })
    expect(code).toBe(2)
    expect(of('policy')).toEqual([
      expect.stringMatching(/^fail \S*policy\.yaml:2:3: .*endpoint\/url-not-htps/),
      expect.stringMatching(/^fail \S*policy\.yaml:3:25: endpoint\/secret-weak is "severe", expected `off`/),
    ])
    expect(of('policy-tests')).toEqual(['skipped the policy cannot be read'])
  })

  it.each([
    ['expect: []', 'ok 1 test passed', 3],
    ['expect: [{ rule: endpoint/url-not-https, uid: e2 }]', 'fail ', 2],
  ])('has its tests run: %s', async (expected, start, exitCode) => {
    using directory = await anInstallation({ before: 'policy: ./policy.yaml\n' })
    const test = `{ name: plain, resources: [{ kind: endpoint, uid: e1, url: "https://a.example" }], ${expected} }`
    directory.write('policy.yaml', `extends: []\nrules: { endpoint/url-not-https: high }\ntests:\n  - ${test}\n`)
    const { code, of } = await examine(directory.path, { ACME_KEY: acmeKey })
    expect(code).toBe(exitCode)
    expect(of('policy-tests')).toEqual([expect.stringContaining(start)])
  })
})

describe('the history', () => {
  const examineHistory = async (name: string, prepare: (path: string) => void) => {
    using directory = await anInstallation({ before: `history: ./${name}\n` })
    prepare(directory.file(name))
    const before = contentOf(directory.path)
    const examined = await examine(directory.path, { ACME_KEY: acmeKey })
    expect(contentOf(directory.path)).toEqual(before)
    return examined
  }

  it('that another process is just making is not made', async () => {
    const { code, of } = await examineHistory('new.db', (path) => {
      new Database(path).exec('PRAGMA application_id = 1751868518; CREATE TABLE run (number)').close()
      chmodSync(path, 0o600)
    })
    expect(code).toBe(3)
    expect(of('history')).toEqual([
      expect.stringMatching(/^warn new\.db has schema 0, this hookdrift writes schema 1 → The next audit upgrades it/),
    ])
  })

  it('of a newer version, or of another program, is refused', async () => {
    const database = (path: string, statement: string) => {
      new Database(path).exec(statement).close()
      chmodSync(path, 0o600)
    }
    const newer = await examineHistory('newer.db', (path) => {
      openDatabase(path, '2026-11-24T03:00:00.000Z').close()
      database(path, 'PRAGMA user_version = 999')
    })
    expect(newer.code).toBe(2)
    expect(newer.of('history')).toEqual([
      expect.stringMatching(/^fail newer\.db has schema 999, .* → Use the newer hookdrift that wrote it\.$/),
    ])
    const early = await examineHistory('early.db', (path) => {
      openDatabase(path, '2026-11-24T03:00:00.000Z').close()
      database(path, "UPDATE migration SET sha256 = 'of another text'")
    })
    expect(early.of('history')).toEqual([
      expect.stringMatching(
        /^fail .* was made by a checkout from before the first release → Read it with that checkout/,
      ),
    ])
    const foreign = await examineHistory('foreign.db', (path) => database(path, 'CREATE TABLE invoice (number)'))
    expect(foreign.of('history')).toEqual([
      expect.stringMatching(/^fail .* it is a database of another program → Name/),
    ])
  })

  it.each([
    ['a text', 'hello', /^fail .*(?:not a history|is not a database|not a hookdrift history).* → /],
    [
      'a page of text',
      'hello '.repeat(1000),
      /^fail .*(?:not a history|is not a database|not a hookdrift history).* → /,
    ],
  ])('that is %s is refused', async (_, text, message) => {
    using directory = await anInstallation()
    directory.write('hookdrift.db', text)
    chmodSync(directory.file('hookdrift.db'), 0o600)
    const { code, of } = await examine(directory.path, { ACME_KEY: acmeKey })
    expect(code).toBe(2)
    expect(of('history')).toEqual([expect.stringMatching(message)])
  })

  it('that is a directory is refused', async () => {
    using directory = await anInstallation()
    mkdirSync(directory.file('hookdrift.db'))
    const { of } = await examine(directory.path, { ACME_KEY: acmeKey })
    expect(of('history')).toEqual([
      'fail cannot open the history ./hookdrift.db: it is a directory → Name a file in it',
    ])
  })

  it('that was altered does not verify, and one that others can read is named', async () => {
    await using cli = await openCliFixture()
    await cli.audit(['--quiet'])
    const file = cli.directory.file('hookdrift.db')
    new Database(file).exec("UPDATE run SET started_at = '2020-01-01T00:00:00.000Z'").close()
    chmodSync(file, 0o644)
    const { code, failed, of } = await examineFleet(cli)
    expect({ code, failed }).toEqual({ code: 2, failed: ['history'] })
    expect(of('history')).toEqual([
      'warn ./hookdrift.db is readable by other users → Run `chmod 600 ./hookdrift.db`.',
      expect.stringMatching(/^fail hookdrift\.db does not verify: not as run .* → Keep a copy of it/),
    ])
  })

  it('that others can read is closed to them by a command that a shell reads as it is', async () => {
    await using cli = await openCliFixture({}, 'history: ./my histories/hookdrift.db\n')
    await cli.audit(['--quiet'])
    for (const name of ['hookdrift.db', 'hookdrift.key']) chmodSync(cli.directory.file(`my histories/${name}`), 0o644)
    const { of } = await examineFleet(cli)
    expect(of('history')[0]).toContain("Run `chmod 600 './my histories/hookdrift.db'`.")
    expect(of('seal-key')[0]).toContain("Run `chmod 600 './my histories/hookdrift.key'`.")
  })

  it('that a run writes is examined meanwhile', async () => {
    await using cli = await openCliFixture()
    await cli.audit(['--quiet'])
    const open = new Database(cli.directory.file('hookdrift.db'))
    onTestFinished(() => void open.close())
    open.exec('BEGIN IMMEDIATE')
    expect((await examineFleet(cli)).of('history')).toEqual([expect.stringMatching(/^ok .*, 1 run, intact/)])
  })
})

describe('the installation key', () => {
  it.each([
    [
      { HOOKDRIFT_SEAL_KEY: '' },
      /^fail HOOKDRIFT_SEAL_KEY is empty, and there is no key hookdrift\.key.* → Set it to a key/,
    ],
    [{ HOOKDRIFT_SEAL_KEY: 'short' }, /^fail HOOKDRIFT_SEAL_KEY is shorter than 32 characters → Make one with/],
    [{ HOOKDRIFT_SEAL_KEY: sealKey }, /^ok the variable HOOKDRIFT_SEAL_KEY → Keep a copy/],
  ])('of the environment: %j', async (env, expected) => {
    using directory = await anInstallation()
    const { of } = await examine(directory.path, { ACME_KEY: acmeKey, ...env })
    expect(of('seal-key')).toEqual([expect.stringMatching(expected)])
    expect(readdirSync(directory.path)).toEqual(['hookdrift.yaml'])
  })

  it('that is readable by others, damaged, missing or another than that of the last run', async () => {
    await using cli = await openCliFixture()
    await cli.audit(['--quiet'])
    const file = cli.directory.file('hookdrift.key')
    const { of: other } = await examineFleet(cli, { HOOKDRIFT_SEAL_KEY: sealKey })
    expect(other('seal-key')).toEqual([
      expect.stringMatching(
        /^warn the variable HOOKDRIFT_SEAL_KEY, which is not the key of the last run → Put the former/,
      ),
    ])
    chmodSync(file, 0o644)
    const { code, of: open } = await examineFleet(cli)
    expect(code).toBe(0)
    expect(open('seal-key')).toEqual([
      'warn the installation key ./hookdrift.key is readable by others: chmod 600 it → Run `chmod 600 ./hookdrift.key`.',
      expect.stringMatching(/^ok the file hookdrift\.key/),
    ])
    cli.directory.write('hookdrift.key', 'not a key\n')
    const damaged = await examineFleet(cli)
    expect(damaged.code).toBe(2)
    expect(damaged.of('seal-key')).toEqual([
      expect.stringMatching(
        /^fail the installation key .* is damaged: expected 64 hex digits → Restore it from a backup/,
      ),
    ])
    rmSync(file)
    expect((await examineFleet(cli)).of('seal-key')).toEqual([
      expect.stringMatching(
        /^warn hookdrift\.key is missing: the next audit makes a new key → Put the former key back/,
      ),
    ])
    expect(readdirSync(cli.directory.path)).not.toContain('hookdrift.key')
    cli.directory.write('hookdrift.db', 'no longer a history')
    expect((await examineFleet(cli)).of('seal-key')).toEqual([
      'skipped hookdrift.key is not there, and it is not known whether a run had it: see history',
    ])
  })
})

describe('channels and schedules', () => {
  it('are checked without sending anything', async () => {
    await using cli = await openCliFixture()
    let requests = 0
    const receiver = createServer((_, response) => {
      requests++
      response.end()
    })
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void receiver.close())
    const { port } = receiver.address() as AddressInfo
    const more = `notify:
  - { name: log, type: log }
  - { name: files, type: directory, path: ./reports }
  - { name: taken, type: directory, path: ./hookdrift.yaml }
  - { name: below, type: directory, path: ./hookdrift.yaml/reports }
  - { name: chat, type: slack, url: "http://127.0.0.1:${port}/a-secret-path" }
  - { name: gone, type: teams, url: "http://127.0.0.1:${await closedPort()}/a-secret-path" }
  - { name: issues, type: github_issue, repository: acme/payments, token: a-secret-path, api_url: "http://127.0.0.1:${port}" }
  - { name: mail, type: email, smtp: "smtp://no-such-host.invalid", from: a@example.com, to: [b@example.com] }
schedules:
  - { name: nightly, cron: "0 3 1 1 *", timezone: UTC }
`
    cli.directory.write('hookdrift.yaml', configurationFor(cli.service.url, cli.fleet, more))
    const { code, rows, of } = await examineFleet(cli)
    expect(code).toBe(2)
    expect(of('channel')).toEqual([
      'ok log: writes to the log',
      'ok files: ./reports, made when the first report is written',
      'fail taken: cannot write to ./hookdrift.yaml: it is not a directory → Let this user write there, or change `path`.',
      'fail below: cannot write to ./hookdrift.yaml: it is not a directory → Let this user write there, or change `path`.',
      'ok chat: 127.0.0.1:PORT accepts connections, its secrets are set; nothing was sent',
      'fail gone: connection refused: 127.0.0.1:PORT → Check the address of the channel, and the way to it from this machine.',
      'ok issues: 127.0.0.1:PORT accepts connections, its secrets are set; nothing was sent',
      expect.stringMatching(/^fail mail: host name not found: no-such-host\.invalid:587 → Check the address/),
    ])
    expect(of('schedule')).toEqual([
      expect.stringMatching(/^ok nightly, next \w{3} \d{4}-01-01 03:00:00 \+00:00 \(UTC\)$/),
    ])
    expect(JSON.stringify(rows)).not.toContain('a-secret-path')
    expect(requests).toBe(0)
    expect(readdirSync(cli.directory.path)).toEqual(['hookdrift.yaml'])
  })

  it('with a mistake do not hide the others', async () => {
    using directory = await anInstallation({
      before: `notify:
  - { name: log, type: log }
  - { name: hook, type: webhook, url: "https://a.example", secret: "\${HOOK_SECRET}" }
schedules:
  - { name: nightly, cron: "0 3 * * *" }
  - { name: odd, cron: "99 3 * * *" }
`,
    })
    const { code, of } = await examine(directory.path, { ACME_KEY: acmeKey })
    expect(code).toBe(2)
    expect(of('configuration')).toEqual([
      expect.stringMatching(/HOOK_SECRET is not set → Set the variable/),
      expect.stringMatching(/^fail hookdrift\.yaml:6:\d+: .*/),
    ])
    expect(of('channel')).toEqual([
      'ok log: writes to the log',
      'skipped a channel has a mistake, or a secret is not set: see configuration',
    ])
    expect(of('schedule')).toEqual([expect.stringMatching(/^ok nightly, next/), expect.stringMatching(/^skipped /)])
  })
})
