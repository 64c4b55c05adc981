import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { hasPostgres } from '../history/postgres/databases.ts'
import { makeCluster } from '../start-postgres.ts'
import { openCliFixture } from './cli-fixture.ts'
import { startHookdrift } from './start-process.ts'
import { logOf } from './worker-log.ts'

const sealKey = 'not-a-real-seal-key-for-many-machines'
const configuration = `concurrency: 1
worker: { listen: "127.0.0.1:0" }
schedules: [{ name: often, cron: "* * * * * *", run_on_start: true }]
notify: [{ name: files, type: directory, path: ./reports, formats: [json] }]
`

describe.skipIf(!hasPostgres)('a worker whose history is on a server', () => {
  it('waits for the server, goes on after it was away, and ends in order', async () => {
    const cluster = makeCluster()
    if (cluster === undefined) throw new Error('PostgreSQL is not installed')
    await using _ = { [Symbol.asyncDispose]: () => cluster.remove() }
    await cluster.stop()
    await using cli = await openCliFixture({}, configuration)
    const history = `postgres://${cluster.user}@localhost/postgres?host=${encodeURIComponent(cluster.directory)}`
    const { HOOKDRIFT_LOG: __, ...env } = { ...cli.env, HOOKDRIFT_HISTORY: history, HOOKDRIFT_SEAL_KEY: sealKey }
    const worker = startHookdrift(['worker'], { cwd: cli.directory.path, env })
    const log = logOf(worker)
    const { url } = await log.until('listening')
    const ask = async (path: string) => {
      const answer = await fetch(`${url}${path}`)
      return `${answer.status} ${await answer.text()}`
    }
    // A slow machine misses ticks, and a worker that missed the last one is not ready.
    const untilReady = async () => {
      while ((await ask('/readyz')) !== '200 ready\n') await sleep(200)
    }
    expect(await log.until('waiting for the history')).toMatchObject({
      error: expect.stringMatching(/^cannot use the history postgres:.*no such file or directory/),
      advice: 'check that the server runs and can be reached from here',
    })
    expect(await ask('/readyz')).toMatch(/^503 /)
    expect(await ask('/healthz')).toBe('200 alive\n')

    await cluster.start()
    await log.until('run committed')
    await untilReady()
    expect(await ask('/metrics')).toMatch(/^hookdrift_history_bytes [1-9]/m)

    await cluster.stop()
    expect(await ask('/readyz')).toMatch(/^503 not ready\n(?:.*\n)*the history cannot be used\n/)
    expect(await ask('/metrics')).toMatch(/^hookdrift_info/m)
    await log.until('an error ended the run; the next tick tries again')

    const before = log.count('run committed')
    await cluster.start()
    while (log.count('run committed') === before) await once(worker.child.stderr ?? worker.child, 'data')
    await untilReady()
    worker.child.kill('SIGTERM')
    expect((await worker.ended).code).toBe(143)
  }, 120_000)
})
