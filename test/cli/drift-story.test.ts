import { assert, expect, it } from 'vitest'
import { changeEndpoint, updateEndpoint } from '../../src/demo/edits.ts'
import { at } from '../audit/fleet-fixture.ts'
import { openReceiver } from '../notify/webhook-receiver.ts'
import { openCliFixture } from './cli-fixture.ts'
import { logOf } from './worker-log.ts'

const configuration = `policy: policy.yaml
worker: { listen: 127.0.0.1:0 }
schedules: [{ name: often, cron: "* * * * * *", run_on_start: true }]
notify: [{ name: hook, type: webhook, url: "\${HOOK_URL}", secret: "\${HOOK_SECRET}" }]
`

interface Received {
  readonly run: number
  readonly event: string
}

/** A worker that audits every second and notifies a receiver, and a person at a terminal at work. */
async function openStory() {
  const receiver = await openReceiver()
  const cli = await openCliFixture({ projects: 1, endpointsPerProject: 6 }, configuration)
  cli.directory.write('policy.yaml', 'extends: []\nrules: { drift/authentication-lost: {} }\n')
  const secret = `whsec_${Buffer.alloc(24, 'not-a-real-key').toString('base64')}`
  const env = { HOOKDRIFT_LOG: '', HOOK_URL: `${receiver.url}/in`, HOOK_SECRET: secret }
  const worker = cli.start('worker', env)
  const log = logOf(worker)
  return {
    cli,
    worker,
    runs: (more: number) => log.until('run committed', log.count('run committed') + more),
    /** Tries again while a run of the worker writes. */
    async accept(line: string) {
      for (;;) {
        const { code, stderr } = await cli.run(`accept ${line}`)
        if (code !== 5) return expect([code, stderr]).toEqual([0, ''])
      }
    },
    received: (): Received[] =>
      receiver.got.flatMap(({ body }) => {
        const { run, events } = JSON.parse(body).data
        return events.map(({ type, rule, resolution = '' }: Record<string, string>) => ({
          run: run.number,
          event: `${type} ${rule} ${resolution}`.trim(),
        }))
      }),
    /** The state of a control in the report on the last run. */
    async control() {
      const { controls } = await cli.json('report --framework soc2')
      const { state, accepted } = controls.find(({ id }) => id === 'CC8.1')
      return { state, accepted: accepted.map(({ by, reason }: Record<string, string>) => `${by}: ${reason}`) }
    },
    async [Symbol.asyncDispose]() {
      worker.child.kill('SIGKILL')
      await worker.ended
      await cli[Symbol.asyncDispose]()
      await receiver[Symbol.asyncDispose]()
    },
  }
}

const rule = 'drift/authentication-lost'

it('a wiped authentication is opened once and stays open until it is restored or accepted', async () => {
  await using story = await openStory()
  const { fleet } = story.cli
  const project = at(fleet.projects(), 0).uid
  const [first, second] = fleet.open(project).endpoints.filter(({ authentication }) => authentication !== null)
  assert(first && second, 'two endpoints need an authentication')
  const wipe = ({ uid, name, url }: typeof first) => updateEndpoint(fleet, { project, uid }, { name, url })
  const events = () => story.received().map(({ event }) => event)
  await story.runs(2)
  expect(events()).toEqual([])
  expect(await story.control()).toMatchObject({ state: 'met' })

  wipe(first)
  await story.runs(2)
  expect(events()).toEqual([`violation.opened ${rule}`])
  for (let run = 0; run < 10; run += 2) {
    await story.runs(2)
    expect(await story.control()).toMatchObject({ state: 'not_met' })
  }
  expect(events()).toEqual([`violation.opened ${rule}`])

  changeEndpoint(fleet, { project, uid: first.uid }, () => first)
  await story.runs(2)
  expect(events()).toEqual([`violation.opened ${rule}`, `violation.resolved ${rule} fixed`])
  expect(await story.control()).toEqual({ state: 'met', accepted: [] })

  wipe(second)
  await story.runs(2)
  const { rows } = await story.cli.json('violations --open')
  await story.accept(`${rows[0].fingerprint} --reason 'it moved' --by lee`)
  await story.runs(3)
  expect(events().slice(2)).toEqual([`violation.opened ${rule}`, `violation.closed ${rule} accepted`])
  expect(await story.control()).toEqual({ state: 'met', accepted: ['lee: it moved'] })

  story.worker.child.kill('SIGTERM')
  expect((await story.worker.ended).code).toBe(143)
  expect((await story.cli.run('verify')).code).toBe(0)
}, 120_000)
