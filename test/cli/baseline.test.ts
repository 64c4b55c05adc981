import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { hostname, userInfo } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  changeData,
  changeEndpoint,
  createEndpoint,
  deleteEndpoint,
  deleteSubscription,
  setEndpointStatus,
} from '../../src/demo/edits.ts'
import { at } from '../audit/fleet-fixture.ts'
import { breakOne, type CliFixture, openCliFixture } from './cli-fixture.ts'
import { refusal } from './refusal.ts'
import { typeKeys } from './type-keys.ts'

const baseline = (cli: CliFixture, line: string) => cli.run(`baseline ${line}`)

/** Only rules about the approved baseline are on. */
async function aDesk() {
  const cli = await openCliFixture({}, 'policy: ./policy.yaml\n')
  cli.directory.write('policy.yaml', 'extends: []\nrules: { drift/unexpected: {} }\n')
  return cli
}

const answerOf = (cli: CliFixture, line: string) => cli.json(`baseline ${line}`)
const rowsOf = async (cli: CliFixture, line: string) => (await answerOf(cli, line)).rows

describe('hookdrift baseline', () => {
  it('and diff say which secrets they cannot compare, where another installation key sealed them', async () => {
    await using cli = await aDesk()
    await cli.audit()
    await baseline(cli, 'approve')
    await cli.audit('', { env: { HOOKDRIFT_SEAL_KEY: 'not-a-real-key-not-a-real-key-not-a-real-key' } })
    const sentence = 'acme/orders: secrets of 5 endpoints not compared: sealed by different keys or versions.\n'
    expect((await baseline(cli, 'diff')).stdout).toContain(sentence)
    expect((await answerOf(cli, 'diff')).secrets_not_compared).toContainEqual({
      project: 'acme/orders',
      kind: 'endpoint',
      resources: 5,
    })
    expect((await cli.run('diff 1')).stdout).toContain(sentence)
    const { secrets_not_compared } = await cli.json('diff 1')
    expect(secrets_not_compared).toContainEqual({ project: 'acme/orders', kind: 'endpoint', resources: 5 })
  })

  it('names a project as it is called now', async () => {
    await using cli = await aDesk()
    await cli.audit()
    await baseline(cli, 'approve')
    cli.configure((text) => text.replace('name: orders', 'name: sales'))
    breakOne(cli)
    await cli.audit()
    const projects = async (line: string) => (await rowsOf(cli, line)).map(({ project }) => project)
    expect(await projects('show')).toEqual(['acme/payments', 'acme/sales'])
    const first = await answerOf(cli, 'show --limit 1')
    expect([first.rows.length, first.omitted]).toEqual([1, 1])
    const project = at(cli.fleet.projects(), 0).name === 'orders' ? 'acme/sales' : 'acme/payments'
    expect(await projects('diff')).toEqual([project])
    expect((await baseline(cli, 'revoke --project acme/orders')).code).toBe(2)
    expect((await baseline(cli, 'revoke --project acme/sales')).stdout).toBe('Revoked the baseline of acme/sales.\n')
  })

  it('approves, shows, compares and revokes, with who and when', async () => {
    await using cli = await aDesk()
    await cli.audit()
    const approved = await baseline(cli, 'approve --by lee --note reviewed')
    expect(approved).toEqual({
      code: 0,
      stdout: 'Approved the state of run 1: acme/orders, acme/payments.\n',
      stderr: '',
    })
    expect((await baseline(cli, 'diff')).stdout).toContain(
      'Nothing differs from the approved baseline in what was scanned; the rest is unknown.',
    )
    breakOne(cli)
    expect((await cli.audit()).code).toBe(1)
    expect((await cli.audit()).code).toBe(1)
    const [row, ...others] = await rowsOf(cli, 'diff')
    expect(others).toEqual([])
    expect(row).toMatchObject({
      kind: 'endpoint',
      change: 'modified',
      fields: [{ path: '/status', before: 'active', after: 'inactive' }],
    })
    const { project } = row
    expect((await baseline(cli, `revoke --project ${project} --by kim`)).stdout).toBe(
      `Revoked the baseline of ${project}.\n`,
    )
    expect((await cli.audit()).code).toBe(0)
    const shown = await rowsOf(cli, 'show --all')
    expect(shown.map((one) => [one.project === project, one.run, one.approved_by, one.note, one.state])).toEqual(
      shown.map((one) => [
        one.project === project,
        1,
        'lee',
        'reviewed',
        one.project === project ? 'revoked' : 'active',
      ]),
    )
    expect(shown.find((one) => one.project === project)).toMatchObject({ revoked_by: 'kim' })
    expect(await rowsOf(cli, 'show')).toHaveLength(1)
  })

  it('says what it ends before it does, the worst first, and needs a note where that is grave', async () => {
    await using cli = await openCliFixture({}, 'policy: ./policy.yaml\n')
    cli.directory.write(
      'policy.yaml',
      'extends: []\nrules: { drift/unexpected: {}, drift/url-host-changed: {}, endpoint/url-not-https: {} }\n',
    )
    await cli.audit()
    await baseline(cli, 'approve --by lee')
    const [project] = cli.fleet.projects()
    changeEndpoint(cli.fleet, cli.endpoint(), (row) => ({
      ...row,
      url: 'http://elsewhere.example.com/in',
      name: 'renamed',
    }))
    await cli.audit()
    const ends = [
      `This ends 2 violations with the next run: 1 high, 1 medium`,
      `  high      drift/url-host-changed  acme/${project?.name} endpoint "`,
      `  medium    drift/unexpected  acme/${project?.name} endpoint "`,
    ]
    const refused = await baseline(cli, 'approve')
    expect([refused.code, refused.stdout]).toEqual([2, ''])
    expect(refused.stderr).toMatch(/^hookdrift: nothing was approved: it ends violations \(1 high\), without a note\n/)
    for (const line of ends) expect(refused.stderr).toContain(line)
    expect((await rowsOf(cli, 'show')).map(({ run }) => run)).toEqual([1, 1])

    // What the older state does not have is not ended by approving it again.
    const older = await answerOf(cli, 'approve --run 1')
    expect(older.ends).toEqual([])
    const approved = await baseline(cli, "approve --note 'the receiver moved' --by eve --yes")
    expect([approved.code, approved.stderr]).toEqual([0, ''])
    for (const line of ends) expect(approved.stdout).toContain(line)
    expect(approved.stdout).toMatch(
      / at \/url\n {2}medium {4}.*"renamed" \w+\nApproved the state of run 2: acme\/payments\.\nConfirmed: .*: acme\/orders\.\n$/,
    )
    const report = await cli.json('audit')
    const ended = report.violations.map((one) => [one.resolution ?? one.state, one.rule].join(' '))
    expect(ended.sort()).toEqual([
      'accepted drift/unexpected',
      'accepted drift/url-host-changed',
      'continuing endpoint/url-not-https',
    ])
    const [, row] = await rowsOf(cli, 'show')
    expect(row).toMatchObject({
      approved_by: 'eve',
      os_user: `${userInfo().username} on ${hostname()}`,
      amendments: [],
    })
  })

  it('does not take for removed what a run before the approved one did not scan', async () => {
    await using cli = await aDesk()
    const [payments] = cli.fleet.projects()
    const { endpoints } = cli.fleet.open(payments?.uid ?? '')
    cli.service.faults.push({
      path: new RegExp(`${payments?.uid}/endpoints`),
      times: Number.POSITIVE_INFINITY,
      how: 'reset',
    })
    await cli.audit()
    cli.service.faults.length = 0
    await cli.audit()
    await baseline(cli, 'approve')
    const early = await baseline(cli, 'diff --run 1')
    expect(early.stdout).toContain(
      'Nothing differs from the approved baseline in what was scanned; the rest is unknown.',
    )
    expect(early.stdout).toContain(
      `acme/${payments?.name}: ${endpoints.length} endpoints not compared: not scanned by run 1.`,
    )
  })

  it('says that a filter which came after the approval leaves resources as they were last seen', async () => {
    await using cli = await aDesk()
    await cli.audit()
    await baseline(cli, 'approve')
    expect((await baseline(cli, 'diff')).stdout).toContain(
      'Nothing differs from the approved baseline in what was scanned; the rest is unknown.',
    )
    const { project } = cli.endpoint()
    const name = at(cli.fleet.open(project).endpoints, 0).name
    const filtered = `name: payments, filters: { endpoints: { name: ${name} } }`
    cli.configure((text) => text.replace('name: payments', filtered))
    await cli.audit()
    const { stdout } = await baseline(cli, 'diff')
    const sentence = `acme/payments: every endpoint outside of name=${name} is compared as it was last seen`
    expect(stdout.replaceAll('\n', ' ')).toContain(sentence)
    expect(stdout).toContain('in what was scanned; the rest is unknown.')
    const { narrowed } = await answerOf(cli, 'diff')
    expect(narrowed).toEqual([{ project: 'acme/payments', kind: 'endpoint', filter: `name=${name}` }])
  })

  it('does not compare a source that no scan sees since', async () => {
    await using cli = await openCliFixture({ projects: 1, incomingEvery: 1, sourcesPerProject: 5 })
    cli.service.behaviour.offers.sources = false
    await cli.audit()
    await baseline(cli, 'approve')
    const { project } = cli.endpoint()
    const { subscriptions } = cli.fleet.open(project)
    deleteSubscription(cli.fleet, { project, uid: at(subscriptions, 0).uid })
    await cli.audit()
    const { stdout } = await baseline(cli, 'diff')
    expect(stdout).toContain('acme/partner-intake: 1 source not compared: not scanned by run 2.')
    expect(stdout).toMatch(/1 change\n {2}- removed acme\/partner-intake subscription/)
  })

  it('lists of single resources only what their own approval ends', async () => {
    await using cli = await aDesk()
    await cli.audit()
    await baseline(cli, 'approve')
    const places = [cli.endpoint(0), cli.endpoint(1)]
    for (const place of places) setEndpointStatus(cli.fleet, place, 'inactive')
    await cli.audit()
    for (const { uid } of places) {
      const { ends } = await answerOf(cli, `approve --uid ${uid}`)
      expect(ends.map((one) => one.uid)).toEqual([uid])
    }
  })

  it('approves single resources, present, new or gone; the rest stays as it was approved', async () => {
    await using cli = await aDesk()
    await cli.audit()
    expect(await baseline(cli, 'approve --uid nothing')).toEqual(refusal('neither run 1 nor the approved baseline has'))
    const { uid: project = '', name } = cli.fleet.projects()[0] ?? {}
    const endpoints = cli.fleet.open(project).endpoints
    const [changed, other, gone] = [0, 1, 2].map((index) => at(endpoints, index).uid)
    expect(await baseline(cli, `approve --uid ${changed ?? ''}`)).toEqual(
      refusal(`acme/${name} has no approved baseline`),
    )
    await baseline(cli, 'approve')
    for (const uid of [changed, other]) setEndpointStatus(cli.fleet, { project, uid: uid ?? '' }, 'inactive')
    changeData(cli.fleet, project, (data) => ({ ...data, subscriptions: [] }))
    deleteEndpoint(cli.fleet, { project, uid: gone ?? '' })
    const came = createEndpoint(cli.fleet, project, { name: 'new', url: 'https://new.example.com' })
    const unexpected = async () => {
      const { violations } = await cli.json('audit --accept-removals')
      return violations
        .filter(({ kind }) => kind === 'endpoint')
        .map(({ uid, state, resolution }) => `${resolution ?? state} ${uid}`)
        .sort()
    }
    expect(await unexpected()).toEqual(
      [`opened ${changed}`, `opened ${came}`, `opened ${gone}`, `opened ${other}`].sort(),
    )
    const approved = await baseline(cli, `approve --uid ${changed} ${gone} ${came} --note agreed`)
    expect(approved.stdout.replaceAll('\n', ' ')).toContain(
      `Approved ${changed}, ${gone}, ${came} as of run 2: acme/${name}.`,
    )
    expect(approved.stdout).toContain('This ends 3 violations with the next run: 3 medium')
    expect(await unexpected()).toEqual(
      [`accepted ${changed}`, `accepted ${came}`, `accepted ${gone}`, `continuing ${other}`].sort(),
    )
    // Another change of what was amended is one from the amended state, and another amendment keeps the first.
    setEndpointStatus(cli.fleet, { project, uid: changed ?? '' }, 'paused')
    expect(await unexpected()).toEqual([`continuing ${other}`, `opened ${changed}`].sort())
    await baseline(cli, `approve --uid ${other ?? ''}`)
    expect(await unexpected()).toEqual([`accepted ${other}`, `continuing ${changed}`].sort())
    const rows = await rowsOf(cli, 'show')
    const row = rows.find((one) => one.project === `acme/${name}`)
    expect(row).toMatchObject({ run: 1, state: 'active' })
    expect(row.amendments.map(({ uid, run }: { uid: string; run: number }) => [uid, run]).sort()).toEqual(
      [
        [changed, 2],
        [gone, 2],
        [came, 2],
        [other, 4],
      ].sort(),
    )
    expect((await baseline(cli, 'show')).stdout).toContain('1 + 4 resources')
    expect((await baseline(cli, 'diff')).stdout.replaceAll('\n', ' ')).toContain(
      `acme/${name}: compared with run 1 and 4 single resources, last approved `,
    )
    const diff = await rowsOf(cli, 'diff')
    expect(diff.filter(({ kind }) => kind === 'endpoint').map(({ uid }) => uid)).toEqual([changed])
    const verified = await cli.run('verify --deep')
    expect(verified.code).toBe(0)
  })

  it('refuses to approve an incomplete scan, and names the gaps', async () => {
    await using cli = await aDesk()
    cli.service.failNext({ path: /\/endpoints/, page: 1, how: 'reset', times: 30 })
    await cli.audit()
    expect(await baseline(cli, 'approve')).toEqual(
      refusal(/^hookdrift: run 1 is incomplete and cannot be approved:\n {4}acme\/\w+ endpoints failed: /),
    )
    expect(await rowsOf(cli, 'show')).toEqual([])
  })

  it('refuses invalid arguments', async () => {
    await using cli = await aDesk()
    await cli.audit()
    const refused = async (line: string) => {
      const { code, stderr } = await baseline(cli, line)
      expect(code).toBe(2)
      return stderr.split('\n')[0]
    }
    expect(await refused('approve --run 7')).toMatch(/there is no committed run 7/)
    expect(await refused('approve --project zzz')).toMatch(/run 1 does not include these projects, only acme/)
    expect(await refused("approve --by ' '")).toBe('hookdrift: --by is empty')
    expect(await refused('diff')).toBe('hookdrift: no baseline is approved')
    expect(await refused('show --project zzz')).toMatch(/--project zzz matches none of acme/)
    expect((await baseline(cli, 'show --project orders')).stdout).toContain('No baseline of orders is approved: ')
    expect(await refused('revoke')).toBe('hookdrift: nothing to revoke')
    await baseline(cli, 'approve --project orders')
    const names = 'acme/orders, acme/payments'
    expect(await refused('show --project zzz')).toBe(`hookdrift: --project zzz matches none of ${names}`)
    await baseline(cli, 'revoke')
    expect(await refused('export states')).toMatch(/nothing to export/)
    expect(await refused('import nowhere')).toMatch(/cannot read the directory .*nowhere: no such file or directory/)
  })

  it('does not wait for a run under way', async () => {
    await using cli = await aDesk()
    await cli.audit()
    cli.service.behaviour.latencyMs = 150
    const before = cli.service.requests.length
    const running = cli.start('audit --quiet')
    while (cli.service.requests.length < before + 2) await new Promise((resolve) => setTimeout(resolve, 10))
    expect((await baseline(cli, 'approve')).code).toBe(5)
    expect((await running.ended).code).toBe(0)
  })
})

describe('states as files', () => {
  it('are the same for the same state, contain no secret, and can be read back', async () => {
    await using cli = await aDesk()
    await cli.audit()
    await baseline(cli, 'approve')
    const directory = cli.directory.file('states')
    const read = () => readdirSync(directory).map((name) => readFileSync(join(directory, name), 'utf8'))
    expect((await baseline(cli, 'export states')).stdout).toBe(
      'Wrote acme--orders.yaml, acme--payments.yaml to states.\n',
    )
    const first = read()
    mkdirSync(cli.directory.file('other/acme--orders.yaml'), { recursive: true })
    const failed = await baseline(cli, 'export other')
    expect(failed.code).toBe(4)
    expect(failed.stderr).toMatch(/^hookdrift: cannot write the state to .*acme--orders\.yaml: /)
    expect(failed.stderr).not.toContain('the run is committed')
    await cli.audit()
    await baseline(cli, 'approve --by other')
    await baseline(cli, 'export states')
    expect(read()).toEqual(first)
    // What is approved already, a file only confirms.
    expect((await baseline(cli, 'import states')).stdout).toContain('Confirmed: ')
    await baseline(cli, 'revoke')
    expect((await baseline(cli, 'import states')).stdout).toContain('Approved the states in states: ')
    expect((await rowsOf(cli, 'show')).map(({ run }) => run)).toEqual([null, null])
    await baseline(cli, 'export states')
    expect(read()).toEqual(first)
    expect(statSync(join(directory, 'acme--orders.yaml')).mode & 0o777).toBe(0o600)
    const secrets = cli.fleet.projects().flatMap(({ uid }) => {
      return cli.fleet.open(uid).endpoints.flatMap(({ secrets }) => (secrets ?? []).map(({ value }) => value))
    })
    expect(secrets.length).toBeGreaterThan(5)
    expect(secrets.filter((secret) => first.some((text) => text.includes(secret)))).toEqual([])
    expect((await cli.audit()).code).toBe(0)
    breakOne(cli)
    expect((await cli.audit()).code).toBe(1)
  })

  it('do not take for removed what no run of the history scanned', async () => {
    await using cli = await aDesk()
    await cli.audit()
    await baseline(cli, 'approve')
    await baseline(cli, 'export states')
    rmSync(cli.directory.file('hookdrift.db'))
    const [payments] = cli.fleet.projects()
    const path = new RegExp(`${payments?.uid}/endpoints`)
    cli.service.faults.push({ path, times: Number.POSITIVE_INFINITY, how: 'reset' })
    await cli.audit()
    await baseline(cli, 'import states --yes')
    const { stdout } = await baseline(cli, 'diff')
    expect(stdout).not.toContain('removed')
    const project = `acme/${payments?.name}`
    const sentence = `${project}: 5 endpoints not compared: not scanned by run 1.`
    expect(stdout).toContain(sentence)
    expect((await baseline(cli, 'diff --format csv')).stderr).toContain(`hookdrift: ${sentence}\n`)
    expect(await answerOf(cli, 'diff')).toMatchObject({
      rows: [],
      not_covered: [],
      not_scanned: [{ project, kind: 'endpoint', resources: 5 }],
      secrets_not_compared: [],
    })
  })

  it('are compared with by one audit, without an approval', async () => {
    await using cli = await aDesk()
    await cli.audit()
    await baseline(cli, 'approve')
    await baseline(cli, 'export states')
    await baseline(cli, 'revoke')
    breakOne(cli)
    const [project] = cli.fleet.projects()
    const came = createEndpoint(cli.fleet, project?.uid ?? '', { name: 'new', url: 'https://new.example.com' })
    await cli.audit()
    const { code, stdout } = await cli.audit('--expect states --format json')
    expect(code).toBe(1)
    const report = JSON.parse(stdout)
    expect(report.drift).toEqual([])
    expect(
      report.violations
        .map(({ rule, path, message }: { rule: string; path: string; message: string }) => [rule, path, message])
        .sort(),
    ).toEqual([
      [
        'drift/unexpected',
        '',
        '1 field differs from the approved baseline: /status is "inactive" (approved: "active")',
      ],
      ['drift/unexpected', '', 'added: the approved baseline does not have it'],
    ])
    expect(report.violations.some(({ uid }: { uid: string }) => uid === came)).toBe(true)
    expect((await cli.audit()).code).toBe(0)
    expect(await rowsOf(cli, 'show')).toEqual([])
  })

  it('compare no seals of another installation key, and the report says so', async () => {
    await using cli = await aDesk()
    await cli.audit()
    await baseline(cli, 'approve')
    await baseline(cli, 'export states')
    const env = { HOOKDRIFT_SEAL_KEY: 'not-a-real-key-not-a-real-key-not-a-real-key' }
    const { code, stdout } = await cli.audit('--expect states --format json', { env })
    expect(code).toBe(0)
    expect(JSON.parse(stdout).notices.map(({ text }: { text: string }) => text)).toContainEqual(
      expect.stringMatching(
        /^what was approved was sealed under another installation key, or by an earlier version: secrets of \d+ resources/,
      ),
    )
  })

  it('are refused at the line and column of each mistake, and for each project that they omit', async () => {
    await using cli = await aDesk()
    await cli.audit()
    await baseline(cli, 'approve')
    await baseline(cli, 'export states')
    const text = readFileSync(cli.directory.file('states/acme--orders.yaml'), 'utf8')
    mkdirSync(cli.directory.file('bad'))
    const wrong = text.replace(/^uid: .*/m, 'uid: 7').replace(/^seal_key: .*/m, 'seal_key: nope')
    cli.directory.write('bad/orders.yaml', wrong.replace('  endpoint:', '  endpiont:'))
    const { code, stderr } = await baseline(cli, 'import bad')
    expect(code).toBe(2)
    expect(stderr.replaceAll(cli.directory.path, '').split('\n').slice(0, 3)).toEqual([
      'hookdrift: /bad/orders.yaml:5:6: uid is 7, expected text that is not empty (in quotes)',
      '/bad/orders.yaml:7:11: seal_key is "nope", expected the id of an installation key, 16 hex digits',
      expect.stringMatching(/^\/bad\/orders\.yaml:\d+:3: `endpiont` is unknown/),
    ])
    cli.directory.write('bad/orders.yaml', text)
    const missing = await cli.audit('--expect bad')
    expect(missing.code).toBe(2)
    expect(missing.stderr).toMatch(/^hookdrift: --expect has no state of acme\/payments \(\w+\)\n/)
    expect((await cli.audit('--expect bad --project orders')).code).toBe(0)
    cli.directory.write('bad/again.yaml', text)
    expect((await cli.audit('--expect bad')).stderr).toMatch(/orders\.yaml and .*again\.yaml are states of the same/)
  })
})

describe('hookdrift audit --accept-removals', () => {
  it('accepts a mass removal', async () => {
    await using cli = await openCliFixture({ projects: 1, endpointsPerProject: 20 })
    await cli.audit()
    const { project: uid } = cli.endpoint()
    cli.fleet.replace(uid, { data: { ...cli.fleet.open(uid), endpoints: [], subscriptions: [] } })
    expect((await cli.audit()).code).toBe(3)
    expect((await cli.audit('--accept-removals')).code).toBe(0)
  })
})

const hasPython = (() => {
  try {
    execFileSync('python3', ['-c', 'import pty'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()

describe.skipIf(!hasPython)('hookdrift baseline approve at a terminal', () => {
  it('shows what it ends, asks, and approves nothing unless the person says yes', async () => {
    await using cli = await openCliFixture({}, 'policy: ./policy.yaml\n')
    cli.directory.write('policy.yaml', 'extends: []\nrules: { drift/unexpected: {}, drift/url-host-changed: {} }\n')
    await cli.audit()
    await baseline(cli, 'approve')
    breakOne(cli)
    await cli.audit()
    const approve = (keys: string, more = '') =>
      typeKeys(`baseline approve --config ${cli.directory.file('hookdrift.yaml')} ${more}`, {
        cwd: cli.directory.path,
        env: cli.env,
        steps: keys === '' ? [] : [['Approve?', keys]],
      })
    const runs = async () => (await rowsOf(cli, 'show')).map(({ run }) => run)

    // The suggested answer is no.
    for (const keys of ['\r', 'n', '\u0003']) {
      const { code, output, missed } = await approve(keys)
      expect([code, missed]).toEqual([2, null])
      expect(output).toContain('This ends 1 violation with the next run: 1 medium')
      expect(output).toContain('hookdrift: nothing was approved')
    }
    expect(await runs()).toEqual([1, 1])
    expect((await approve('y')).output).toContain('Approved the state of run 2')
    // The other project is as it was.
    expect(await runs()).toEqual([1, 2])
    const unasked = await approve('', '--run 1 --yes')
    expect([unasked.code, unasked.output.includes('Approve?')]).toEqual([0, false])
    // Where a person can be asked, something grave needs no more than the answer.
    changeEndpoint(cli.fleet, cli.endpoint(), (row) => ({ ...row, url: 'https://elsewhere.example.com/in' }))
    await cli.audit()
    const moved = await approve('y', "--note 'the receiver moved'")
    expect([moved.code, moved.missed]).toEqual([0, null])
    expect(moved.output).toContain('1 high')
  }, 120_000)
})
