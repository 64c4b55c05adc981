// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of the configuration
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { generateFleet } from '../../src/demo/generate-fleet.ts'
import { startSimulatedService } from '../../src/demo/simulated-service.ts'
import { openCliFixture } from './cli-fixture.ts'
import { refusal } from './refusal.ts'
import { command } from './run-in-process.ts'
import { openDirectory } from './start-process.ts'

const directory = openDirectory()
afterAll(() => directory[Symbol.dispose]())
/** In its directory, which the names of files are relative to. */
async function run(line: string, env: Readonly<Record<string, string>> = {}, cwd = directory.path) {
  const before = process.cwd()
  process.chdir(cwd)
  try {
    return await command(line, { cwd, env })
  } finally {
    process.chdir(before)
  }
}

const secrets = { ACME_KEY: 'not-a-real-key-1', HOOK_SECRET: `whsec_${'c2VjcmV0'.repeat(4)}`, SEAL: 's'.repeat(40) }
const written = {
  literal: 'not-a-real-key-2',
  header: 'not-a-real-header',
  url: 'https://hook.example/not-a-real-path',
}

beforeAll(() => {
  directory.write('policy.yaml', 'extends: [recommended]\n')
  directory.write('ends.yaml', 'rules: { endpoint/secret-waek: off }\n')
  directory.write(
    'hookdrift.yaml',
    `policy: ./policy.yaml
seal_key: \${SEAL}
services:
  - name: acme
    url: https://hooks.example.com/\${ACME_KEY}
    key: \${ACME_KEY}
    page_size: 200
    dialect: { headers: { x-token: ${written.header} } }
    projects:
      - { id: P1, name: payments, labels: { env: prod } }
      - { id: P2, key: ${written.literal} }
notify:
  - { name: hook, type: webhook, url: ${written.url}, secret: "\${HOOK_SECRET}" }
  - { name: files, type: directory, path: ./out }
`,
  )
})

describe('hookdrift doctor --offline', () => {
  it.each([
    ['of the service', { HTTPS_PROXY: 'http://proxy.invalid:1', NO_PROXY: '10.0.0.0/8 10.0.0.0/33' }],
    ['of a channel', { https_proxy: 'http://proxy.invalid:1', no_proxy: '10.0.0.0/33' }],
  ])('finds what is not understood in NO_PROXY, once, where a proxy is named for the address %s', async (_, env) => {
    const { code, stdout, stderr } = await run('doctor --offline', { ...secrets, ...env })
    expect([code, stderr]).toEqual([2, ''])
    const faults = stdout.match(
      /environment: (NO_PROXY|no_proxy) has an entry that is not understood: "10\.0\.0\.0\/33"/g,
    )
    expect(faults).toHaveLength(1)
    const other = { ...secrets, HTTP_PROXY: 'http://proxy.invalid:1', NO_PROXY: '10.0.0.0/33' }
    expect((await run('doctor --offline', other)).code).toBe(0)
  })

  it('finds no fault where there is none', async () => {
    const { code, stdout } = await run('doctor --offline', secrets)
    expect(code).toBe(0)
    expect(stdout).toContain('hookdrift.yaml is valid: 1 service, 2 projects, 0 schedules, 2 channels.')
    expect(stdout).toMatch(/policy\.yaml is valid: \d+ rules, 0 overrides, 0 waivers, 0 probes,\s0 tests\.\n$/)
    expect(stdout).toContain('warning: hookdrift.yaml:11:24: the file contains a secret')
  })

  it('finds the faults of all files at once, also where secrets are missing', async () => {
    directory.write(
      'wrong.yaml',
      'policy: ./ends.yaml\nservices: [{ name: a, url: hooks, key: "${KEY}", projects: [{ id: b }] }]\nschedule: []\n',
    )
    const { code, stdout } = await run('doctor --offline -c wrong.yaml -f json')
    expect(code).toBe(2)
    const { ok, rows } = JSON.parse(stdout)
    expect({ ok, rows }).toEqual({
      ok: false,
      rows: [
        {
          file: 'wrong.yaml',
          kind: 'configuration',
          warnings: [],
          about: '',
          faults: [
            'wrong.yaml:2:28: url is "hooks", expected an http or https URL without user, password, query or fragment',
            'wrong.yaml:2:40: the environment variable KEY is not set',
            'wrong.yaml:3:1: `schedule` is unknown, did you mean `schedules`?',
          ],
        },
        {
          file: directory.file('ends.yaml'),
          kind: 'policy',
          warnings: [],
          about: '',
          faults: [expect.stringContaining('`endpoint/secret-waek` is unknown, did you mean `endpoint/secret-weak`?')],
        },
      ],
    })
  })

  it.each([
    ['[{ id: P1, name: payments }]', ['overrides.yaml:4: the override is for no project that is there']],
    ['[{ id: P1, name: payments, labels: { env: prod } }, { id: P2, name: orders }]', []],
    ['all', []],
  ])('warns of an override of the policy that is for none of the projects %s', async (projects, expected) => {
    directory.write(
      'overrides.yaml',
      `extends: [shared.yaml]
overrides:
  - match: { labels: { env: prod } }
    rules: { endpoint/inactive: critical }
  - match: { project: acme/payments }
    rules: { endpoint/inactive: critical }
`,
    )
    directory.write('shared.yaml', 'overrides: [{ match: { project: other/* }, rules: { endpoint/inactive: low } }]\n')
    const service = `{ name: acme, url: "https://hooks.example.com", key: "\${ACME_KEY}", projects: ${projects} }`
    directory.write('overridden.yaml', `policy: ./overrides.yaml\nservices: [${service}]\n`)
    const { stdout } = await run('doctor --offline -c overridden.yaml -f json', secrets)
    expect(JSON.parse(stdout).rows[1]).toMatchObject({ kind: 'policy', faults: [], warnings: expected })
  })

  it('says of a list, as of the last run, what names a project that is not there, until one made anew has its name', async () => {
    await using cli = await openCliFixture({ projects: 2 })
    const soon = new Date(Date.now() + 30 * 24 * 3_600_000).toISOString().slice(0, 10)
    const [payments] = cli.fleet.projects()
    if (payments === undefined) throw new Error('the fleet has no project')
    cli.directory.write(
      'policy.yaml',
      `extends: [recommended]
overrides: [{ match: { project: "*/${payments.name}" }, rules: { endpoint/inactive: low } }]
waivers:
  - { rule: endpoint/*, match: { project: acme/${payments.name} }, owner: o, reason: r, expires: ${soon} }
`,
    )
    const schedules = `[{ name: nightly, cron: "0 3 * * *", projects: [acme/${payments.name}] }]`
    const notify = `[{ name: ops, type: log, projects: [${payments.name}, "acme/*"] }]`
    cli.directory.write(
      'hookdrift.yaml',
      `history: hookdrift.db
policy: policy.yaml
schedules: ${schedules}
notify: ${notify}
services: [{ name: acme, url: "${cli.service.url}", key: "\${ACME_KEY}", organisation: ${cli.fleet.organisationId}, projects: all }]
`,
    )
    const warnings = async () => {
      const { stdout } = await run('doctor --offline -f json', cli.env, cli.directory.path)
      return JSON.parse(stdout).rows.flatMap((row: { warnings: readonly string[] }) => row.warnings)
    }
    expect(await warnings()).toEqual([])
    await cli.audit()
    expect(await warnings()).toEqual([])
    cli.fleet.remove(payments.uid)
    cli.fleet.add({ ...payments, uid: '01MADEANEW0000000000000000', key: 'CO.another' })
    await cli.audit()
    const said = [
      `the schedule nightly (acme/${payments.name}) is for no project that is there`,
      `the channel ops (${payments.name}) is for no project that is there`,
      'policy.yaml:2: the override is for no project that is there',
      'policy.yaml:4: the waiver is for no project that is there',
    ]
    expect(await warnings()).toEqual(said)
    expect(
      await cli.run(['accept', 'project/vanished', payments.name, '--reason', 'made anew', '--by', 'kim']),
    ).toMatchObject({ code: 0 })
    await cli.audit()
    expect(await warnings()).toEqual(said)
    await cli.audit()
    expect(await warnings()).toEqual([])
    expect((await cli.audit(`--project acme/${payments.name}`)).stderr).not.toContain('matches none')
  })

  it.each([
    ['projects: all', '1 service, listed projects, 0 schedules'],
    ['projects: [{ id: P1 }, { match: "eu-*" }]', '1 service, 1 project and listed ones, 0 schedules'],
  ])('says which projects are listed by a service: %s', async (projects, about) => {
    directory.write(
      'listed.yaml',
      `services: [{ name: a, url: https://a.example, organisation: O, key: k, ${projects} }]\n`,
    )
    const { code, stdout } = await run('doctor --offline -c listed.yaml --no-secrets')
    expect(code).toBe(0)
    expect(stdout).toContain(`listed.yaml is valid: ${about}`)
  })

  it('needs no secrets with --no-secrets', async () => {
    // It is a part of the URL, too, which is not a secret.
    const env = { ACME_KEY: secrets.ACME_KEY }
    expect((await run('doctor --offline', env)).code).toBe(2)
    expect((await run('doctor --offline --no-secrets', env)).code).toBe(0)
  })

  it('checks the tests of a policy', async () => {
    directory.write('tested.yaml', 'tests: [{ name: t, resources: [{ kind: endpoint, urll: x }], expect: [] }]\n')
    directory.write(
      'tested-config.yaml',
      'policy: tested.yaml\nservices: [{ name: a, url: https://a.example, key: "${K}", projects: [{ id: b }] }]\n',
    )
    const { code, stdout } = await run('doctor --offline -c tested-config.yaml --no-secrets')
    expect(code).toBe(2)
    expect(stdout).toMatch(/tests of .*tested\.yaml has 1 fault:\n {2}.*tested\.yaml:1:\d+: .*urll/)
  })

  it('says how to begin where there is no configuration', async () => {
    using empty = openDirectory()
    expect(await run('doctor --offline', {}, empty.path)).toEqual(refusal('set HOOKDRIFT_URL and HOOKDRIFT_KEY'))
  })

  it('names the environment where the variables in place of a file are faulty', async () => {
    using empty = openDirectory()
    const env = { HOOKDRIFT_URL: 'https://a.example', HOOKDRIFT_KEY: 'k' }
    const { code, stdout } = await run('doctor --offline', env, empty.path)
    expect([code, stdout]).toEqual([
      2,
      expect.stringMatching(/^the environment has 1 fault:\n {2}HOOKDRIFT_ORGANISATION/),
    ])
  })
})

describe('hookdrift config show of a credential', () => {
  const credential = ['ghp', 'wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO2pINUx'].join('_')
  it.each([
    ['the URL of a service', (text: string) => ({ url: `https://hooks.example.com/${text}/x` })],
    ['the end of that URL', (text: string) => ({ url: `https://hooks.example.com/${text}`, key: '${ACME_KEY}' })],
    ['the URL of reports', (text: string) => ({ before: `report_url: "https://ci.example.com/${text}/{run}"` })],
    ['the path of the history', (text: string) => ({ before: `history: ./${text}/hookdrift.db` })],
    ['a label', (text: string) => ({ labels: `{ team: ${text} }` })],
    ['the name of the company', (text: string) => ({ before: `company: ${text}` })],
  ])('masks one in %s', async (_, partsOf) => {
    const write = (text: string) => {
      const {
        before = '',
        url = 'https://hooks.example.com',
        key = '${ACME_KEY}',
        labels = '{}',
      } = partsOf(text) as Record<string, string>
      const service = `{ name: acme, url: "${url}", key: "${key}", projects: [{ id: P1, name: payments, labels: ${labels} }] }`
      directory.write('credential.yaml', `${before}\nservices: [${service}]\n`)
    }
    for (const format of ['text', 'json', 'yaml']) {
      write(credential)
      const { code, stdout } = await run(`config show -c credential.yaml -f ${format}`, secrets)
      expect([code, stdout.includes(credential)]).toEqual([0, false])
      expect(stdout).toContain('sealed:masked')
    }
  })
})

describe('hookdrift config show', () => {
  const all = { ...secrets, HOOKDRIFT_HISTORY: '/var/lib/h.db' }
  const rowsOf = async (line = '', env: Readonly<Record<string, string>> = all) => {
    const { stdout } = await run(`config show -f json ${line}`, env)
    return new Map<string, object>(JSON.parse(stdout).rows.map((row: { path: string }) => [row.path, row]))
  }
  const plain = { reference: null, secret: false, set: true }

  it('says of each value where it comes from', async () => {
    const rows = await rowsOf()
    const of = (path: string) => rows.get(path)
    expect(of('history')).toEqual({
      ...plain,
      path: 'history',
      value: '/var/lib/h.db',
      source: 'environment',
      at: 'HOOKDRIFT_HISTORY',
    })
    expect(of('services[0].page_size')).toEqual({
      ...plain,
      path: 'services[0].page_size',
      value: 200,
      source: 'file',
      at: 'hookdrift.yaml:7:16',
    })
    expect(of('services[0].limits.retry_budget')).toEqual({
      ...plain,
      path: 'services[0].limits.retry_budget',
      value: '60s',
      source: 'default',
      at: null,
    })
    expect(of('notify[1].keep')).toMatchObject({ value: 90, source: 'default' })
    expect(of('services[0].projects[0].labels.env')).toMatchObject({ value: 'prod', source: 'file' })
    expect((await rowsOf('--history x.db')).get('history')).toMatchObject({
      value: 'x.db',
      source: 'option',
      at: '--history',
    })
  })

  it('says of secrets only whether they are set, and where', async () => {
    const rows = await rowsOf()
    const secret = { value: null, secret: true, set: true }
    expect(rows.get('services[0].key')).toMatchObject({
      ...secret,
      at: 'hookdrift.yaml:6:10',
      reference: '${ACME_KEY}',
    })
    expect(rows.get('services[0].projects[1].key')).toMatchObject({ ...secret, reference: null })
    expect(rows.get('seal_key')).toMatchObject({ ...secret, reference: '${SEAL}' })
    expect(rows.get('notify[0].url')).toMatchObject(secret)
    const unset = await rowsOf('', { ACME_KEY: secrets.ACME_KEY, HOOKDRIFT_SEAL_KEY: 'x'.repeat(40) })
    expect(unset.get('notify[0].secret')).toMatchObject({ ...secret, set: false })
    expect(unset.get('seal_key')).toMatchObject({ ...secret, source: 'environment', at: 'HOOKDRIFT_SEAL_KEY' })
  })

  it.each([['text'], ['json'], ['yaml'], ['csv']])('prints no secret as %s', async (format) => {
    const { code, stdout, stderr } = await run(`config show -f ${format}`, all)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('hooks.example.com')
    const values = [...Object.values(secrets), ...Object.values(written)]
    expect(values.filter((value) => stdout.includes(value))).toEqual([])
  })

  it('writes a configuration as yaml, with every default', async () => {
    const { stdout } = await run('config show -f yaml', all)
    expect(parse(stdout)).toMatchObject({
      policy: './policy.yaml',
      concurrency: 4,
      run_timeout: '1h',
      seal_key: '${SEAL}',
      services: [{ name: 'acme', key: '${ACME_KEY}', projects: [{ id: 'P1' }, { id: 'P2', key: '(not shown)' }] }],
    })
    expect(stdout).toContain('concurrency: 4 # default\n')
    expect(stdout).toContain('page_size: 200 # hookdrift.yaml:7:16\n')
  })

  it('writes a text of the file that is not a reference so that it can be read back', async () => {
    const projects = '[{ id: P1, labels: { env: "a$${B}c", two: "${TWO:-x}" } }]'
    const file = `services: [{ name: a, url: "https://a.example", key: "\${KEY}", projects: ${projects} }]\nhistory: h.db\n`
    directory.write('literal.yaml', file)
    const shown = await run('config show -c literal.yaml -f yaml')
    directory.write('again.yaml', shown.stdout)
    for (const name of ['literal.yaml', 'again.yaml']) {
      const { stdout } = await run(`config show -c ${name} -f json`)
      const rows: { path: string; value: string; reference: string | null }[] = JSON.parse(stdout).rows
      const row = rows.find(({ path }) => path === 'services[0].projects[0].labels.env')
      expect(row).toMatchObject({ value: 'a${B}c', reference: null })
    }
  })
})

describe('hookdrift config schema', () => {
  it.each([
    ['', 'hookdrift.schema.json'],
    ['--policy', 'policy.schema.json'],
    ['--policy-tests', 'policy-tests.schema.json'],
    ['--framework', 'framework.schema.json'],
  ])('prints the schema for editors, or its path: %s', async (option, file) => {
    const { stdout } = await run(`config schema ${option}`)
    const { stdout: path } = await run(`config schema ${option} --path`)
    expect(path.trimEnd()).toBe(join(import.meta.dirname, '../../config', file))
    expect(stdout).toBe(readFileSync(path.trimEnd(), 'utf8'))
  })
})

describe('an audit without a file', () => {
  it('takes all from the environment, or the URL from its option', async () => {
    using own = openDirectory()
    const fleet = generateFleet({ projects: 2, endpointsPerProject: 2 })
    await using service = await startSimulatedService(fleet)
    const [first, second] = fleet.projects().map(({ uid }) => uid)
    const env = { HOOKDRIFT_KEY: fleet.personalKey, HOOKDRIFT_PROJECTS: `pay=${first},${second}` }
    const quiet = 'audit -f json --fail-on never'
    const asked = await run(quiet, { ...env, HOOKDRIFT_URL: service.url }, own.path)
    expect({ code: asked.code, stderr: asked.stderr }).toEqual({ code: 0, stderr: '' })
    const { evaluated, coverage } = JSON.parse(asked.stdout)
    expect(new Set(coverage.map(({ project }: { project: string }) => project))).toEqual(
      new Set(['127.0.0.1/pay', `127.0.0.1/${second}`]),
    )
    expect(JSON.stringify(evaluated ?? '')).not.toContain('hookdrift.yaml')
    expect(existsSync(own.file('hookdrift.db'))).toBe(true)

    const again = await run(`${quiet} --url ${service.url}`, env, own.path)
    expect(again.code).toBe(0)
    expect((await run('runs -f json', { HOOKDRIFT_URL: service.url }, own.path)).stdout).toContain('"number": 2')
  })

  it.each([
    ['audit --url https://a.example', '--url runs without a file, and hookdrift.yaml is here'],
    [
      'audit --url https://a.example -c x.yaml',
      "option '--url <url>' cannot be used with option '-c, --config <file>'",
    ],
    ['audit -c missing.yaml', 'cannot read the configuration missing.yaml'],
    ['runs -c missing.yaml', 'cannot read the configuration'],
  ])('is not taken for what a file says: %s', async (line, message) => {
    expect(await run(line, { HOOKDRIFT_URL: 'https://a.example', HOOKDRIFT_KEY: 'k' })).toEqual(refusal(message))
  })
})
