import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { generateFleet } from '../../src/demo/generate-fleet.ts'
import { startSimulatedService } from '../../src/demo/simulated-service.ts'
import { query } from '../audit/fleet-fixture.ts'
import { configurationFor, openDirectory, type Running, startProgram } from '../cli/start-process.ts'
import { logOf } from '../cli/worker-log.ts'
import { buildImage, type Image, textOf } from './build-image.ts'
import { environmentOf, settingOf, wordsOf } from './read-dockerfile.ts'

/** `npm run test:image` also installs the tools that build, as an engine would. */
const installsTools = process.env.IMAGE_STEPS === 'all'

/** Whether a root file system can be made here: by root, where namespaces are allowed. */
const canEnter = (() => {
  try {
    execFileSync('unshare', ['-m', '-p', '-f', 'true'], { stdio: 'ignore' })
    return process.getuid?.() === 0
  } catch {
    return false
  }
})()

const directory = openDirectory()
let image: Image
beforeAll(async () => {
  image = await buildImage(directory.path, { installsTools })
}, 300_000)
afterAll(() => directory[Symbol.dispose]())

describe('the files of the image', () => {
  it('are the package and its dependencies, without build tools and traces of the build machine', () => {
    const { files, dependencies, devDependencies } = JSON.parse(textOf('package.json'))
    const lib = join(image.root, 'usr/local/lib/hookdrift')
    const there = readdirSync(lib)
    const folders = new Set(files.map((path: string) => path.split('/')[0]))
    expect(there.filter((name) => !folders.has(name)).sort()).toEqual(['node_modules', 'package.json'])
    expect(files.filter((path: string) => !path.startsWith('!') && !existsSync(join(lib, path)))).toEqual([])
    const modules = readdirSync(join(lib, 'node_modules'), { recursive: true, encoding: 'utf8' })
    const known = Object.keys({ ...dependencies, ...devDependencies })
    expect(known.filter((name) => modules.includes(name))).toEqual(['better-sqlite3'])
    const everything = readdirSync(image.root, { recursive: true, encoding: 'utf8' })
    const secret = /(^|\/)(\.npmrc|\.git|\.env|[^/]*\.(key|pem|db))$/
    expect(everything.filter((path) => secret.test(path) && !path.includes('/node_modules/'))).toEqual([])
  })

  it('let its user write to the state directory only', () => {
    const user = settingOf(image.stage, 'USER')
    const state = settingOf(image.stage, 'VOLUME') ?? ''
    expect(user).toMatch(/^[1-9]\d*:[1-9]\d*$/)
    expect(environmentOf(image.stage)).toMatchObject({
      HOOKDRIFT_HISTORY: `${state}/hookdrift.db`,
      SQLITE_TMPDIR: state,
    })
    if (process.getuid?.() !== 0) return
    const { uid, gid } = statSync(join(image.root, state))
    expect(`${uid}:${gid}`).toBe(user)
  })
})

describe.skipIf(!canEnter)('a container with a read-only file system and an unprivileged user', () => {
  it('names the missing configuration when nothing is mounted', async () => {
    const box = openBox()
    const { code, stderr } = await box.run([]).ended
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('cannot read the configuration'),
    })
  })

  it('can write to the volume only', async () => {
    const box = openBox()
    const tried = ['/x', '/etc/hookdrift/x', '/usr/local/lib/hookdrift/x', '/usr/local/bin/x', '/run/secrets/x']
    const script = `for (const file of ${JSON.stringify([...tried, '/var/lib/hookdrift/x'])})
      try { require('node:fs').writeFileSync(file, ''); console.log('wrote', file) } catch (error) { console.log(error.code) }
      console.log(process.pid, process.getuid())`
    const { stdout, stderr } = await box.enter(['node', '-e', script]).ended
    expect(stderr).toBe('')
    const [uid] = (settingOf(image.stage, 'USER') ?? '').split(':')
    expect(stdout).toBe(`${tried.map(() => 'EROFS\n').join('')}wrote /var/lib/hookdrift/x\n1 ${uid}\n`)
  })

  it('runs the demo, which keeps nothing where it can write nothing', async () => {
    const box = openBox()
    const stdout = expect.stringContaining('\nNothing is kept: ')
    expect(await box.run(['demo']).ended).toMatchObject({ code: 0, stdout, stderr: '' })
    expect(readdirSync(box.state)).toEqual([])
  })

  it('runs, passes its health check, and commits its run when it is stopped', async () => {
    const fleet = generateFleet({ projects: 2, endpointsPerProject: 6 })
    await using service = await startSimulatedService(fleet)
    const box = openBox()
    const schedules =
      'worker: { listen: 127.0.0.1:0 }\nschedules: [{ name: once, cron: "0 0 1 1 *", run_on_start: true }]\n'
    box.configure(configurationFor(service.url, fleet, schedules).replace('ACME_KEY', 'file:/run/secrets/acme'))
    box.secret('acme', `${fleet.personalKey}\n`)
    expect((await box.healthCheck()).code).not.toBe(0)

    const first = box.run([])
    const log = logOf(first)
    const { url } = await log.until('listening')
    await log.until('run committed')
    expect(await (await fetch(`${url}/readyz`)).text()).toBe('ready\n')
    expect(await box.healthCheck()).toMatchObject({ code: 0, stderr: '' })
    box.stop(first)
    expect((await first.ended).code).toBe(143)

    service.behaviour.latencyMs = 200
    service.requests.length = 0
    const audit = box.run(['audit', '--quiet'])
    while (service.requests.length < 3) await new Promise((resolve) => setTimeout(resolve, 5))
    box.stop(audit)
    expect((await audit.ended).code).toBe(143)
    service.behaviour.latencyMs = 0

    expect(query(box.history, 'SELECT number, state FROM run ORDER BY number')).toEqual([
      { number: 1, state: 'committed' },
      { number: 2, state: 'committed' },
    ])
    const statuses = query<{ status: string }>(box.history, 'SELECT DISTINCT status FROM run_coverage WHERE run = 2')
    expect(statuses).toContainEqual({ status: 'partial' })
    expect(await box.run(['verify', '--deep']).ended).toMatchObject({ code: 0, stderr: '' })
    expect(await box.run(['backup', '/var/lib/hookdrift/backup.db']).ended).toMatchObject({ code: 0, stderr: '' })
    const { code, stdout } = await box.run(['audit', '--fail-on', 'critical', '--format', 'json']).ended
    expect([0, 1]).toContain(code)
    expect(stdout).not.toContain('not-a-real-key')
    for (const name of readdirSync(box.state))
      expect(`${name} ${statSync(join(box.state, name)).mode & 0o077}`).toBe(`${name} 0`)
  })
})

let boxes = 0

/** A container's mounts, with a way to start programs in them. Each has a volume of its own. */
function openBox() {
  const base = join(directory.path, `box-${++boxes}`)
  const [config, secrets, state, root] = ['config', 'secrets', 'state', 'root'].map((name) => join(base, name))
  if (!config || !secrets || !state || !root) throw new Error('four places were named')
  for (const path of [config, secrets, state, root]) mkdirSync(path, { recursive: true, mode: 0o755 })
  const user = settingOf(image.stage, 'USER') ?? ''
  // As an engine does with a new volume: it gets the owner and the mode of what it covers.
  execFileSync('chown', [user, state])
  chmodSync(state, 0o755)
  const workdir = settingOf(image.stage, 'WORKDIR') ?? ''
  const script = join(import.meta.dirname, 'enter-image.sh')
  const fixed = [root, image.root, config, secrets, state, workdir, user, process.execPath]
  const enter = (command: readonly string[]): Running =>
    startProgram('unshare', ['-m', '-p', '-f', '--kill-child', 'sh', script, ...fixed, ...command], {
      cwd: base,
      env: { ...environmentOf(image.stage), PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' },
    })
  const run = (args: readonly string[]) =>
    enter([...wordsOf(image.stage, 'ENTRYPOINT'), ...(args.length > 0 ? args : wordsOf(image.stage, 'CMD'))])
  const write = (folder: string, name: string, text: string) => {
    execFileSync('sh', ['-c', 'cat > "$0"', join(folder, name)], { input: text })
  }
  return {
    state,
    history: join(state, 'hookdrift.db'),
    run,
    enter,
    configure: (text: string) => write(config, 'hookdrift.yaml', text),
    secret: (name: string, text: string) => write(secrets, name, text),
    healthCheck: () => enter(wordsOf(image.stage, 'HEALTHCHECK')).ended,
    /** As an engine stops a container: a signal to its first process. */
    stop: ({ child }: Running) => {
      const first = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim()
      process.kill(Number(first), 'SIGTERM')
    },
  }
}
