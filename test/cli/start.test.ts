import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join, relative } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundle } from '../../scripts/bundle/bundle.ts'
import { generateFleet } from '../../src/demo/generate-fleet.ts'
import { startSimulatedService } from '../../src/demo/simulated-service.ts'
import { hasPostgres, makeDatabase } from '../history/postgres/databases.ts'
import { refusal } from './refusal.ts'
import { configurationFor, openDirectory, startProgram, wordsOf } from './start-process.ts'

const checkout = join(import.meta.dirname, '../..')
const directory = openDirectory()
const root = join(directory.path, 'hookdrift')
const cache = join(root, 'dist/compile-cache')

beforeAll(async () => {
  for (const part of ['bin', 'config', 'docs/rules', 'migrations', 'package.json']) {
    cpSync(join(checkout, part), join(root, part), { recursive: true })
  }
  symlinkSync(join(checkout, 'node_modules'), join(root, 'node_modules'))
  await bundle(checkout, join(root, 'dist'))
}, 60_000)
afterAll(() => directory[Symbol.dispose]())

const start = (line: string, env: Readonly<Record<string, string>> = {}, flags: readonly string[] = []) =>
  startProgram(process.execPath, [...flags, join(root, 'bin/hookdrift.js'), ...wordsOf(line)], {
    cwd: directory.path,
    env,
  }).ended

/** The files of the package that a command loads, without the hashes in their names, and how it ends. */
async function loadedBy(line: string, env: Readonly<Record<string, string>> = {}) {
  const list = directory.file('loaded')
  writeFileSync(list, '')
  const hook = directory.write(
    'hook.mjs',
    `import { appendFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
registerHooks({ load: (url, context, next) => (appendFileSync(${JSON.stringify(list)}, url + '\\n'), next(url, context)) })`,
  )
  const { code, stderr } = await start(line, env, ['--import', hook])
  const paths = readFileSync(list, 'utf8')
    .split('\n')
    .flatMap((url) => (url.startsWith('file:') ? new URL(url).pathname : []))
  const own = paths.map((path) => relative(root, path)).filter((path) => path.startsWith('dist/'))
  return { code, stderr, files: own.map((path) => path.replace(/^dist\/(?:chunks\/)?|(?:-[\w-]{8})?\.js$/g, '')) }
}

it('carries style sheets and scripts of browsers as they are', () => {
  for (const asset of ['report/html/style.css', 'pages/style.css', 'pages/script.js', 'pages/copy.js']) {
    expect(readFileSync(join(root, 'dist', asset), 'utf8')).toBe(readFileSync(join(checkout, 'src', asset), 'utf8'))
  }
})

describe('a package of which a file is missing', () => {
  it.each(['cli/start.js', 'chunks/main-*.js'])(
    'ends with 4 without %s, and not with 1, which means violations',
    async (pattern) => {
      const broken = join(directory.path, `without-${pattern.replace(/\W/g, '')}`)
      for (const part of ['bin', 'dist', 'migrations', 'package.json'])
        cpSync(join(root, part), join(broken, part), { recursive: true })
      const missing = globSync(pattern, { cwd: join(broken, 'dist') })
      expect(missing).toHaveLength(1)
      for (const name of missing) rmSync(join(broken, 'dist', name))
      const program = join(broken, 'bin/hookdrift.js')
      const ended = await startProgram(process.execPath, [program, '--version'], { cwd: directory.path }).ended
      const said =
        /^hookdrift: this installation is not complete: Cannot find module .*\n {2}install the package again\n$/
      expect(ended).toMatchObject(refusal(said, 4))
    },
  )
})

describe('a command of the package', () => {
  const first = ['cli/start', 'main', 'start']
  const bundler = 'rolldown-runtime'

  it.each(['--help', '--version', 'policy --help'])('loads nothing more to answer %s', async (line) => {
    const { code, files } = await loadedBy(line)
    expect({ code, files: files.filter((name) => name !== bundler).sort() }).toEqual({ code: 0, files: first })
  })

  it.each([
    ['config schema', []],
    ['runs', ['answer', 'ask', 'history']],
    ['audit', ['answer', 'audit', 'compared', 'history', 'rules']],
  ])('loads the command and no other one to explain %s', async (name, chunks) => {
    const { code, files } = await loadedBy(`${name} --help`)
    const own = files.filter((file) => ![...first, bundler].includes(file))
    expect({ code, own: [...new Set(own)].sort() }).toEqual({
      code: 0,
      own: [...new Set([name.replace(' ', '-'), ...chunks])].sort(),
    })
  })

  it('loads what compares, and no audit, to compare two runs', async () => {
    const { files } = await loadedBy('diff latest~1 latest --history /dev/null --format json')
    expect(files).toContain('compared')
    for (const other of ['audit', 'rules', 'text', 'undici']) expect(files).not.toContain(other)
  })

  it('loads the rules, and no audit, to list the rules', async () => {
    const { code, files } = await loadedBy('rules')
    expect(code).toBe(0)
    expect(files).toContain('rules')
    for (const other of ['audit', 'text', 'undici']) expect(files).not.toContain(other)
  })

  it('loads the questions of init on a terminal only', async () => {
    const { code, files } = await loadedBy('init')
    expect(code).toBe(2)
    expect(files).toContain('init')
    expect(files).not.toContain('ask')
  })

  it('loads what every audit needs in few files, and the history alone to read it', async () => {
    const fleet = generateFleet({ projects: 1, endpointsPerProject: 2 })
    await using service = await startSimulatedService(fleet)
    directory.write('hookdrift.yaml', configurationFor(service.url, fleet, 'history: ./history.db\n'))
    const env = { ACME_KEY: fleet.personalKey }

    const audit = await loadedBy('audit --quiet --fail-on never', env)
    expect(audit.code).toBe(0)
    expect(audit.files).toEqual(expect.arrayContaining([...first, 'history', 'rules', 'audit']))
    // What a run needs for a proxy, a channel or a report only.
    for (const other of ['undici', 'email', 'metrics', 'text', 'html', 'postgres', 'open-sharing'])
      expect(audit.files).not.toContain(other)
    expect(audit.files.length).toBeLessThan(30)

    const runs = await loadedBy('runs --history ./history.db')
    expect(runs.code).toBe(0)
    for (const other of ['audit', 'rules', 'text', 'undici', 'postgres']) expect(runs.files).not.toContain(other)
  })

  it.skipIf(!hasPostgres)('loads what PostgreSQL needs for a history there, and no queue of shared runs', async () => {
    const fleet = generateFleet({ projects: 1, endpointsPerProject: 2 })
    await using service = await startSimulatedService(fleet)
    directory.write('hookdrift.yaml', configurationFor(service.url, fleet))
    const place = await makeDatabase({ empty: true })
    await using _ = { [Symbol.asyncDispose]: () => place.remove() }
    const env = { HOOKDRIFT_HISTORY: place.url, HOOKDRIFT_SEAL_KEY: 'not-a-real-seal-key-for-many-machines' }

    const audit = await loadedBy('audit --quiet --fail-on never', { ...env, ACME_KEY: fleet.personalKey })
    expect(audit.code).toBe(0)
    const runs = await loadedBy('runs', env)
    expect(runs.code).toBe(0)
    for (const { files } of [audit, runs]) {
      expect(files).toContain('postgres')
      expect(files).not.toContain('open-sharing')
    }
  })
})

describe('the compile cache', () => {
  const home = join(directory.path, 'home')
  const version = (env: Readonly<Record<string, string>>) => start('--version', env)
  const isFilled = (path: string) => existsSync(path) && readdirSync(path).length > 0

  it('lies in the package', async () => {
    rmSync(cache, { recursive: true, force: true })
    expect(await version({})).toMatchObject({ code: 0, stderr: '' })
    expect(isFilled(cache)).toBe(true)
  })

  it('lies among the caches of the user where the package cannot be written to', async () => {
    rmSync(cache, { recursive: true, force: true })
    writeFileSync(cache, 'not a directory')
    mkdirSync(home)
    expect(await version({ HOME: home })).toMatchObject({ code: 0, stderr: '' })
    expect(isFilled(join(home, '.cache/hookdrift'))).toBe(true)
    expect(await version({ HOME: home, XDG_CACHE_HOME: join(home, 'mine') })).toMatchObject({ code: 0, stderr: '' })
    expect(isFilled(join(home, 'mine/hookdrift'))).toBe(true)
  })

  it('is left out where neither can be', async () => {
    expect(await version({ HOME: join(home, 'missing') })).toMatchObject({ code: 0, stderr: '' })
    expect(readdirSync(home).sort()).toEqual(['.cache', 'mine'])
  })
})
