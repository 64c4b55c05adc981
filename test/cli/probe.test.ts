import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { updateSource } from '../../src/demo/edits.ts'
import { generateFleet } from '../../src/demo/generate-fleet.ts'
import { startSimulatedService } from '../../src/demo/simulated-service.ts'
import { at } from '../audit/fleet-fixture.ts'
import { refusal } from './refusal.ts'
import { command } from './run-in-process.ts'
import { configurationFor, openDirectory } from './start-process.ts'

/** Two projects; the one with sources has a good function, a bad one and a name that would act on a terminal. */
async function openCliFixture() {
  const fleet = generateFleet({
    clean: true,
    projects: 2,
    incomingEvery: 2,
    endpointsPerProject: 2,
    sourcesPerProject: 3,
  })
  const service = await startSimulatedService(fleet, { functionLimitMs: 2_000 })
  const directory = openDirectory()
  const project = at(
    fleet.projects().filter(({ type }) => type === 'incoming'),
    0,
  )
  const [good, bad] = [0, 1].map((index) => at(fleet.open(project.uid).sources, index).uid)
  const set = (uid = '', update: object) => updateSource(fleet, { project: project.uid, uid }, update)
  set(good, {
    name: 'or\u001b[31mders',
    body_function: 'function transform(p) { console.log("saw\\u001b[2J", p.a); return { event_type: "x", data: p } }',
  })
  set(bad, { body_function: 'function transform(p) { throw new Error("boom") }' })
  directory.write('hookdrift.yaml', configurationFor(service.url, fleet, 'policy: policy.yaml\n'))
  directory.write('order.json', '{"a": 1, "password": "hunter-22-not-real"}')
  directory.write('draft.js', 'function transform(p) { return { event_type: "draft", data: {} } }')
  directory.write(
    'policy.yaml',
    `probes:
  - { name: orders, match: { uid: ${good} }, function: body, payload: order.json, expect: "payload.event_type == 'x'" }
  - { name: broken, match: { uid: ${bad} }, function: body, payload: order.json }
`,
  )
  const env = { ACME_KEY: fleet.personalKey }
  const probe = (line = '') =>
    command(`probe --config ${directory.file('hookdrift.yaml')} ${line}`, { cwd: directory.path, env })
  return {
    service,
    directory,
    good: `${good}`,
    bad: `${bad}`,
    project: project.name,
    probe,
    async json(line = '') {
      const { code, stdout } = await probe(`--format json ${line}`)
      return { code, answer: JSON.parse(stdout) }
    },
    async [Symbol.asyncDispose]() {
      await service.close()
      directory[Symbol.dispose]()
    },
  }
}

describe('hookdrift probe', () => {
  it('notifies no channel, so it needs none of their secrets', async () => {
    await using cli = await openCliFixture()
    const configuration = readFileSync(cli.directory.file('hookdrift.yaml'), 'utf8')
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference of the configuration
    const channel = 'notify: [{ name: chat, type: slack, url: "${CHAT_URL}" }]\n'
    cli.directory.write('hookdrift.yaml', `${channel}${configuration}`)
    expect((await cli.probe('orders')).code).toBe(0)
  })

  it('runs a probe of the policy and prints result, log and verdict without terminal controls', async () => {
    await using cli = await openCliFixture()
    const { code, stdout } = await cli.probe('orders')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^ok: acme\/\S+ probe orders source "or\\x1b\[31mders" 01/)
    expect(stdout).toMatch(/"password": "sealed:[0-9a-f]{32}"/)
    expect(stdout).toMatch(/\nlog\nsaw\\x1b\[2J 1\n$/)
    expect(stdout).not.toMatch(/hunter|\u001b/)
  })

  it('answers as JSON, exits with 1 when a function fails, and stores nothing', async () => {
    await using cli = await openCliFixture()
    const { code, answer } = await cli.json()
    expect(code).toBe(1)
    const where = { project: `acme/${cli.project}`, kind: 'source' }
    expect(answer).toEqual({
      schema: 'hookdrift.probe/2',
      run: null,
      rows: expect.arrayContaining([
        {
          ...where,
          probe: 'orders',
          uid: cli.good,
          name: 'or\u001b[31mders',
          outcome: 'ok',
          verdict: 'ok',
          message: null,
          payload: { data: { a: 1, password: expect.stringMatching(/^sealed:/) }, event_type: 'x' },
          log: ['saw\u001b[2J 1'],
        },
        {
          ...where,
          probe: 'broken',
          uid: cli.bad,
          name: expect.any(String),
          outcome: 'failed',
          verdict: 'failed',
          message: expect.stringMatching(/^Error: boom/),
          payload: null,
          log: [],
        },
      ]),
    })
    const files = ['draft.js', 'hookdrift.yaml', 'order.json', 'policy.yaml']
    expect(readdirSync(cli.directory.path).sort()).toEqual(files)
  })

  it('runs a text from a file with the payload of a probe and checks the expectation', async () => {
    await using cli = await openCliFixture()
    const { code, answer } = await cli.json(`orders --function draft.js --project ${cli.project}`)
    expect(code).toBe(1)
    expect(answer.rows).toMatchObject([
      {
        outcome: 'ok',
        verdict: 'unexpected',
        uid: null,
        message: "the result does not satisfy `payload.event_type == 'x'`",
      },
    ])
    expect(cli.service.requests.map(({ method }) => method)).toEqual(['POST'])
  })

  it('runs the function of any source, or a text, with any payload', async () => {
    await using cli = await openCliFixture()
    const source = await cli.json(`--source ${cli.good} --payload order.json`)
    const beginning = await cli.json(`--source ${(cli.good ?? '').slice(0, -1)} --payload order.json`)
    expect(beginning.answer.rows).toMatchObject([{ kind: 'source', uid: cli.good }])
    const text = await cli.json(`--function draft.js --payload order.json --project ${cli.project}`)
    expect([source, text].map(({ code, answer }) => [code, answer.rows[0].verdict, answer.rows[0].probe])).toEqual([
      [0, 'ok', null],
      [0, 'ok', null],
    ])
  })

  it('exits with 3 when nothing could run', async () => {
    await using cli = await openCliFixture()
    cli.service.behaviour.hasLicence = false
    const { code, answer } = await cli.json('broken')
    expect([code, answer.rows[0].outcome]).toEqual([3, 'unknown'])
    cli.service.behaviour.hasLicence = true
    cli.service.failNext({
      how: 'status',
      status: 400,
      body: { status: false, message: 'nope' },
      path: /sources\?/,
      times: 9,
    })
    const unlisted = await cli.probe('orders')
    expect(unlisted.code).toBe(3)
    expect(unlisted.stdout).toMatch(/could not be listed: [\s\S]*nope/)

    const url = at(readFileSync(cli.directory.file('hookdrift.yaml'), 'utf8').match(/http:\S+/) ?? [], 0)
    const service = `{ name: acme, url: "${url}", key: wrong, organisation: o, projects: all }`
    cli.directory.write('hookdrift.yaml', `services: [${service}]\n`)
    const unknown = await cli.probe('--function draft.js --payload order.json')
    expect([unknown.code, unknown.stdout]).toEqual([3, expect.stringContaining('acme/*: its functions could not be')])
  })

  it.each([
    ['nope', 'the policy has no probe "nope"'],
    ['order', 'did you mean orders?'],
    ['orders --payload order.json', 'a probe of the policy has its own payload'],
    ['orders --function draft.js', 'there is more than one project'],
    ['orders --project acme/payments', 'correct `match` in the policy'],
    ['--function draft.js', '--function needs a payload'],
    ['--payload order.json', '--payload needs a function'],
    ['--source x --function draft.js --payload order.json', 'use one of them'],
    ['--source x --payload draft.js', 'draft.js is not JSON'],
    ['--source x --payload gone.json', 'cannot read the payload gone.json: no such file or directory'],
    ['--source x --payload order.json', 'found no function of source x'],
    ['--source 0 --payload order.json', '"0" means several sources: 0'],
    ['--project nowhere', '--project nowhere matches none of'],
  ])('refuses impossible combinations of options: %j', async (line, said) => {
    await using cli = await openCliFixture()
    expect(await cli.probe(line)).toEqual(refusal(said))
  })
})
