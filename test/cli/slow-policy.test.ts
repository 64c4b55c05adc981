import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { openCliFixture } from './cli-fixture.ts'
import { command } from './run-in-process.ts'
import { type openDirectory, startHookdrift } from './start-process.ts'

/** Allowed, and nothing that is read in a moment: ninety files of a thousand overrides each. */
function layOutSlowPolicy({ write }: Pick<ReturnType<typeof openDirectory>, 'write'>) {
  const names = Array.from({ length: 90 }, (_, index) => `slow-${index}.yaml`)
  const override = '- { match: { uid: a }, rules: { endpoint/inactive: off } }\n'
  for (const name of names) write(name, `extends: []\noverrides:\n${override.repeat(1000)}`)
  write('slow.yaml', `extends: [${names.map((name) => `./${name}`).join(', ')}]\n`)
}

/** Calls what listens for a signal, as soon as something does besides what did before. */
async function signalWhenHeard(name: 'SIGTERM') {
  const before = new Set(process.rawListeners(name))
  for (;;) {
    const heard = process.rawListeners(name).find((listener) => !before.has(listener))
    if (heard !== undefined) return void Reflect.apply(heard, process, [name])
    await new Promise((resolve) => setImmediate(resolve))
  }
}

describe('a policy that takes long to read', () => {
  it('does not keep a run from being stopped', async () => {
    await using cli = await openCliFixture({}, 'policy: ./slow.yaml\n')
    layOutSlowPolicy(cli.directory)
    const options = { cwd: cli.directory.path, env: cli.env }
    const checking = command('policy check slow.yaml', options)
    await signalWhenHeard('SIGTERM')
    expect(await checking).toEqual({ code: 143, stdout: '', stderr: '' })
    const auditing = cli.audit()
    await signalWhenHeard('SIGTERM')
    expect(await auditing).toMatchObject({ code: 143, stdout: '' })
  })

  it('does not keep a worker from answering or from being stopped', async () => {
    const schedules =
      'policy: ./slow.yaml\nworker: { listen: 127.0.0.1:0 }\nschedules: [{ name: a, cron: "0 0 1 1 *" }]\n'
    await using cli = await openCliFixture({}, schedules)
    layOutSlowPolicy(cli.directory)
    const { child, ended } = startHookdrift('worker', {
      cwd: cli.directory.path,
      env: { ...cli.env, HOOKDRIFT_LOG: 'info' },
    })
    let said = ''
    child.stderr?.on('data', (text) => {
      said += text
    })
    while (!said.includes('"listening"')) await once(child.stderr ?? child, 'data')
    const url = /"url":"([^"]+)"/.exec(said)?.[1]
    expect(await (await fetch(`${url}/readyz`)).text()).toBe('not ready\nthe policy and the history are being read\n')
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
    child.kill('SIGTERM')
    expect(await ended).toMatchObject({ code: 143, stdout: '' })
  })
})
