import { assert, describe, expect, it } from 'vitest'
import { deleteEndpoint, updateEndpoint } from '../../src/demo/edits.ts'
import type { EndpointRow } from '../../src/demo/rows.ts'
import { dayMs } from '../../src/model/time.ts'
import type { Compliance } from '../../src/report/compliance/compliance.ts'
import { complianceReports } from '../../src/report/compliance-reports.ts'
import { at, openFleetFixture } from '../audit/fleet-fixture.ts'
import { breakOne, type CliFixture, openCliFixture } from './cli-fixture.ts'
import { refusal } from './refusal.ts'
import { command } from './run-in-process.ts'

const ours = `
framework: ours
title: Our own controls
controls:
  - id: W-1
    title: Protection stays in place
    evidence: [{ rules: ["drift/*"], rationale: It was there before. }]
  - id: W-2
    title: Deliveries arrive
    evidence: [{ rules: ["endpoint/*"], rationale: What does not work delivers nothing. }]
  - id: W-3
    title: Projects are set up
    evidence: [{ rules: ["project/*"], rationale: They contain the rest. }]
`
const drift = 'extends: []\nrules:\n  drift/authentication-lost: {}\n  endpoint/inactive: {}\n'

async function openStory(policy = drift, more = '') {
  const cli = await openCliFixture({}, `policy: ./policy.yaml\n${more}`)
  cli.directory.write('policy.yaml', policy)
  cli.directory.write('ours.yaml', ours)
  const report = async (line = '') => {
    const { code, stdout, stderr } = await cli.run(`report --framework ours.yaml ${line}`)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    return stdout
  }
  return {
    cli,
    run: cli.run,
    report,
    compliance: async (line = ''): Promise<Compliance> => JSON.parse(await report(`--format json ${line}`)),
    [Symbol.asyncDispose]: () => cli[Symbol.asyncDispose](),
  }
}

/** An update without its authentication, which wipes it; returns what was there. */
function wipeAuthentication({ fleet }: Pick<CliFixture, 'fleet'>) {
  for (const { uid: project } of fleet.projects()) {
    const row = fleet.open(project).endpoints.find(({ authentication }) => authentication !== null)
    if (row === undefined) continue
    const put = (more: Pick<EndpointRow, 'authentication'> | undefined) => {
      const { name, url, description, rate_limit, rate_limit_duration } = row
      updateEndpoint(
        fleet,
        { project, uid: row.uid },
        { name, url, description, rate_limit, rate_limit_duration, ...more },
      )
    }
    put(undefined)
    return { name: row.name, putBack: () => put({ authentication: row.authentication }) }
  }
  throw new Error('no endpoint of the fleet is authenticated')
}

function auditWhatIsListed({ configure, fleet }: CliFixture) {
  const all = `    organisation: ${fleet.organisationId}\n    projects: all\n`
  configure((text) => text.replace(/^ {4}projects:[\s\S]*/m, all))
}

const control = ({ controls }: Compliance, id: string) => {
  const found = controls.find((one) => one.id === id)
  assert(found, `there is no control ${id}`)
  return found
}
const formats = Object.keys(complianceReports)

describe('a violation that is still there', () => {
  it('is named with who approved it and why, in the run that ends it and in every later one, until it is put back', async () => {
    await using story = await openStory()
    const { cli, run, report, compliance } = story
    await cli.audit()
    const { name, putBack } = wipeAuthentication(cli)
    await cli.audit()
    expect(control(await compliance(), 'W-1').state).toBe('not_met')
    await run("baseline approve --by eve --note 'looks fine' --yes")
    await cli.audit()
    await cli.audit()
    for (const which of ['--run 3', '--run 4', '--from 90d']) {
      const { state, reason, exemptions } = control(await compliance(which), 'W-1')
      expect(exemptions).toMatchObject([
        {
          kind: 'baseline',
          rule: 'drift/authentication-lost',
          by: 'eve',
          reason: 'looks fine',
          run: 2,
          until: null,
          configured_at: null,
          resource: { name },
        },
      ])
      expect(exemptions[0]?.fingerprint).toMatch(/^[0-9a-f]{32}$/)
      expect(state).toBe(which === '--from 90d' ? 'partially_assessed' : 'met')
      expect(reason).toContain('with 1 exemption')
      for (const format of formats.filter((one) => one !== 'json')) {
        const shown = await report(`--format ${format} ${which}`)
        expect(shown).toMatch(/\beve\b/)
        expect(shown).toContain('looks fine')
        expect(shown).not.toMatch(/resolved(?!_at)/)
      }
      expect(await report(`--format text ${which}`)).not.toMatch(/^W-1 MET [A-Z]/m)
    }
    putBack()
    await cli.audit()
    expect(control(await compliance(), 'W-1').exemptions).toEqual([])
    expect(control(await compliance(), 'W-1').reason).toMatch(/^No open violation, and the run observed everything/)
  })

  it('is named with the line of the policy that switches its rule off, in runs that find nothing, too', async () => {
    await using story = await openStory()
    const { cli, report, compliance } = story
    breakOne(cli)
    await cli.audit()
    cli.directory.write(
      'policy.yaml',
      `${drift}overrides:\n  - match: { project: "acme/*" }\n    rules: { endpoint/inactive: off }\n`,
    )
    await cli.audit()
    await cli.audit()
    for (const which of ['--run 2', '--run 3', '--from 90d']) {
      const { exemptions, violations } = control(await compliance(which), 'W-2')
      expect(exemptions).toMatchObject([
        {
          kind: 'override',
          rule: 'endpoint/inactive',
          by: null,
          until: null,
          configured_at: { file: 'policy.yaml', line: 7 },
        },
      ])
      const isNamed = violations.length > 0
      expect(exemptions[0]?.fingerprint === null).toBe(!isNamed)
      for (const format of formats) {
        const shown = await report(`--format ${format} ${which}`)
        expect(shown).toMatch(/policy\.yaml(?::7|",\s+"line": 7)/)
      }
      expect(await report(`--format text ${which}`)).not.toMatch(/^W-2 MET [A-Z]/m)
    }
  })

  it('is an exemption of a period whose policy left it out for a while', async () => {
    await using story = await openStory(`${drift}  drift/url-host-changed: off\n`)
    const { cli, compliance } = story
    await cli.audit()
    cli.directory.write('policy.yaml', `${drift}  drift/url-host-changed: {}\n`)
    await cli.audit()
    expect(control(await compliance(), 'W-1').exemptions).toEqual([])
    const [first] = (await compliance('--from 90d')).controls[0]?.exemptions ?? []
    expect(first).toMatchObject({ kind: 'rule_off', rule: 'drift/url-host-changed', configured_at: { line: 5 } })
    expect(first?.until).toMatch(/^20/)
  })

  it.each([
    ['endpoint/inactive', 'ours.yaml', 'W-2'],
    ['acme/on', 'soc2', 'CC6.1'],
  ])('is an exemption of a period whose last policy no longer has its rule: %s', async (rule, framework, id) => {
    const assert = `assert: "resource.status == 'active'"`
    const custom = `{ id: acme/on, kind: endpoint, ${assert}, severity: high, message: it is off, controls: [soc2:CC6.1] }`
    await using story = await openStory(`${drift}custom: [${custom}]\n`)
    const { cli, compliance } = story
    breakOne(cli)
    await cli.audit()
    cli.directory.write('policy.yaml', 'extends: [tls]\n')
    await cli.audit()
    const { violations, exemptions } = control(await compliance(`--framework ${framework} --from 1`), id)
    const ended = violations.filter((violation) => violation.rule === rule)
    expect(ended).toMatchObject([{ state: 'resolved', resolution: 'policy' }])
    expect(exemptions).toMatchObject([{ kind: 'rule_off', rule, fingerprint: ended[0]?.fingerprint }])
  })

  it('is an acceptance with its reason, counted once', async () => {
    await using story = await openStory()
    const { cli, run, report, compliance } = story
    breakOne(cli)
    await cli.audit()
    const [violation] = control(await compliance(), 'W-2').violations
    await run(`accept ${violation?.fingerprint ?? ''} --by nora --reason OPS-12`)
    await cli.audit()
    for (const which of ['--run 2', '--from 90d']) {
      const { exemptions } = control(await compliance(which), 'W-2')
      expect(exemptions).toMatchObject([{ kind: 'acceptance', by: 'nora', reason: 'OPS-12' }])
      expect(await report(which)).toContain('Exemptions: 1')
    }
  })

  it('is an acceptance of a period that it reaches into, until a person revoked it', async () => {
    await using story = await openStory()
    const { cli, run, report, compliance } = story
    breakOne(cli)
    await cli.audit()
    const { fingerprint = '', name } = control(await compliance(), 'W-2').violations[0] ?? {}
    await run(`accept ${fingerprint} --by nora --reason OPS-12`)
    for (let audits = 0; audits < 2; audits++) await cli.audit()
    await run(`accept --revoke ${fingerprint} --by kim`)
    for (let audits = 0; audits < 2; audits++) await cli.audit()
    const accepted = { kind: 'acceptance', fingerprint, by: 'nora', reason: 'OPS-12', resource: { name } }
    // Run 2 ended the violation, run 3 is the last one under the acceptance.
    for (const from of ['1', '3']) {
      const { exemptions } = control(await compliance(`--from ${from}`), 'W-2')
      expect(exemptions).toMatchObject([{ ...accepted, until: expect.stringMatching(/^20/) }])
    }
    expect(control(await compliance('--from 1 --to 3'), 'W-2').exemptions).toMatchObject([{ ...accepted, until: null }])
    expect(control(await compliance('--from 4'), 'W-2').exemptions).toEqual([])
    expect(await report('--from 3')).toMatch(/accepted by nora on 20[^,]* until 20[^:]*:[^:]*:[^:]*: OPS-12/)
  })

  it('is an exemption of a period that it reaches into, until its value changed', async () => {
    await using story = await openStory()
    const { cli, run, report, compliance } = story
    await cli.audit()
    const { putBack } = wipeAuthentication(cli)
    await cli.audit()
    await run("baseline approve --by eve --note 'looks fine' --yes")
    for (let audits = 0; audits < 3; audits++) await cli.audit()
    putBack()
    for (let audits = 0; audits < 2; audits++) await cli.audit()
    const approved = { kind: 'baseline', rule: 'drift/authentication-lost', by: 'eve' }
    const exemptionsOf = async (period: string) => control(await compliance(period), 'W-1').exemptions
    // Run 3 ended the violation, run 6 saw the authentication again.
    const { started_at } = (await compliance('--run 6')).run
    for (const from of ['4', '6'])
      expect(await exemptionsOf(`--from ${from}`)).toMatchObject([{ ...approved, until: started_at }])
    expect(await exemptionsOf('--from 4 --to 5')).toMatchObject([{ ...approved, until: null }])
    expect(await exemptionsOf('--from 7')).toEqual([])
    expect(await report('--from 6')).toMatch(/by eve on 20[^(]* until\s+20/)
  })

  it('is an exemption until its resource is removed, also where there was no value any longer', async () => {
    await using story = await openStory()
    const { cli, run, compliance } = story
    await cli.audit()
    wipeAuthentication(cli)
    await cli.audit()
    const { fingerprint, project, uid } = at(control(await compliance(), 'W-1').violations, 0)
    await run(`accept ${fingerprint} --by nora --reason OPS-12`)
    await cli.audit()
    expect(control(await compliance(), 'W-1').exemptions).toHaveLength(1)
    const owning = cli.fleet.projects().find(({ name }) => `acme/${name}` === project)
    deleteEndpoint(cli.fleet, { project: owning?.uid ?? '', uid })
    await cli.audit()
    expect(control(await compliance(), 'W-1').exemptions).toEqual([])
  })
})

describe('a run of a part of the fleet', () => {
  it('meets nothing for the whole, and names what is open in the rest', async () => {
    await using story = await openStory()
    const { cli, report, compliance } = story
    const [broken, other] = cli.fleet.projects().map(({ name }) => `acme/${name}`)
    breakOne(cli)
    await cli.audit()
    await cli.audit(`--project ${other ?? ''}`)
    const partial = await compliance()
    expect(partial.coverage_of_fleet).toEqual({ scanned: 1, known: 2 })
    expect(partial.scope).toMatchObject({ projects: [other], unscanned: [broken] })
    expect(control(partial, 'W-1')).toMatchObject({
      state: 'partially_assessed',
      reason: expect.stringContaining('1 of 2 known projects scanned in this run.'),
    })
    expect(control(partial, 'W-2')).toMatchObject({
      state: 'not_met',
      reason: expect.stringContaining('1 of 2 known projects scanned in this run.'),
      violations: [{ project: broken, state: 'opened' }],
    })
    for (const format of formats.filter((one) => one !== 'json' && one !== 'csv')) {
      expect(await report(`--format ${format}`)).toContain('1 of 2 known projects scanned in this run')
    }
    expect((await cli.json('report')).coverage_of_fleet).toEqual({
      scanned: 1,
      known: 2,
    })
    expect(control(await compliance('--run 1'), 'W-1').state).toBe('met')
  })

  it('leaves the rest unseen over a period, however complete its last run is', async () => {
    await using fixture = await openFleetFixture({ fleet: { projects: 2 } })
    const { audit, harness } = fixture
    const daily = async (only?: readonly string[]) => {
      await audit(only === undefined ? {} : { only })
      harness.advance(dayMs - 60_000)
    }
    await daily()
    for (let day = 0; day < 5; day++) await daily(['acme/payments'])
    await daily()
    const assess = async (from: string) => {
      const line = `report --framework soc2 --from ${from} --format json --history ${harness.file}`
      return control(JSON.parse((await command(line, { cwd: harness.directory })).stdout), 'CC6.1')
    }
    expect(await assess('1')).toMatchObject({
      state: 'partially_assessed',
      reason: 'The period has a time of 6 d without a complete scan of every project, longer than 25 h.',
    })
    expect((await assess('6')).state).toBe('met')
  })

  it('names what is waived in the rest', async () => {
    const expires = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10)
    const who = `owner: nora, reason: it moves, expires: ${expires}`
    const waiver = `{ rule: endpoint/inactive, match: { project: "*" }, ${who} }`
    await using story = await openStory(`${drift}waivers: [${waiver}]\n`)
    const { cli, compliance } = story
    const [broken, other] = cli.fleet.projects().map(({ name }) => `acme/${name}`)
    breakOne(cli)
    await cli.audit()
    await cli.audit(`--project ${other ?? ''}`)
    const { exemptions, violations } = control(await compliance('--run 2'), 'W-2')
    expect(exemptions).toMatchObject([{ kind: 'waiver', reason: 'it moves' }])
    expect(violations).toMatchObject([{ project: broken, state: 'waived' }])
  })
})

it('a control of which a policy had no rule is partially assessed over a period that the policy reaches into', async () => {
  await using story = await openStory('extends: []\nrules: { endpoint/inactive: {} }\n')
  const { cli, compliance } = story
  await cli.audit()
  cli.directory.write('policy.yaml', drift)
  await cli.audit()
  const period = await compliance('--from 1')
  expect(control(period, 'W-2').state).toBe('met')
  expect(control(period, 'W-1')).toMatchObject({
    state: 'partially_assessed',
    reason: expect.stringMatching(/^Until 20[-\d]+ \d\d:\d\d UTC, runs evaluated a policy with none of its rules\.$/),
  })
  expect(control(await compliance('--from 2'), 'W-1').state).toBe('met')
})

describe('the head of a report', () => {
  it('says from when on there is evidence, and how little of the period that is', async () => {
    await using story = await openStory()
    await story.cli.audit()
    await story.cli.audit()
    const text = await story.report('--from 90d')
    expect(text).toMatch(
      /^Evidence begins 20.* and ends 20.*: less than 1 min of 90 d are\ncovered \(under 0\.001 %\)\./m,
    )
    expect(text.replace(/\s+/g, ' ')).toContain('Longest time without a run, from the start of the period: 90 d')
    const { controls, period } = await story.compliance('--from 90d')
    expect(controls.map(({ state }) => state)).not.toContain('met')
    expect(controls[0]?.evidence).toEqual(period?.evidence)
    expect(controls[0]?.reason).toContain('The period has a gap of 90 d without a run, longer than 25 h.')
  })

  it('says that runs of a period were pruned, and with them what began and ended between others', async () => {
    await using fixture = await openFleetFixture()
    const { audit, harness, set } = fixture
    await audit()
    set({ url: 'http://plain.example.com' })
    await audit()
    set({ url: 'https://sealed.example.com' })
    await audit()
    await audit()
    const ask = async (line: string) =>
      (await command(`${line} --history ${harness.file}`, { cwd: harness.directory })).stdout
    const report = (format: string) => ask(`report --framework soc2 --from 1 --format ${format}`)
    const said = 'were pruned: what began and ended between two that are left is not listed'
    expect(await report('json')).toContain('endpoint/url-not-https')
    expect(await report('text')).not.toContain('pruned')
    await ask('prune --keep-last 1 --keep-yearly 2')
    const { period, controls } = JSON.parse(await report('json'))
    expect([period.runs, period.pruned, JSON.stringify(controls).includes('plain.example.com')]).toEqual([2, 2, false])
    for (const format of ['text', 'markdown', 'html', 'oscal'])
      expect((await report(format)).replace(/\s+/g, ' ')).toContain(`2 runs of this time ${said}`)
  })

  it('names company, gateway, projects, policy and schedules as configured then', async () => {
    await using story = await openStory(
      undefined,
      'company: Example Ltd\nschedules: [{ name: nightly, cron: "0 3 * * *", timezone: Europe/Berlin }]\n',
    )
    const { cli, report, compliance } = story
    await cli.audit()
    const { scope } = await compliance()
    expect(scope).toMatchObject({
      company: 'Example Ltd',
      packs: [],
      unscanned: [],
      named_only: ['acme'],
      schedule: null,
      gateways: [{ service: 'acme', url: cli.service.url, projects: 'named', key: 'shared' }],
      schedules: [{ name: 'nightly', cron: '0 3 * * *', timezone: 'Europe/Berlin' }],
    })
    for (const format of ['text', 'html', 'markdown', 'oscal']) {
      const shown = await report(`--format ${format}`)
      for (const said of ['Example Ltd', cli.service.url, 'Not in scope', 'nightly']) expect(shown).toContain(said)
      expect(shown).not.toContain(cli.env.ACME_KEY)
    }
  })

  it('names the fields that the policy leaves out of drift, also one that it no longer does', async () => {
    await using story = await openStory(`${drift}ignore: [/description, "/authentication/*"]\n`)
    const { cli, report, compliance } = story
    await cli.audit()
    const fields = [{ path: '/authentication/*' }, { path: '/description' }]
    expect((await compliance()).scope.ignored).toMatchObject(fields)
    for (const format of ['text', 'html', 'markdown', 'oscal'])
      expect(await report(`--format ${format}`)).toMatch(/\/authentication\/\\?\*.* \(policy\.yaml:5\)/)
    cli.directory.write('policy.yaml', drift)
    await cli.audit()
    expect((await compliance()).scope.ignored).toEqual([])
    expect((await compliance('--from 1')).scope.ignored).toMatchObject(fields)
  })

  it('names a project that left the configuration within the period, with its last scan', async () => {
    await using story = await openStory()
    const { cli, report, compliance } = story
    const [first = '', second = ''] = cli.fleet.projects().map(({ name }) => name)
    await cli.audit()
    await cli.audit(`--project acme/${first}`)
    expect((await compliance('--from 1')).scope).toMatchObject({ unscanned: [`acme/${second}`], former: [] })
    cli.configure((text) => text.replace(new RegExp(`^.*name: ${second} }\n`, 'm'), ''))
    await cli.audit()
    const { scope } = await compliance('--from 1')
    expect(scope).toMatchObject({ unscanned: [], former: [{ project: `acme/${second}`, run: 1 }] })
    expect((await compliance()).scope.former).toEqual([])
    const said = new RegExp(`acme/${second} \\(last scanned 20[-\\d]+ \\d\\d:\\d\\d UTC\\): no longer audited`)
    for (const format of ['text', 'html', 'markdown', 'oscal'])
      expect((await report(`--from 1 --format ${format}`)).replace(/<[^>]+>|\s+/g, ' ').replaceAll('`', '')).toMatch(
        said,
      )
  })

  it('finds no gap in projects that the configuration names, nor in a list that decides', async () => {
    await using story = await openStory('extends: []\nrules: { project/unlisted: {}, project/tls-not-enforced: low }\n')
    const { cli, compliance } = story
    await cli.audit()
    expect(control(await compliance(), 'W-3').coverage.gaps).toEqual([])
    auditWhatIsListed(cli)
    await cli.audit()
    const all = await compliance()
    expect(control(all, 'W-3').coverage.gaps).toEqual([])
    expect(control(all, 'W-3').state).not.toBe('partially_assessed')
    expect([all.scope.gateways[0]?.projects, all.scope.named_only]).toEqual(['all', []])
  })

  it('has a gap in each control where the list of projects fails', async () => {
    await using story = await openStory(
      'extends: []\nrules: { project/tls-not-enforced: low, endpoint/inactive: low }\n',
    )
    const { cli, compliance } = story
    auditWhatIsListed(cli)
    await cli.audit()
    cli.service.failNext({ how: 'status', status: 500, path: /\/projects\?orgID=/, times: Number.POSITIVE_INFINITY })
    await cli.audit()
    const failed = { project: 'acme/*', listing: 'projects', status: 'failed' }
    const failing = await compliance()
    for (const id of ['W-2', 'W-3']) expect(control(failing, id).coverage.gaps).toMatchObject([failed])
  })
})

it('an open violation below the threshold is an observation', async () => {
  await using story = await openStory('extends: []\nrules: { endpoint/inactive: low }\n')
  const { cli, report, compliance } = story
  breakOne(cli)
  await cli.audit()
  expect(control(await compliance(), 'W-2')).toMatchObject({
    state: 'met',
    observations: 1,
    exemptions: [],
    reason:
      'No open violation at medium or above, with 1 observation, and the run observed everything that its rules evaluate.',
  })
  expect(await report()).toMatch(/^W-2 MET, WITH 1 OBSERVATION /m)
  await cli.audit('--fail-on low')
  expect(control(await compliance(), 'W-2').state).toBe('not_met')
  expect(at((await compliance()).controls, 1).observations).toBe(0)
})

const twoControls = `
framework: ours
title: Our own controls
controls:
  - id: W-1
    title: Deliveries arrive
    evidence: [{ rules: ["endpoint/*"], rationale: What does not work delivers nothing. }]
  - { id: W-2, title: People are notified }
`

describe('report --framework', () => {
  it('shows the state of each control, which changes with a partial walk', async () => {
    await using cli = await openCliFixture({}, 'policy: ./policy.yaml\n')
    cli.directory.write('policy.yaml', 'extends: []\nrules: { endpoint/inactive: {} }\n')
    cli.directory.write('ours.yaml', twoControls)
    const ask = (line: string) => cli.run(`report --framework ours.yaml ${line}`)
    const statesOf = async (line: string) => {
      const { code, stdout, stderr } = await ask(`--format json ${line}`)
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      return JSON.parse(stdout).controls.map(({ state }: { state: string }) => state)
    }
    await cli.audit()
    breakOne(cli)
    await cli.audit()
    cli.service.behaviour.outage = 'lists-unreadable'
    await cli.audit()
    expect(await statesOf('--run 1')).toEqual(['met', 'not_covered'])
    expect(await statesOf('--run 2')).toEqual(['not_met', 'not_covered'])
    expect(await statesOf('--run 3')).toEqual(['not_assessed', 'not_covered'])
    expect(await statesOf('--from 2020-01-01')).toEqual(['not_assessed', 'not_covered'])

    const text = await ask('--run 2')
    expect(text.stdout).toContain('W-1 NOT MET Deliveries arrive')
    expect(text.stdout).toMatch(/Not covered by hookdrift: 1/)
    expect((await ask('--run 2 --format html')).stdout).toContain('data-control="W-1" data-state="not_met"')
    const again = await ask('--run 2')
    // When it was prepared is said to the minute.
    const lasting = (printed: string) => printed.replace(/^ *Prepared: .*$/m, '')
    expect(lasting(again.stdout)).toBe(lasting(text.stdout))
  })

  it('leaves what another policy would have found to `policy replay`, which names the rules that it cannot evaluate', async () => {
    await using cli = await openCliFixture({}, 'policy: ./policy.yaml\n')
    cli.directory.write('policy.yaml', 'extends: []\nrules: { endpoint/status-unknown: {} }\n')
    cli.directory.write('new.yaml', 'extends: []\nrules: { endpoint/inactive: {} }\n')
    await cli.audit()
    breakOne(cli)
    await cli.audit()
    const { run } = cli
    expect(await run('report --framework soc2 --policy new.yaml')).toEqual(refusal("unknown option '--policy'"))
    for (const option of ['--format=oscal', '--report=oscal=x']) {
      expect(await run(`report ${option}`)).toEqual(
        refusal('oscal is the format of a report by control, which needs --framework'),
      )
    }

    const replay = await run('policy replay --policy new.yaml --format json')
    expect(replay.code).toBe(0)
    const { schema, rows, replayed } = JSON.parse(replay.stdout)
    expect([schema, replayed.runs]).toEqual(['hookdrift.replay/3', 2])
    expect(rows).toMatchObject([{ rule: 'endpoint/inactive', state: 'opened', first_run: 2, last_run: 2 }])
    expect((await run('policy replay --policy new.yaml --since 90d')).stdout).toContain('run 2')
    expect((await run('policy replay --policy new.yaml --since 7')).code).toBe(2)
    cli.directory.write('vulnerable.yaml', 'extends: []\nrules: { service/release-vulnerable: high }\n')
    const { stdout } = await run('policy replay --policy vulnerable.yaml')
    expect(stdout).toContain('Not evaluated: service/release-vulnerable')
    expect(stdout).toContain('The policy would have found nothing in what it could evaluate.')
  })

  it('refuses unknown frameworks, with line and column of a mistake', async () => {
    await using cli = await openCliFixture()
    await cli.audit()
    cli.directory.write('bad.yaml', 'framework: ours\ntitle: Ours\ncontrols:\n  - { id: W-1, titel: x }\n')
    const ask = async (line: string) => {
      const { code, stderr } = await cli.run(`report ${line}`)
      expect(code).toBe(2)
      return stderr
    }
    expect(await ask('--framework soc3')).toMatch(/no framework "soc3", expected one of soc2, iso27001, pci-dss/)
    expect(await ask('--framework bad.yaml')).toMatch(/bad\.yaml:4:\d+: .*titel/)
    expect(await ask('--framework none.yaml')).toMatch(/cannot read the framework/)
    expect(await ask('--from 2026-01-01')).toMatch(/--from and --to need --framework/)
    expect(await ask('--framework soc2 --format csv --section coverage')).toMatch(/control has none/)
    expect(await ask('--framework soc2 --to 2026-01-01')).toMatch(/--to is the end of a period, which needs/)
    expect(await ask('--framework soc2 --from 2026-02-01 --to 2026-01-01')).toMatch(/not before/)
    expect(await ask('--framework soc2 --from soon')).toMatch(/"soon" is not a run or a time/)
    expect(await ask('--framework soc2 --from 2020-01-01 --to 2020-02-01')).toMatch(/no run was committed/)
  })
})
