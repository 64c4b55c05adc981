import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { generateFleet } from '../../src/demo/generate-fleet.ts'
import { startSimulatedService } from '../../src/demo/simulated-service.ts'
import { connect } from '../../src/history/postgres/connect.ts'
import { type Running, startHookdrift } from '../cli/start-process.ts'
import { hasPostgres, makeDatabase, type TestDatabase } from '../history/postgres/databases.ts'
import { maskedReport, openWorkerProcesses, untilWorkers, watchWalks } from './worker-processes.ts'

const size = { clean: false, projects: 8, endpointsPerProject: 10, seed: 'workers' }

describe.skipIf(!hasPostgres)('workers that share runs', { timeout: 170_000 }, () => {
  let place: TestDatabase
  beforeEach(async () => {
    place = await makeDatabase({ empty: true })
  })
  afterEach(() => place.remove())

  it('report what one process reports, and never read more projects at once than the service allows', async () => {
    const walks = watchWalks(20)
    const fleet = generateFleet(size)
    await using service = await startSimulatedService(fleet, { latencyMs: walks.latencyMs })
    await using workers = openWorkerProcesses({ service, fleet, url: place.url, walks: 3 })
    for (let n = 0; n < 4; n++) workers.start()
    await untilWorkers(place, 4)
    const first = await workers.audit()
    expect(first).toMatchObject({ code: 1, report: { run: { number: 1 } } })
    expect(walks.most()).toBeLessThanOrEqual(3)
    expect(walks.most()).toBeGreaterThan(1)

    const alone = startHookdrift('audit --format json --history alone.db', {
      cwd: workers.directory.path,
      env: { ACME_KEY: fleet.personalKey, HOOKDRIFT_SEAL_KEY: 'not-a-real-seal-key-of-many-workers' },
    })
    const { stdout } = await alone.ended
    expect(maskedReport(first.report)).toEqual(maskedReport(JSON.parse(stdout)))
    const { code, stdout: verified } = await workers.say('verify', '--deep')
    expect({ code, verified }).toMatchObject({ code: 0 })
    // A second run finds nothing new.
    expect((await workers.audit()).report).toMatchObject({ run: { number: 2 }, drift: [] })
  })

  it('commit a complete run when workers are killed, the coordinator too, and zombies write nothing', async () => {
    const fleet = generateFleet({ ...size, projects: 12 })
    await using service = await startSimulatedService(fleet, { latencyMs: 60 })
    await using workers = openWorkerProcesses({ service, fleet, url: place.url, slots: 3, walks: 8 })
    const all = [1, 2, 3, 4, 5].map(() => workers.start())
    await untilWorkers(place, 5)
    const asked = workers.audit()
    const db = connect(place.server)
    const pidOf = (sql: string) => db.value<number>(`SELECT pid FROM hookdrift.worker w WHERE ${sql} LIMIT 1`)
    const walking = "EXISTS (SELECT 1 FROM hookdrift.task t WHERE t.worker = w.id AND t.state = 'running')"
    try {
      await until(
        async () => (await db.value<number>("SELECT count(*) FROM hookdrift.task WHERE state = 'done'")) !== 0,
      )
      const coordinating = 'EXISTS (SELECT 1 FROM hookdrift.run_plan p WHERE p.coordinator = w.id)'
      const coordinator = await pidOf(coordinating)
      const walker = await pidOf(`NOT ${coordinating} AND ${walking}`)
      const zombie = await pidOf(`NOT ${coordinating} AND ${walking} AND pid <> ${walker}`)
      const processOf = (pid: number | undefined) => all.find(({ child }) => child.pid === pid)?.child
      processOf(zombie)?.kill('SIGSTOP')
      processOf(walker)?.kill('SIGKILL')
      processOf(coordinator)?.kill('SIGKILL')
      expect([coordinator, walker, zombie]).toEqual([coordinator, walker, zombie].map((pid) => processOf(pid)?.pid))
      // The tasks of the paused worker are another one's before it goes on.
      const own =
        "(SELECT count(*) FROM hookdrift.task t JOIN hookdrift.worker w ON w.id = t.worker WHERE w.pid = $1 AND t.state = 'running')"
      await until(async () => (await db.value<number>(`SELECT ${own}`, [zombie ?? 0])) === 0)
      processOf(zombie)?.kill('SIGCONT')
      const { code, report, stderr } = await asked
      expect({ code, stderr }).toMatchObject({ code: 1 })
      expect(report?.coverage.filter(({ status }) => status !== 'complete')).toEqual([])

      const { stdout } = await workers.say('audit', '--format', 'json', '--history', 'alone.db')
      expect(maskedReport(report)).toEqual(maskedReport(JSON.parse(stdout)))
      await sleep(2_000)
      expect(await workers.say('verify', '--deep')).toMatchObject({ code: 0 })
      expect(await db.value<number>("SELECT count(*) FROM hookdrift.run WHERE state = 'committed'")).toBe(1)
    } finally {
      await db.close()
    }
  })

  it('end a run at its deadline with what was read, and nothing is gone', async () => {
    const fleet = generateFleet({ ...size, projects: 6 })
    await using service = await startSimulatedService(fleet)
    const more = 'run_timeout: 12s\n'
    await using workers = openWorkerProcesses({ service, fleet, url: place.url, slots: 1, more })
    workers.start()
    await untilWorkers(place, 1)
    expect(await workers.audit()).toMatchObject({ code: 1, report: { run: { number: 1 } } })
    service.behaviour.latencyMs = 2_500
    const { code, report } = await workers.audit()
    expect(code).toBe(3)
    expect(report?.drift.filter(({ change }) => change === 'removed')).toEqual([])
    const causes = new Set(report?.coverage.filter(({ status }) => status !== 'complete').map(({ cause }) => cause))
    expect(causes).toEqual(new Set(['run_timeout']))
    expect(report?.coverage.filter(({ reason }) => reason?.includes('the run_timeout of 12 s is over'))).not.toEqual([])
  })

  it('leave projects to others while their files differ from those of the run, until they agree', async () => {
    const fleet = generateFleet({ ...size, projects: 4 })
    await using service = await startSimulatedService(fleet, { latencyMs: 20 })
    await using workers = openWorkerProcesses({ service, fleet, url: place.url, slots: 1 })
    const other = writeOtherPolicy(workers)
    const refusing = workers.start('other.yaml')
    await untilWorkers(place, 1)
    const asked = workers.audit()
    await untilLine(refusing, /a run was asked for with other files than this worker has/)
    writeFileSync(other, readFileSync(other, 'utf8').replace('other-policy.yaml', 'policy.yaml'))
    expect(await asked).toMatchObject({ code: 1, report: { run: { number: 1 } } })
  })

  it('leave a run to the one that has its files, which begins it at once', async () => {
    const fleet = generateFleet({ ...size, projects: 4 })
    await using service = await startSimulatedService(fleet)
    await using workers = openWorkerProcesses({ service, fleet, url: place.url, slots: 1 })
    writeOtherPolicy(workers)
    const refusing = workers.start('other.yaml')
    let said = ''
    refusing.child.stderr?.on('data', (text: string) => {
      said += text
    })
    await untilWorkers(place, 1)
    const asked = workers.audit()
    await untilLine(refusing, /a run was asked for with other files than this worker has/)
    workers.start()
    expect(await asked).toMatchObject({ code: 1, report: { run: { number: 1 } } })
    // Once, and once more where it asked again before the other one had begun.
    expect(said.split('a run was asked for with other files').length - 1).toBeLessThanOrEqual(2)
  })

  it('give a run up that began with files which no worker has any longer, so that the next one can begin', async () => {
    const fleet = generateFleet({ ...size, projects: 3 })
    await using service = await startSimulatedService(fleet, { latencyMs: 1_000 })
    await using workers = openWorkerProcesses({ service, fleet, url: place.url, slots: 1 })
    const db = connect(place.server)
    try {
      const { child } = workers.start()
      await untilWorkers(place, 1)
      const asked = workers.audit()
      await until(
        async () => (await db.value<number>("SELECT count(*) FROM hookdrift.task WHERE state = 'running'")) === 1,
      )
      child.kill('SIGKILL')
      workers.configure('run_timeout: 55m\n')
      // As if it waited for five minutes, and the lost one were silent for as long.
      await db.run("UPDATE hookdrift.run_plan SET asked_at = asked_at - interval '6 minutes'")
      await db.run("UPDATE hookdrift.worker SET seen_at = seen_at - interval '6 minutes'")
      service.behaviour.latencyMs = 0
      workers.start()
      const { code, stderr } = await asked
      expect({ code, stderr }).toMatchObject({
        code: 4,
        stderr: expect.stringContaining('no worker has the configuration that it was asked with'),
      })
      expect(await db.value('SELECT state FROM hookdrift.run WHERE number = 1')).toBe('interrupted')
      expect(await workers.audit()).toMatchObject({ code: 1, report: { run: { number: 2 } } })
      expect(await workers.say('verify', '--deep')).toMatchObject({ code: 0 })
    } finally {
      await db.close()
    }
  })

  it('say what they cannot do by the exit code of a single process', async () => {
    const fleet = generateFleet({ ...size, projects: 1 })
    await using service = await startSimulatedService(fleet)
    await using workers = openWorkerProcesses({ service, fleet, url: place.url })
    workers.start()
    await untilWorkers(place, 1)
    const unknown = await workers.audit('--project', 'nope/*')
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('nope/*') })
    expect(await workers.audit()).toMatchObject({ code: 1 })
    const moved = await workers.say('history', 'copy', place.url, 'moved.db')
    expect(moved).toMatchObject({ code: 0 })
    expect(await workers.audit()).toMatchObject({ code: 5, stderr: expect.stringContaining('was moved to') })
  })

  it('refuse a history that they cannot share, and a run without workers', async () => {
    const fleet = generateFleet({ ...size, projects: 1 })
    await using service = await startSimulatedService(fleet)
    await using workers = openWorkerProcesses({ service, fleet, url: place.url })
    for (const [command, advice] of [
      [['worker'], 'remove `worker.shared`'],
      [['audit', '--shared'], 'leave --shared out'],
    ] as const) {
      const { code, stderr } = await workers.say(...command, '--history', 'file.db')
      expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('workers cannot share') })
      expect(stderr).toContain(advice)
    }
    expect(existsSync(join(workers.directory.path, 'file.db'))).toBe(false)
    const alone = await workers.audit()
    expect(alone).toMatchObject({ code: 4, stderr: expect.stringContaining('no worker takes part in runs of') })
  })
})

async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 2_000; tries++) {
    if (await isSo().catch(() => false)) return
    await sleep(50)
  }
  throw new Error('it did not come so far')
}

/** The file `other.yaml`, which differs in its policy; returns where it is. */
function writeOtherPolicy(workers: ReturnType<typeof openWorkerProcesses>): string {
  workers.directory.write('other-policy.yaml', 'extends: [recommended]\n')
  workers.writeOther('other.yaml', '')
  const other = workers.directory.file('other.yaml')
  writeFileSync(other, readFileSync(other, 'utf8').replace('policy.yaml', 'other-policy.yaml'))
  return other
}

function untilLine({ child, ended }: Running, line: RegExp): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = ''
    child.stderr?.on('data', (text: string) => {
      said += text
      if (line.test(said)) resolve()
    })
    void ended.then(() => reject(new Error(`it ended: ${said}`)))
  })
}
