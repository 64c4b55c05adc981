import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { changeEndpoint } from '../../src/demo/edits.ts'
import type { SimulatedFleet } from '../../src/demo/fleet.ts'
import type { SimulatedService } from '../../src/demo/simulated-service.ts'
import { formatNames as formats } from '../../src/report/formats.ts'
import { query } from '../audit/fleet-fixture.ts'
import { listen } from '../service/fake-service.ts'
import { breakOne, type CliFixture, openCliFixture } from './cli-fixture.ts'
import { refusal } from './refusal.ts'
import { command } from './run-in-process.ts'
import { configurationFor, openDirectory, startHookdrift } from './start-process.ts'

describe('behind a proxy', () => {
  const openProxy = async () => {
    const authorized: (string | undefined)[] = []
    const { url } = await listen((request, response) => {
      authorized.push(request.headers.authorization)
      response.writeHead(502).end()
    })
    return { authorized, url }
  }

  it('no key goes through it where NO_PROXY has the network of the service', async () => {
    await using cli = await openCliFixture()
    const proxy = await openProxy()
    const env = { HTTP_PROXY: proxy.url, NO_PROXY: '10.0.0.0/8,127.0.0.0/8,.svc' }
    expect((await cli.audit('', { env })).code).toBe(0)
    expect(cli.service.requests.length).toBeGreaterThan(0)
    expect(proxy.authorized).toEqual([])
  })

  it('nothing is sent where an entry of NO_PROXY is not understood: exit 2', async () => {
    await using cli = await openCliFixture()
    const proxy = await openProxy()
    for (const name of ['audit', 'worker']) {
      expect(await cli.run(name, { env: { HTTP_PROXY: proxy.url, NO_PROXY: '127.0.0.0/33' } })).toEqual(
        refusal(/^hookdrift: environment: NO_PROXY has an entry that is not understood: "127\.0\.0\.0\/33"/),
      )
    }
    expect([cli.service.requests, proxy.authorized]).toEqual([[], []])
  })
})

describe('the exit code', () => {
  it('is 0 for clean, 1 for violations and 3 for incomplete coverage, as in the report', async () => {
    await using cli = await openCliFixture()
    const codes: number[] = []
    const verdicts: number[] = []
    const run = async (line = '') => {
      const { code, stdout } = await cli.audit(`--format json ${line}`)
      codes.push(code)
      verdicts.push(JSON.parse(stdout).verdict.exit_code)
    }
    await run()
    breakOne(cli)
    await run()
    await run('--fail-on critical')
    cli.service.behaviour.outage = 'lists-unreadable'
    await run()
    expect(codes).toEqual([0, 1, 0, 3])
    expect(verdicts).toEqual(codes)
    expect(cli.query('SELECT exit_code FROM committed_run ORDER BY number')).toEqual(
      codes.map((exit_code) => ({ exit_code })),
    )
  })

  it('is 2 where no pattern of the configuration matches a project of the list: nothing would be scanned', async () => {
    await using cli = await openCliFixture()
    const list = `    organisation: ${cli.fleet.organisationId}\n    projects: [{ match: "paymets-*" }]\n`
    cli.configure((text) => text.replace(/^ {4}projects:[\s\S]*/m, list))
    expect(await cli.audit()).toEqual(
      refusal(
        /^hookdrift: there is no project to audit: hookdrift\.yaml:\d+: `paymets-\*` matches none of \d+ projects? that acme lists\n {2}correct `match`/m,
      ),
    )
  })

  it('is 5 at once while another run writes, with the owner of the lease', async () => {
    await using cli = await openCliFixture()
    cli.service.behaviour.latencyMs = 1_000
    const first = cli.start('audit --quiet')
    let isFirstOver = false
    void first.ended.then(() => {
      isFirstOver = true
    })
    while (cli.service.requests.length < 2) await new Promise((resolve) => setTimeout(resolve, 10))
    const second = await cli.audit()
    expect(isFirstOver).toBe(false)
    cli.service.behaviour.latencyMs = 0
    expect(second).toEqual(
      refusal(
        new RegExp(`^hookdrift: another run writes to .*hookdrift\\.db: process ${first.child.pid} on .*\\n  wait for`),
        5,
      ),
    )
    expect((await first.ended).code).toBe(0)
    expect((await cli.audit()).code).toBe(0)
  })

  it('is 4 when the history is unusable, and the file stays as it is', async () => {
    await using cli = await openCliFixture()
    const file = cli.directory.write(
      'notes.txt',
      'these are my notes, and not a history of anything at all\n'.repeat(9),
    )
    const before = readFileSync(file, 'utf8')
    const { code, stdout, stderr } = await cli.audit('--history notes.txt')
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' })
    expect(stderr).toMatch(/^hookdrift: \S*notes\.txt is not a hookdrift history\n {2}name the file of a history/)
    expect(stderr).not.toContain('--history')
    expect(readFileSync(file, 'utf8')).toBe(before)
  })
})

describe('a mistake of the user', () => {
  const untouched = (cli: CliFixture) => readdirSync(cli.directory.path).sort()

  it.each([
    ['audit --nonsense', /unknown option '--nonsense'/],
    ['adit', /unknown command 'adit'.*\n?.*audit/],
    ['audit everything', /too many arguments|unexpected/],
    ['audit --format xlm', /Allowed choices are text, json/],
    ['audit --fail-on bad', /Allowed choices are never, new, critical/],
    ['audit --output', /argument missing/],
    ['', /Usage: hookdrift/],
  ])('exits with 2 and a message on stderr: %j', async (line, message) => {
    using directory = openDirectory()
    expect(await command(line, { cwd: directory.path })).toEqual(refusal(message))
    expect(readdirSync(directory.path)).toEqual([])
  })

  it('in the configuration is reported with file and line, before a history is created', async () => {
    await using cli = await openCliFixture()
    const file = cli.directory.write(
      'broken.yaml',
      'services:\n  - name: acme\n    url: hooks.example.com\n    projcts: []\n',
    )
    const before = untouched(cli)
    const { code, stdout, stderr } = await cli.run(`audit --config ${file}`)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(`${file}:3:10: `)
    expect(stderr).toContain(`${file}:4:5: `)
    expect(stderr).toMatch(/projects/)
    expect(untouched(cli)).toEqual(before)
  })

  it.each([
    ['that is not there', 'other.yaml', undefined, /cannot read the policy .*other\.yaml/],
    [
      'with an unknown rule',
      'policy.yaml',
      'rules:\n  endpoint/inactiv: off\n',
      /policy\.yaml:2:3: .*endpoint\/inactive/,
    ],
    ['with a wrong option', 'policy.yaml', 'rules:\n  endpoint/timeout-low: { min_seconds: no }\n', /policy\.yaml:2:/],
  ])('in a policy %s exits with 2 before a history is created', async (_, name, text, message) => {
    await using cli = await openCliFixture({}, 'policy: ./policy.yaml\n')
    if (name === 'other.yaml') {
      cli.directory.write('hookdrift.yaml', configurationFor(cli.service.url, cli.fleet, `policy: ./${name}\n`))
    }
    if (text !== undefined) cli.directory.write(name, text)
    const before = untouched(cli)
    expect(await cli.audit()).toEqual(refusal(message))
    expect(untouched(cli)).toEqual(before)
    expect(cli.service.requests).toEqual([])
  })

  it('takes an empty log level for none', async () => {
    await using cli = await openCliFixture()
    expect((await cli.audit('', { env: { HOOKDRIFT_LOG: '' } })).code).toBe(0)
  })

  it.each([
    ['a configuration that is not there', '--config nowhere.yaml', {}, /cannot read the configuration nowhere/],
    ['a project that is not there', '--project acme/nowhere', {}, /matches none of acme\/payments, acme\/orders/],
    ['a key that is not set', '', { ACME_KEY: '' }, /hookdrift\.yaml:4:10: key is empty/],
    ['a log level that is none', '', { HOOKDRIFT_LOG: 'loud' }, /HOOKDRIFT_LOG is "loud", expected one of trace/],
    ['an installation key that is short', '', { HOOKDRIFT_SEAL_KEY: 'short' }, /shorter than 32 characters/],
  ])('exits with 2 and leaves no file: %s', async (_, line, env, message) => {
    await using cli = await openCliFixture()
    const before = untouched(cli)
    expect(await cli.audit(line, { env })).toEqual(refusal(message))
    expect(untouched(cli)).toEqual(before)
    expect(cli.service.requests).toEqual([])
  })
})

describe('the report', () => {
  it('goes whole to --output, and then not to stdout', async () => {
    await using cli = await openCliFixture()
    cli.directory.write('report.json', 'the report of yesterday')
    const { code, stdout } = await cli.audit('--format json --output report.json')
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
    const written = JSON.parse(readFileSync(cli.directory.file('report.json'), 'utf8'))
    expect(written.run.number).toBe(1)
    expect(readdirSync(cli.directory.path).sort()).toEqual([
      'hookdrift.db',
      'hookdrift.key',
      'hookdrift.yaml',
      'report.json',
    ])
  })

  it('that cannot be written is an error that keeps the old file, and the run is committed', async () => {
    await using cli = await openCliFixture()
    expect(await cli.audit('--output /dev/full')).toEqual(
      refusal(/^hookdrift: cannot write the report to \/dev\/full: no space .*\n {2}the run is committed/, 4),
    )
    expect(cli.query('SELECT number FROM committed_run')).toEqual([{ number: 1 }])
  })

  it('has colours and the width of the terminal for a person, and is plain in a pipe', async () => {
    await using cli = await openCliFixture()
    breakOne(cli)
    const person = await cli.audit('', { columns: 70 })
    const pipe = await cli.audit()
    const plain = await cli.audit('', { columns: 70, env: { NO_COLOR: '1' } })
    expect(person.stdout).toContain('\x1b[')
    const lines = person.stdout.replace(/\x1b\[[\d;]*m/g, '').split('\n')
    // A command stays whole, so that it can be copied.
    const wrapped = lines.filter((line) => !line.startsWith('  hookdrift '))
    expect(Math.max(...wrapped.map((line) => line.length))).toBeLessThanOrEqual(70)
    // Progress is shown after two seconds, and gone at the end.
    expect(person.stderr).toMatch(/^$|\r\x1b\[K$/)
    expect([pipe.stdout, plain.stdout].join('')).not.toContain('\x1b')
    expect(pipe.stderr).toBe('')
  })

  it.each([
    ['a pipe', '', {}, false],
    ['a pipe', '', { FORCE_COLOR: '1' }, true],
    ['a pipe', '', { FORCE_COLOR: '' }, false],
    ['a pipe', '', { FORCE_COLOR: '0' }, false],
    ['a pipe', '', { CLICOLOR_FORCE: '1' }, true],
    ['a pipe', '', { CLICOLOR_FORCE: '0' }, false],
    ['a pipe', '', { CI: 'true', FORCE_COLOR: '3', TERM: 'dumb' }, true],
    ['a pipe', '', { NO_COLOR: '1', FORCE_COLOR: '1' }, false],
    ['a pipe', '--color always', { NO_COLOR: '1' }, true],
    ['a pipe', '--color=auto', {}, false],
    ['a terminal', '', { NO_COLOR: '' }, true],
    ['a terminal', '', { NO_COLOR: '1' }, false],
    ['a terminal', '', { TERM: 'dumb' }, false],
    ['a terminal', '', { FORCE_COLOR: 'false' }, false],
    ['a terminal', '--color never', { FORCE_COLOR: '1' }, false],
    ['a terminal', '--color auto', { TERM: 'xterm' }, true],
  ])('to %s with "%s" and %j: colours are %s', async (reader, line, env, isColoured) => {
    const terminal = reader === 'a terminal' ? { columns: 100, env } : { env }
    for (const words of [`${line} violations`, `violations ${line}`]) {
      const { code, stdout } = await coloured.run(words, terminal)
      expect([code, stdout.includes('\x1b[')]).toEqual([0, isColoured])
    }
  })

  it('has no colours in files and in other formats, also where they are asked for', async () => {
    const env = { FORCE_COLOR: '1' }
    const file = coloured.directory.file('report.txt')
    await coloured.run(`report --color always --output ${file}`, { env })
    const said = await Promise.all(
      ['json', 'csv', 'jsonl'].map((format) => coloured.run(`violations --color always --format ${format}`, { env })),
    )
    expect([readFileSync(file, 'utf8'), ...said.map(({ stdout }) => stdout)].join('')).not.toContain('\x1b')
  })

  it.each([
    'violations',
    'report',
    'report --section drift',
    'report --framework soc2',
    'coverage',
    'runs',
    "query 'SELECT 1 AS n'",
  ])('begins CSV with a byte order mark where --bom asks for it: %s', async (line) => {
    const [plain, marked] = [
      await coloured.run(`${line} --format csv`),
      await coloured.run(`--bom ${line} --format csv`),
    ]
    expect(marked).toEqual({ ...plain, stdout: `\ufeff${plain.stdout}` })
    expect(plain.stdout.startsWith('\ufeff')).toBe(false)
  })

  it('marks each file of CSV, and no other file', async () => {
    const files = ['a.csv', 'a.drift.csv', 'a.coverage.csv', 'a.json'].map(coloured.directory.file)
    const [csv, , , json] = files
    await coloured.run(`report --bom --report csv=${csv} --report json=${json}`)
    expect(files.map((file) => readFileSync(file, 'utf8').startsWith('\ufeff'))).toEqual([true, true, true, false])
  })

  it.each(['violations --bom', 'report --bom --format json', 'status --bom', 'report --bom --report json=x'])(
    'refuses a mark where no CSV is: %s',
    async (line) => {
      expect(await coloured.run(line)).toEqual(refusal('--bom is for --format csv and --report csv=FILE'))
    },
  )

  let coloured: CliFixture
  beforeAll(async () => {
    coloured = await openCliFixture()
    breakOne(coloured)
    await coloured.audit('--quiet')
  })
  afterAll(() => coloured[Symbol.asyncDispose]())
})

describe('--project', () => {
  it.each([
    ['acme/orders', ['acme/orders']],
    ['orders', ['acme/orders']],
    ['acme/*', ['acme/orders', 'acme/payments']],
    ['o*', ['acme/orders']],
    ['orders payments', ['acme/orders', 'acme/payments']],
  ])('%s audits %j', async (names, projects) => {
    await using cli = await openCliFixture()
    const { coverage } = await cli.json(`audit --project ${names}`)
    expect([...new Set(coverage.map(({ project }) => project))]).toEqual(projects)
  })
})

describe('text from a service', () => {
  const evil = '\x1b]0;owned\x07\x1b[2J\u202eevil\u2066\r\nhookdrift: all is well\x9b31m\u{e0041}'

  it('has no effect on a terminal, in any format or in the log', async () => {
    await using cli = await openCliFixture()
    const rename = (name: string) =>
      changeEndpoint(cli.fleet, cli.endpoint(), (row) => ({ ...row, name, description: name, status: 'inactive' }))
    rename(evil)
    await cli.audit()
    rename(`${evil}${'x'.repeat(1_000_000)}`)
    cli.service.failNext({
      how: 'status',
      status: 400,
      body: { status: false, message: evil.replace('\u{e0041}', '') },
      path: /subscriptions/,
      times: 9,
    })
    const unseen = (text: string) =>
      text.match(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu)?.filter((character) => character !== '\n') ?? []
    expect((await cli.audit('--quiet')).code).toBe(3)
    for (const format of formats) {
      const { stdout } = await cli.run(`report --format ${format}`, { columns: 100 })
      const plain = stdout.replace(/\x1b\[[\d;]*m/g, '')
      const bare = format === 'csv' ? plain.replaceAll('\r\n', '\n') : plain
      expect(unseen(bare)).toEqual([])
      expect(bare).not.toMatch(/^hookdrift: all is well/m)
      if (format === 'text') expect(bare.length).toBeLessThan(20_000)
    }
    const env = { ...cli.env, HOOKDRIFT_LOG: 'trace' }
    const { code, stderr } = await startHookdrift('audit --quiet', { cwd: cli.directory.path, env }).ended
    expect(code).toBe(3)
    expect(stderr).toContain('hookdrift: all is well')
    expect(unseen(stderr)).toEqual([])
    expect(stderr).not.toMatch(/^hookdrift: all is well/m)
    expect(
      stderr
        .trimEnd()
        .split('\n')
        .filter((line) => !line.startsWith('hookdrift: '))
        .map((line) => typeof JSON.parse(line).msg),
    ).not.toContain('undefined')
  })

  it('of one megabyte is sealed and compared whole', async () => {
    await using cli = await openCliFixture()
    const name = (end: string) =>
      changeEndpoint(cli.fleet, cli.endpoint(), (row) => ({ ...row, name: `${'x'.repeat(1_000_000)}${end}` }))
    name('a')
    await cli.audit('--quiet')
    name('b')
    const [change] = (await cli.json('audit')).drift
    expect(change.fields[0]).toMatchObject({ path: '/name', after: expect.stringMatching(/^sealed:[0-9a-f]{32}$/) })
  })
})

describe('secrets', () => {
  let cli: CliFixture
  let fleet: SimulatedFleet
  let service: SimulatedService
  beforeAll(async () => {
    cli = await openCliFixture({ clean: false, projects: 3, incomingEvery: 3 })
    fleet = cli.fleet
    service = cli.service
  })
  afterAll(() => cli[Symbol.asyncDispose]())

  it('and keys are in no output, log or file, at any log level', async () => {
    const secrets = fleet.projects().flatMap(({ uid, key }) => {
      const { endpoints, sources } = fleet.open(uid)
      const within = JSON.stringify([endpoints, sources]).match(/not-a-real-key-[0-9a-f]+/g) ?? []
      return [key, ...within]
    })
    expect(secrets.length).toBeGreaterThan(30)
    const options = { cwd: cli.directory.path, env: { ...cli.env, HOOKDRIFT_LOG: 'trace' } }
    const first = await startHookdrift('audit --format json', options).ended
    service.failNext({ how: 'status', status: 500, path: /subscriptions/, times: 99 })
    for (const { uid: project } of fleet.projects()) {
      for (const { uid } of fleet.open(project).endpoints) {
        changeEndpoint(fleet, { project, uid }, (row) => ({
          ...row,
          secrets: (row.secrets ?? []).map((secret) => ({ ...secret, value: `${secret.value}0` })),
        }))
      }
    }
    const second = await startHookdrift('audit --output report.txt', options).ended
    expect([first.code, second.code]).toEqual([1, 3])
    expect(first.stderr).toMatch(/"msg":"page read"/)
    expect(second.stderr).toMatch(/"msg":"walk incomplete"/)
    const written = readdirSync(cli.directory.path)
      .filter((name) => name !== 'hookdrift.yaml')
      .map((name) => readFileSync(cli.directory.file(name), 'latin1'))
    const outputs = [first.stdout, first.stderr, second.stdout, second.stderr, ...written]
    expect([fleet.personalKey, ...secrets].filter((secret) => outputs.some((text) => text.includes(secret)))).toEqual(
      [],
    )
  })
})

describe('the installation key', () => {
  it('is created once, for its owner only', async () => {
    await using cli = await openCliFixture()
    await cli.audit('--quiet')
    const file = cli.directory.file('hookdrift.key')
    const key = readFileSync(file, 'utf8')
    expect(key).toMatch(/^[0-9a-f]{64}\n$/)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(statSync(cli.directory.file('hookdrift.db')).mode & 0o777).toBe(0o600)
    await cli.audit('--quiet')
    expect(readFileSync(file, 'utf8')).toBe(key)
  })

  it('comes from HOOKDRIFT_SEAL_KEY where that is set, and no file is written', async () => {
    await using cli = await openCliFixture()
    const HOOKDRIFT_SEAL_KEY = 'not-a-real-key-but-long-enough-for-one'
    expect((await cli.audit('--quiet', { env: { HOOKDRIFT_SEAL_KEY } })).code).toBe(0)
    expect(existsSync(cli.directory.file('hookdrift.key'))).toBe(false)
    const again = await cli.audit('--format json', { env: { HOOKDRIFT_SEAL_KEY } })
    const other = await cli.audit('--format json')
    expect(JSON.parse(again.stdout).notices).toEqual([])
    expect(JSON.parse(other.stdout)).toMatchObject({ drift: [], notices: [{}, {}] })
  })

  it('that is damaged is not replaced', async () => {
    await using cli = await openCliFixture()
    const file = cli.directory.write('hookdrift.key', 'oops\n')
    expect(await cli.audit()).toEqual(refusal(/is damaged: expected 64 hex digits/, 4))
    expect(readFileSync(file, 'utf8')).toBe('oops\n')
    expect(existsSync(cli.directory.file('hookdrift.db'))).toBe(false)
  })
})

describe('the configuration', () => {
  /** Three files with a history each; the variables are the configuration of a fourth. */
  const openThree = async () => {
    const cli = await openCliFixture()
    const text = readFileSync(cli.directory.file('hookdrift.yaml'), 'utf8')
    const configure = (name: string) => cli.directory.write(`${name}.yaml`, `${text}\nhistory: ./${name}.db\n`)
    for (const name of ['of-variable', 'of-option']) configure(name)
    const fileOf = (name: string) => (name === '' ? '' : cli.directory.file(`${name}.yaml`))
    return { cli, fileOf }
  }

  it.each([
    ['of-option', '', 'of-option.db'],
    ['of-option', 'of-variable', 'of-option.db'],
    ['', 'of-variable', 'of-variable.db'],
    ['', 'not-there', undefined],
    ['not-there', 'of-variable', undefined],
  ])('of option "%s" and variable "%s" has the history %s', async (option, variable, history) => {
    const { cli, fileOf } = await openThree()
    await using _ = cli
    const env = { ...cli.env, HOOKDRIFT_CONFIG: fileOf(variable), HOOKDRIFT_URL: cli.service.url }
    const words = option === '' ? [] : ['--config', fileOf(option)]
    const said = await command(['audit', '--quiet', ...words], { cwd: cli.directory.path, env })
    expect(readdirSync(cli.directory.path).filter((name) => name.endsWith('.db'))).toEqual(
      history === undefined ? [] : [history],
    )
    const missing = `cannot read the configuration ${fileOf('not-there')}${option === '' ? ' (HOOKDRIFT_CONFIG)' : ''}: `
    if (history === undefined) expect(said).toEqual(refusal(missing))
  })

  it('of the variable is that of commands which only read, and of the commands that they print', async () => {
    const { cli, fileOf } = await openThree()
    await using _ = cli
    breakOne(cli)
    const ask = (line: string, variable: string) =>
      command(line, { cwd: cli.directory.path, env: { ...cli.env, HOOKDRIFT_CONFIG: fileOf(variable) } })
    await ask('audit --quiet', 'of-variable')
    const { stdout } = await ask('report', 'of-variable')
    expect(stdout).toContain('hookdrift violations')
    expect(stdout).not.toContain('--config')
    const option = await ask(`report --config ${fileOf('of-variable')}`, 'of-option')
    expect(option.stdout).toContain(`--config ${fileOf('of-variable')}`)
    expect((await ask('doctor --offline', 'of-variable')).stdout).toContain('of-variable.yaml')
    // An empty variable counts as unset.
    expect((await ask('violations', '')).stderr).toContain('hookdrift.db')
  })

  it('of --url is not read from the file of the variable', async () => {
    const { cli, fileOf } = await openThree()
    await using _ = cli
    const env = { HOOKDRIFT_CONFIG: fileOf('of-variable'), HOOKDRIFT_KEY: 'not-a-real-key', HOOKDRIFT_PROJECTS: 'p' }
    const said = await command(`audit --url ${cli.service.url}`, { cwd: cli.directory.file('..'), env })
    expect(said.stderr).not.toContain('of-variable')
  })
})

describe('the history', () => {
  it('is the file that --history, HOOKDRIFT_HISTORY or the configuration names, in that order', async () => {
    await using cli = await openCliFixture({}, 'history: ./of-the-file.db\n')
    const env = { HOOKDRIFT_HISTORY: cli.directory.file('of-the-environment.db') }
    await cli.audit('--quiet')
    await cli.audit('--quiet', { env })
    await cli.audit('--quiet --history of-the-option.db', { env })
    const runs = ['of-the-file', 'of-the-environment', 'of-the-option'].map((name) =>
      query(cli.directory.file(`${name}.db`), 'SELECT number FROM committed_run'),
    )
    expect(runs).toEqual([[{ number: 1 }], [{ number: 1 }], [{ number: 1 }]])
  })
})
