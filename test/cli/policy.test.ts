import { mkdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { changeEndpoint } from '../../src/demo/edits.ts'
import type { Report } from '../../src/model/report.ts'
import { openCliFixture } from './cli-fixture.ts'
import { refusal } from './refusal.ts'
import { command } from './run-in-process.ts'
import { openDirectory } from './start-process.ts'

const custom = (assert: string) => `
custom:
  - id: acme/short-names
    kind: endpoint
    assert: ${JSON.stringify(assert)}
    severity: high
    message: 'the name {resource.name} is long'
    remediation: Find a shorter one.
    controls: [soc2:CC8.1]
`

const small = { projects: 1, endpointsPerProject: 2 }

/** A directory with a policy. */
function openPolicy(policy: string, more: Readonly<Record<string, string>> = {}) {
  const directory = openDirectory()
  for (const [name, text] of Object.entries({ 'policy.yaml': policy, ...more })) directory.write(name, text)
  return {
    ...directory,
    run: (line: string) => command(`policy ${line}`, { cwd: directory.path }),
    json: async (line: string) =>
      JSON.parse((await command(`policy ${line} --format json`, { cwd: directory.path })).stdout),
    [Symbol.dispose]: () => directory[Symbol.dispose](),
  }
}

describe('hookdrift policy check', () => {
  it('describes a policy', async () => {
    using policy = openPolicy(`extends: [tls]${custom('true')}rules: { service/url-not-https: off }\n`)
    const { code, stdout } = await policy.run('check policy.yaml')
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(
        /^policy\.yaml is valid: \d+ rules \(1 of its own\), 0 overrides, 0 waivers, 0 probes, 0 tests\.\n$/,
      ),
    ])
    const json = await policy.json('check policy.yaml')
    expect(json).toMatchObject({ schema: 'hookdrift.policy-check/2', rows: [{ custom: 1, tests: 0 }] })
  })

  it('lists all mistakes in the policy and in its tests, and exits with 2', async () => {
    using policy = openPolicy('rules:\n  endpoint/inactiv: off\n  endpoint/orphan: bad\n')
    expect(await policy.run('check policy.yaml')).toEqual(refusal(/policy\.yaml:2:3: .*\n.*policy\.yaml:3:20: /))
    using tested = openPolicy('extends: [tls]\n', {
      'policy.test.yaml':
        'tests:\n  - { name: n, resources: [{ kind: endpoint }], expect: [{ rule: endpoint/url-not-http }] }\n',
    })
    expect(await tested.run('check policy.yaml')).toMatchObject(
      refusal(
        'policy.test.yaml:2:58: there is no rule `endpoint/url-not-http`, did you mean `endpoint/url-not-https`?',
      ),
    )
  })

  it.each(['nowhere.yaml', '.'])('exits with 2 where there is no file: %s', async (file) => {
    using policy = openPolicy('extends: []\n')
    expect(await policy.run(`check ${file}`)).toMatchObject(
      refusal(/cannot read the policy .*\n {2}correct the path: on the command line, or/),
    )
  })

  it('says how to name a policy where no configuration does', async () => {
    using policy = openPolicy('extends: []\n')
    expect(await policy.run('check')).toMatchObject(
      refusal(/name the policy with `hookdrift policy check FILE`, or another configuration/),
    )
    policy.write('hookdrift.yaml', 'services: []\n')
    expect(await policy.run('test')).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'hookdrift: hookdrift.yaml names no policy: the pack `recommended` applies\n' +
        '  name a policy in it, or with `hookdrift policy test --policy FILE`\n',
    })
  })
})

describe('hookdrift policy test', () => {
  it('finds the policy of the configuration without a key', async () => {
    const services = `services: [{ name: acme, url: "http://a.example", key: "\${NOT_SET}", projects: [{ id: P1 }] }]`
    const test = '{ name: nothing, resources: [{ kind: endpoint, uid: e1 }], expect: [] }'
    using policy = openPolicy(`extends: [tls]\ntests: [${test}]\n`, {
      'hookdrift.yaml': `policy: ./policy.yaml\n${services}\n`,
    })
    expect(await policy.run('test')).toEqual({ code: 0, stdout: '1 test, all passed.\n', stderr: '' })
    expect(await policy.run('check')).toMatchObject({ code: 0, stderr: '' })
  })

  const test = (expected: string) =>
    `tests:\n  - name: sees plain http\n    resources: [{ kind: endpoint, uid: e1, url: http://a.receiver.acme }]\n    expect: ${expected}\n`

  it('passes when results are as expected, wherever the tests are', async () => {
    const said = test('[{ rule: endpoint/url-not-https }]')
    using policy = openPolicy(`extends: [tls]\n${said.replace('tests:', 'tests:\n  - ./more/other.yaml')}`, {
      'policy.test.yaml': said,
    })
    policy.write('other.yaml', said)
    expect(await policy.run('test --policy policy.yaml')).toMatchObject(
      refusal(/cannot read the tests .*more\/other\.yaml/),
    )
    policy.write('policy.yaml', `extends: [tls]\n${said.replace('tests:', 'tests:\n  - ./other.yaml')}`)
    const { code, stdout } = await policy.run('test --policy policy.yaml')
    expect([code, stdout]).toEqual([0, '3 tests, all passed.\n'])
  })

  it('names each difference with its place, and exits with 1', async () => {
    using policy = openPolicy('extends: [tls]\n', { 'policy.test.yaml': test('[{ rule: source/queue-plaintext }]') })
    const { code, stdout } = await policy.run('test --policy policy.yaml')
    expect(code).toBe(1)
    expect(stdout.replaceAll(`${policy.path}/`, '')).toMatchInlineSnapshot(`
      "policy.test.yaml:4:14: in "sees plain http": expected a violation of source/queue-plaintext, found none
      policy.test.yaml:4:13: in "sees plain http": not expected: high endpoint/url-not-https at e1/url: delivers to a.receiver.acme over plain http

      1 test, 1 failed.
      "
    `)
    const json = await policy.json('test --policy policy.yaml')
    expect(json.rows).toMatchObject([{ name: 'sees plain http', ok: false, problems: [{ line: 4 }, { line: 4 }] }])
  })

  it('shows a test that fails after many that pass, and says what a limit leaves out', async () => {
    const one = (name: string, expected: string) =>
      `  - { name: ${name}, resources: [{ kind: endpoint }], expect: [${expected}] }\n`
    const passing = Array.from({ length: 100 }, (_, index) => one(`t${index}`, '')).join('')
    const failing = one('last', '{ rule: endpoint/url-not-https }')
    using policy = openPolicy('extends: [tls]\n', { 'policy.test.yaml': `tests:\n${passing}${failing}` })
    const all = await policy.run('test --policy policy.yaml')
    expect([all.code, all.stdout]).toEqual([1, expect.stringContaining('in "last": expected a violation of')])
    const first = await policy.run('test --policy policy.yaml --limit 1 --format json')
    expect([first.code, JSON.parse(first.stdout)]).toMatchObject([1, { rows: [{ name: 't0' }], omitted: 100 }])
  })

  it('exits with 2 for a policy whose tests cannot be read, as `policy check` and `doctor --offline` do', async () => {
    using policy = openPolicy('extends: [tls]\n')
    mkdirSync(policy.file('policy.test.yaml'))
    for (const line of ['test --policy', 'check']) {
      expect(await policy.run(`${line} policy.yaml`)).toMatchObject(
        refusal(/cannot read the tests .*policy\.test\.yaml: it is a directory\n {2}its name/),
      )
    }
  })

  it('says that a policy has no tests', async () => {
    using policy = openPolicy('extends: [tls]\n')
    expect(await policy.run('test --policy policy.yaml')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^The policy has no tests: /),
      stderr: '',
    })
  })
})

describe('a policy with rules of its own', () => {
  it('is evaluated and explained, and what it cannot evaluate is unknown and noted', async () => {
    await using cli = await openCliFixture(small, 'policy: ./policy.yaml\n')
    const { directory, run: hookdrift } = cli
    const audit = async (policy: string): Promise<Report> => {
      directory.write('policy.yaml', policy)
      const { stdout, stderr } = await hookdrift('audit --format json')
      if (stdout === '') throw new Error(stderr)
      return JSON.parse(stdout)
    }
    const states = ({ violations }: Report) => violations.map(({ rule, state }) => `${rule} ${state}`)

    const found = await audit(`extends: []${custom('size(resource.name) < 3')}`)
    expect(states(found)).toEqual(['acme/short-names opened', 'acme/short-names opened'])
    expect(found.verdict.exit_code).toBe(1)
    expect(found.rules).toMatchObject([
      { id: 'acme/short-names', remediation: 'Find a shorter one.', controls: expect.arrayContaining(['soc2:CC8.1']) },
    ])
    const [{ uid: long } = { uid: '' }] = found.violations
    expect(await hookdrift(`restore ${long} --rule acme/short-names`)).toMatchObject({
      code: 2,
      // No page of hookdrift is about a rule of the policy.
      stderr: expect.stringContaining('its `remediation` in the policy says how to fix it'),
    })

    const failing = await audit(`extends: []${custom("age('never') > days(1)")}`)
    expect(states(failing)).toEqual(['acme/short-names unknown', 'acme/short-names unknown'])
    expect(failing.notices.map(({ text }) => text)).toEqual([
      expect.stringMatching(
        /^the custom rule acme\/short-names could not evaluate everything, so it may have missed violations: endpoint \S+: age: not a time$/,
      ),
    ])
    expect(failing.verdict.exit_code).toBe(0)

    const { uid } = cli.endpoint()
    const override = `overrides: [{ match: { uid: ${uid} }, rules: { acme/short-names: low } }]\n`
    directory.write('policy.yaml', `extends: [tls]${custom('size(resource.name) < 3')}${override}`)
    const { code, stdout } = await hookdrift(`policy explain ${uid} acme/short-names`)
    expect(code).toBe(0)
    expect(stdout.replaceAll(`${directory.path}/`, '').split('\n').slice(2, 6)).toEqual([
      'acme/short-names is on, low',
      expect.stringMatching(/^layer /),
      expect.stringMatching(/^custom +high +policy\.yaml:3:9$/),
      expect.stringMatching(/^override +low +policy\.yaml:10:\d+ +decides$/),
    ])
    expect((await cli.json(`policy explain ${uid}`)).rows).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ rule: 'acme/short-names', severity: 'low' }),
        expect.objectContaining({ rule: 'endpoint/url-not-https', severity: 'high' }),
        expect.objectContaining({
          rule: 'endpoint/orphan',
          severity: 'off',
          layers: [expect.objectContaining({ layer: 'catalogue', severity: 'low' })],
        }),
      ]),
    )
    expect(await hookdrift('policy explain no-such-resource')).toMatchObject(
      refusal('has no resource "no-such-resource"'),
    )
    expect(await hookdrift(`policy explain ${uid} acme/short-name`)).toMatchObject(
      refusal('did you mean acme/short-names?'),
    )
  })
})

describe('a policy with change windows', () => {
  // One of them is always open.
  const windows = `windows:
  - { name: even, cron: '0 * * * *', duration: 59m, ticket: CHG-4711 }
  - { name: odd, cron: '30 * * * *', timezone: Europe/Berlin, duration: 59m, projects: [acme/*] }
  - { name: other, cron: '0 3 * * SUN', duration: 2h, projects: [other/*] }
`

  it('is checked and explained, and what follows from a change within one passes --fail-on new', async () => {
    await using cli = await openCliFixture(small, 'policy: ./policy.yaml\n')
    const { directory, run: hookdrift } = cli
    const rules = 'extends: []\nrules: { drift/url-host-changed: {}, drift/outside-window: {} }\n'
    directory.write('policy.yaml', `${rules}${windows}`)
    const { uid } = cli.endpoint()
    const change = (url: string) => changeEndpoint(cli.fleet, cli.endpoint(), (row) => ({ ...row, url }))
    expect((await hookdrift('audit --fail-on new')).code).toBe(0)
    change('https://one.example.net/in')
    const within = await hookdrift('audit --fail-on new')
    expect([within.code, within.stdout]).toEqual([0, expect.stringContaining('1 change (in a change window)')])
    expect((await hookdrift('audit --fail-on medium')).code).toBe(1)

    const { stdout } = await hookdrift(`policy explain ${uid} drift/outside-window`)
    expect(stdout.split('\n').filter((line) => line.startsWith('Change window'))).toEqual([
      'Change window even: 0 * * * * (UTC), open for 59m (CHG-4711)',
      'Change window odd: 30 * * * * (Europe/Berlin), open for 59m',
    ])
    const json = await cli.json(`policy explain ${uid}`)
    expect(json.windows).toEqual([
      { name: 'even', cron: '0 * * * *', timezone: 'UTC', duration: '59m', ticket: 'CHG-4711' },
      { name: 'odd', cron: '30 * * * *', timezone: 'Europe/Berlin', duration: '59m' },
    ])
    expect((await hookdrift(`policy check ${directory.file('policy.yaml')}`)).stdout).toMatch(/, 3 change\swindows, /)

    directory.write('policy.yaml', `${rules}windows: [{ name: leap, cron: '0 3 29 2 *', duration: 1h }]\n`)
    change('https://two.example.org/in')
    const outside = await hookdrift('audit --fail-on new')
    expect([outside.code, outside.stdout]).toEqual([1, expect.stringContaining('outside every change window')])
  })
})

it('explains by the labels of the last scan of a project, also after a run of others', async () => {
  await using cli = await openCliFixture({}, 'policy: ./policy.yaml\n')
  cli.configure((text) => text.replaceAll(/(- \{ id: [^}]*) \}/g, '$1, labels: { env: dev } }'))
  cli.directory.write(
    'policy.yaml',
    'extends: [tls]\noverrides: [{ match: { labels: { env: dev } }, rules: { endpoint/url-not-https: off } }]\n',
  )
  await cli.audit()
  await cli.audit(`--project acme/${cli.fleet.projects()[1]?.name}`)
  const { stdout } = await cli.run(`policy explain ${cli.endpoint().uid} endpoint/url-not-https`)
  expect(stdout).toContain('endpoint/url-not-https is off')
})
