import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  changeData,
  changeEndpoint,
  createEndpoint,
  deleteEndpoint,
  updateProject,
  updateSource,
  updateSubscription,
} from '../../src/demo/edits.ts'
import type { SimulatedFleet } from '../../src/demo/fleet.ts'
import { generateFleet } from '../../src/demo/generate-fleet.ts'
import type { ProjectData } from '../../src/demo/rows.ts'
import { type SimulatedService, startSimulatedService } from '../../src/demo/simulated-service.ts'
import { widthOf } from '../../src/model/text/columns.ts'
import { at } from '../audit/fleet-fixture.ts'
import { faultsOf } from '../documents.ts'
import { openCliFixture } from './cli-fixture.ts'
import { refusal } from './refusal.ts'
import { command } from './run-in-process.ts'
import { openDirectory } from './start-process.ts'

const evil = 'a\u009b31mb\u202ec\x1b[2J'
const hosts = '--map-host *.stage.example.com=*.example.com --map hooks.stage.example.com=hooks.example.com'

/** Two services with the same projects, an outgoing and an incoming one. */
function aFleet() {
  return generateFleet({ clean: true, projects: 2, incomingEvery: 2, endpointsPerProject: 5, sourcesPerProject: 3 })
}

/** Staging is a copy of production, with uids, times, secrets and hosts of its own. */
function becomeStaging(fleet: SimulatedFleet) {
  for (const { uid } of fleet.projects()) changeData(fleet, uid, (data) => restated(data, uid))
}

function restated(data: ProjectData, project: string): ProjectData {
  const secret = /^(?:value|header_value|client_secret|password|secret)$/
  const own = (key: string, value: unknown) => {
    if (typeof value !== 'string' || value === project) return value
    if (secret.test(key) && value !== '') return `${value}-staging`
    if (key === 'mask_id') return value.toUpperCase()
    return value
      .replace(/^[0-9A-HJKMNP-TV-Z]{25}(?=[0-9A-HJKMNP-TV-Z]$)/, (uid) => `${uid.slice(0, -1)}Z`)
      .replace(/^2026-/, '2025-')
      .replace(/(?<=^https?:\/\/[\w.-]*)(?<!stage)\.example\.com/, '.stage.example.com')
  }
  return JSON.parse(JSON.stringify(data, own))
}

describe('compare', () => {
  const fleets = { stage: aFleet(), prod: aFleet() }
  const directory = openDirectory()
  const services: SimulatedService[] = []
  const env = { STAGE_KEY: fleets.stage.personalKey, PROD_KEY: fleets.prod.personalKey, HOOKDRIFT_LOG: 'silent' }
  const [outgoing, incoming] = [0, 1].map((index) => at(fleets.prod.projects(), index).uid) as [string, string]

  const run = (line: string) => command(line, { cwd: directory.path, env })
  const file = directory.file('hookdrift.db')
  const audit = () => run(`audit --quiet --config ${directory.file('hookdrift.yaml')}`)
  const compare = (line: string) => run(`compare ${line} --history ${file}`)

  async function compared(line: string) {
    const { code, stdout, stderr } = await compare(`${line} --format json`)
    expect(stderr).toBe('')
    expect(faultsOf(JSON.parse(stdout))).toBeNull()
    const answer = JSON.parse(stdout)
    const lines = answer.rows.map(
      ({ change, kind, name, fields }: { change: string; kind: string; name: string; fields: { path: string }[] }) =>
        [change, kind, name, ...fields.map(({ path }) => path)].join(' '),
    )
    return { code, answer, lines }
  }

  beforeAll(async () => {
    becomeStaging(fleets.stage)
    services.push(await startSimulatedService(fleets.stage), await startSimulatedService(fleets.prod))
    const projects = `    projects:\n      - { id: ${outgoing}, name: payments }\n      - { id: ${incoming}, name: intake }\n`
    const service = (name: string, url = '') =>
      `  - name: acme-${name}\n    url: ${url}\n    key: \${${name.toUpperCase()}_KEY}\n    limits: { retries: 0 }\n${projects}`
    const [stage, prod] = services.map(({ url }) => url)
    directory.write('hookdrift.yaml', `services:\n${service('stage', stage)}${service('prod', prod)}`)
    await audit()

    const named = (side: keyof typeof fleets, name: string) => {
      const found = fleets[side].open(outgoing).endpoints.find((row) => row.name.startsWith(name))
      return { project: outgoing, uid: found?.uid ?? '' }
    }
    changeEndpoint(fleets.stage, named('stage', 'refund'), (row) => ({ ...row, http_timeout: 99, description: evil }))
    changeEndpoint(fleets.stage, named('stage', 'billing'), (row) => ({ ...row, name: evil }))
    deleteEndpoint(fleets.stage, named('stage', 'crm'))
    createEndpoint(fleets.prod, outgoing, { name: 'stock-005', url: 'https://twice.example.com' })
    updateProject(fleets.stage, outgoing, { max_payload_read_size: 1 })
    const { sources, subscriptions } = fleets.stage.open(incoming)
    updateSource(fleets.stage, { project: incoming, uid: at(sources, 0).uid }, { is_disabled: true })
    const moved = at(subscriptions, 0)
    const elsewhere = sources.find(({ uid }) => uid !== moved.source_id)?.uid ?? ''
    updateSubscription(fleets.stage, { project: incoming, uid: moved.uid }, { source_id: elsewhere })
    const { secrets } = at(
      fleets.stage.open(outgoing).endpoints.filter(({ name }) => name.startsWith('refund')),
      0,
    )
    changeEndpoint(fleets.prod, named('prod', 'crm'), (row) => ({ ...row, secrets }))
    await audit()

    services[1]?.failNext({ how: 'status', status: 400, path: /endpoints/, times: 9 })
    await audit()
  }, 60_000)

  afterAll(async () => {
    for (const service of services) await service.close()
    directory[Symbol.dispose]()
  })

  it('finds a copy with other uids, times, secrets and hosts equal', async () => {
    for (const project of ['payments', 'intake']) {
      const { code, answer } = await compared(`acme-stage/${project} acme-prod/${project} --at 1 ${hosts}`)
      expect({ code, rows: answer.rows, verdict: answer.verdict }).toEqual({ code: 0, rows: [], verdict: 'equal' })
      expect(answer.counts.equal).toBeGreaterThan(10)
    }
    const { code, answer } = await compared('acme-stage/payments acme-prod/payments --at 1')
    expect(code).toBe(1)
    for (const { fields } of answer.rows) expect(fields).toMatchObject([{ path: '/url' }])
    const { stdout } = await compare(`acme-stage/pay acme-prod/pay --at 1 ${hosts}`)
    expect(stdout).toMatch(/\n\nNothing differs\.\n\n\d+ resources equal\.\n$/)
  })

  it('names each edit of one side, and what is ambiguous', async () => {
    const { code, lines, answer } = await compared(`acme-stage/payments acme-prod/payments --at 2 ${hosts}`)
    expect(lines).toEqual([
      `only_in_a endpoint ${evil}`,
      'only_in_b endpoint billing-003',
      'only_in_b endpoint crm-004',
      'modified endpoint refund-001 /description /http_timeout',
      'ambiguous endpoint stock-005',
      'ambiguous endpoint stock-005',
      'ambiguous endpoint stock-005',
      'modified subscription billing-to-tenant-07-3 /endpoint_uid',
      'only_in_b subscription crm-to-tenant-04-4',
      expect.stringMatching(/^ambiguous subscription /),
      'modified project payments /config/max_payload_read_size',
      expect.stringMatching(/^same_secret endpoint refund-001 \/secrets\/[^/]*\/value$/),
    ])
    expect({ code, verdict: answer.verdict, gaps: answer.gaps }).toEqual({ code: 1, verdict: 'different', gaps: [] })
    expect(answer.counts).toEqual({
      equal: 14,
      modified: 3,
      only_in_a: 1,
      only_in_b: 3,
      ambiguous: 4,
      unknown: 0,
      same_secret: 1,
    })
    // The subscriptions of the two endpoints of one name: theirs may be the one or the other.
    expect(answer.not_compared).toEqual([{ kind: 'subscription', path: '/endpoint_uid', resources: 1 }])
    const intake = await compared(`acme-stage/intake acme-prod/intake --at 2 ${hosts}`)
    expect(intake.lines).toEqual([
      expect.stringMatching(/^modified subscription \S+ \/source_uid$/),
      expect.stringMatching(/^modified source \S+ \/is_disabled$/),
    ])
  })

  it('leaves out kinds and fields, and still says which secret is the same', async () => {
    const line = `acme-stage/pay acme-prod/pay --at 2 ${hosts} --kind endpoint --match url_path --ignore /description`
    const { code, lines } = await compared(line)
    expect(code).toBe(1)
    expect(lines).toContain('modified endpoint refund-001 /http_timeout')
    const { lines: fewer } = await compared(`${line} --ignore /http_timeout`)
    expect(fewer.filter((line: string) => line.includes('refund'))).toEqual([
      expect.stringMatching(/^same_secret endpoint refund-001 /),
    ])
    const { stdout } = await compare(line)
    expect(stdout).toContain('\nIgnored: /description.\n')
    expect(stdout).toContain('    acme-prod/payments has it in endpoint "crm-004"\n')
  })

  it('exits with 3 and calls unknown what a side may lack, when its scan broke off', async () => {
    const { code, answer, lines } = await compared(`acme-stage/payments acme-prod/payments ${hosts}`)
    expect({ code, verdict: answer.verdict }).toEqual({ code: 3, verdict: 'unknown' })
    expect(answer.gaps).toEqual([
      { project: 'acme-prod/payments', kind: 'endpoint', reason: 'run 3 did not scan every endpoint' },
    ])
    expect(lines.filter((line: string) => line.includes(' endpoint '))).toEqual([
      `unknown endpoint ${evil}`,
      'unknown endpoint billing-003',
      'unknown endpoint crm-004',
      'modified endpoint refund-001 /description /http_timeout',
      ...Array(3).fill('ambiguous endpoint stock-005'),
      expect.stringMatching(/^same_secret/),
    ])
    const { code: unscanned, stdout } = await compare('acme-stage/pay acme-prod/pay --kind source')
    expect(unscanned).toBe(0)
    expect(stdout).toContain('INCOMPLETE SCAN: 1 of 12 listings not complete.\n')
    expect((await compare('acme-stage/pay acme-prod/pay')).stdout).toContain(
      'UNKNOWN: every endpoint that acme-prod/payments seems to lack: run 3 did not scan every endpoint.',
    )
  })

  it('says of settings that no run read that they are unknown', async () => {
    await using cli = await openCliFixture()
    cli.configure((text) => text.replace('page_size: 4', 'listings: { project: "off" }'))
    await cli.audit('--quiet')
    const line = 'compare payments orders --kind project'
    const { code, stdout } = await cli.run(line)
    expect(code).toBe(3)
    const sentence = 'UNKNOWN: the settings of acme/payments: run 1 did not read the settings.'
    expect(stdout).toContain(sentence)
    const csv = await cli.run(`${line} --format csv`)
    expect(csv.stderr).toContain(`hookdrift: ${sentence}\n`)
  })

  it('neutralises the texts of a service, and fits the terminal', async () => {
    for (const format of ['text', 'json', 'csv']) {
      const line = `compare acme-stage/pay acme-prod/pay --at 2 --format ${format} --history ${file}`
      const { stdout } = await command(line, { cwd: directory.path, env: { NO_COLOR: '1' }, columns: 72 })
      expect(/[^\P{Cc}\n\r]|[\p{Cf}\p{Zl}\p{Zp}]/u.exec(stdout)).toBeNull()
      if (format === 'csv') {
        const records = parse<Record<string, string>>(stdout, { columns: true })
        expect(records.find(({ path }) => path === '/http_timeout')).toMatchObject({
          project: 'acme-stage/payments',
          kind: 'endpoint',
          name: 'refund-001',
          change: 'modified',
          before: '99',
          after: '15',
        })
      } else if (format === 'text') {
        const long = stdout.split('\n').filter((line) => widthOf(line) > 72)
        expect(long.filter((line) => line.trim().includes(' '))).toEqual([])
      }
    }
  })

  it.each([
    [
      'acme-stage/paymens acme-prod/payments',
      'no run scanned a project "acme-stage/paymens", did you mean acme-stage/payments?',
    ],
    [
      'nothing acme-prod/payments',
      'the history has acme-prod/intake, acme-prod/payments, acme-stage/intake, acme-stage/payments',
    ],
    ['payments acme-prod/payments', '"payments" means several projects: acme-prod/payments, acme-stage/payments'],
    [
      'acme-stage/payments acme-stage/pay',
      '"acme-stage/payments" and "acme-stage/pay" mean one project, acme-stage/payments',
    ],
    ['acme-stage/i acme-prod/i --map-host a', '--map-host a: expected a host of A and one of B'],
    ['acme-stage/i acme-prod/i --ignore url', '--ignore url: expected a JSON Pointer'],
    [
      'acme-stage/i acme-prod/i --kind device',
      'Allowed choices are endpoint, subscription, source, event_type, project',
    ],
    ['acme-stage/i acme-prod/i --match uid', 'Allowed choices are name, url_path, owner+name'],
    ['acme-stage/i acme-prod/i --at 9', 'there is no committed run 9'],
    ['acme-stage/i', "missing required argument 'b'"],
  ])('refuses %j with exit code 2', async (line, message) => {
    expect(await compare(line)).toEqual(refusal(message))
  })
})
