import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, join } from 'node:path'
import { parse } from 'acorn'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { targets } from '../../src/cli/init/interview.ts'
import { generateFleet } from '../../src/demo/generate-fleet.ts'
import { startSimulatedService } from '../../src/demo/simulated-service.ts'
import { refusal } from './refusal.ts'
import { openDirectory, startProgram } from './start-process.ts'

const checkout = join(import.meta.dirname, '../..')
const bin = join(checkout, 'bin/hookdrift.js')
const { version, files, dependencies, devDependencies, engines } = JSON.parse(
  readFileSync(join(checkout, 'package.json'), 'utf8'),
)

/** What the build writes. */
const built = ['dist', 'sbom.cdx.json', 'THIRD-PARTY-NOTICES.txt']

/** When the sources were written: 2026-11-01 in UTC, in seconds. */
const SOURCE_DATE_EPOCH = '1793491200'

/** This Node first: the machine's own may be older. */
const PATH = `${dirname(process.execPath)}:${process.env.PATH}`

interface Lock {
  readonly packages: Readonly<Record<string, { readonly version: string; readonly integrity?: string }>>
}

interface Component {
  readonly 'bom-ref': string
  readonly hashes: readonly { readonly alg: string; readonly content: string }[]
}

/** By name and version, as a lock file writes them. */
function digestsOf(components: readonly Component[]) {
  return Object.fromEntries(
    components.map(({ 'bom-ref': ref, hashes: [hash] }) => {
      return [
        ref,
        `${hash?.alg.toLowerCase().replace('-', '')}-${Buffer.from(hash?.content ?? '', 'hex').toString('base64')}`,
      ]
    }),
  )
}

function nameOf(path: string) {
  return path.replace(/^.*node_modules\//, '')
}

describe('the package', () => {
  const directory = openDirectory()
  const installed = join(directory.path, 'elsewhere')
  const hookdrift = (...args: string[]) =>
    startProgram(join(installed, 'node_modules/.bin/hookdrift'), args, { cwd: installed, env: { PATH } }).ended
  let packed: readonly string[] = []
  const notices = () => readFileSync(join(installed, 'node_modules/hookdrift/THIRD-PARTY-NOTICES.txt'), 'utf8')
  /** Packages whose code is in the package's files. */
  const bundled = () => [...notices().matchAll(/^(\S+@\d\S*) \(.*\)$/gm)].map(([, ref = '']) => ref)

  beforeAll(async () => {
    // A copy, so that what this checkout has built is left alone.
    const copy = join(directory.path, 'checkout')
    const sources = ['.npmrc', 'package.json', 'package-lock.json', 'tsconfig.json', 'src', 'scripts', 'release']
    for (const name of [...sources, ...files]) {
      if (!built.includes(name) && existsSync(join(checkout, name))) {
        cpSync(join(checkout, name), join(copy, name), { recursive: true })
      }
    }
    symlinkSync(join(checkout, 'node_modules'), join(copy, 'node_modules'))
    await succeed('npm', ['run', '-s', 'build'], copy)
    const args = ['pack', '--json', '--pack-destination', directory.path, './package']
    const { stdout } = await succeed('npm', args, copy)
    const answer = JSON.parse(stdout.slice(stdout.indexOf('[')))
    packed = answer[0].files.map(({ path }: { path: string }) => path)
    mkdirSync(installed)
    directory.write('elsewhere/package.json', '{ "private": true }')
    // A registry that leaves one request without an answer is asked again, and for as little as possible.
    const patience = ['--prefer-offline', '--no-audit', '--fetch-timeout=20000']
    await succeed('npm', ['install', '--omit=dev', ...patience, join(directory.path, answer[0].filename)], installed)
  }, 180_000)
  afterAll(() => directory[Symbol.dispose]())

  it('contains what runs and what is read, and nothing else', () => {
    const folders = [...new Set(packed.map((path) => path.split('/')[0] ?? ''))].sort()
    const known = [
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'THIRD-PARTY-NOTICES.txt',
      'action.yml',
      'bin',
      'compose.yaml',
      'config',
      'deploy',
      'dist',
      'docs',
      'man',
      'migrations',
      'package.json',
      'sbom.cdx.json',
      'templates',
    ]
    expect(folders.filter((name) => !known.includes(name))).toEqual([])
    expect(packed).toEqual(
      expect.arrayContaining(['bin/hookdrift.js', 'dist/cli/start.js', 'migrations/0001_history.sql', 'package.json']),
    )
    // Tests of a policy come with it; those of the program do not.
    expect(packed.filter((path) => path.endsWith('.ts') || /\.test\.(?!yaml$)/.test(path))).toEqual([])
  })

  it('is written in the JavaScript that the oldest supported Node understands', () => {
    const dist = join(installed, 'node_modules/hookdrift/dist')
    const files = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js'))
    expect(files.length).toBeGreaterThan(20)
    for (const name of files) {
      const text = readFileSync(join(dist, name), 'utf8')
      // Node 22 has neither `using` declarations nor the stacks that came with them.
      expect(() => parse(text, { ecmaVersion: 2024, sourceType: 'module' }), name).not.toThrow()
      expect(text.includes('DisposableStack('), name).toBe(false)
    }
  })

  it('asks for no package but the native one when it runs', () => {
    const dist = join(installed, 'node_modules/hookdrift/dist')
    const files = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js'))
    const asked = files.flatMap((name) => {
      const text = readFileSync(join(dist, name), 'utf8')
      return [
        ...text.matchAll(
          /^(?:import|export) .*from "([^".][^"]*)"|(?:(?<!['"`])(?:require|import)[$\w]*|import\.meta\.url\))\("([^".][^"]*)"\)/gm,
        ),
      ]
    })
    const names = new Set(asked.map(([, one, other]) => one ?? other ?? ''))
    expect([...names].filter((name) => !isBuiltin(name))).toEqual(['better-sqlite3'])
  })

  it('comes with the licence of every package in its files', () => {
    const terms = notices().split(/^-{80}$/m)
    expect(terms.slice(1).filter((text) => !/permission|permitted|licen[cs]e/i.test(text))).toEqual([])
    expect(bundled().map((ref) => ref.replace(/@[^@]*$/, ''))).toEqual(
      expect.arrayContaining(['commander', 'undici', 'yaml', 'zod']),
    )
  })

  it('lists what it contains and needs with digests as the lock file does, and nothing of the machine that built it', () => {
    const text = readFileSync(join(installed, 'node_modules/hookdrift/sbom.cdx.json'), 'utf8')
    const { bomFormat, metadata, components } = JSON.parse(text)
    expect([bomFormat, metadata.component.name, metadata.component.version]).toEqual([
      'CycloneDX',
      'hookdrift',
      version,
    ])
    const lock: Lock = JSON.parse(readFileSync(join(checkout, 'package-lock.json'), 'utf8'))
    const locked = Object.entries(lock.packages).filter(([path]) => path !== '')
    const contained = new Set(bundled())
    const installedWith = JSON.parse(readFileSync(join(installed, 'package-lock.json'), 'utf8'))
    const needed = new Set(
      Object.keys(installedWith.packages).filter((path) => path !== '' && path !== 'node_modules/hookdrift'),
    )
    expect(needed).toContain('node_modules/better-sqlite3')
    const shipped = locked
      .map(([path, entry]) => ({ ...entry, path, ref: `${nameOf(path)}@${entry.version}` }))
      .filter(({ path, ref }) => needed.has(path) || contained.has(ref))
    expect(digestsOf(components)).toEqual(
      Object.fromEntries(shipped.map(({ ref, integrity = '' }) => [ref, integrity])),
    )
    // The name of the schema is the only address in it.
    expect(text.match(/[a-z]+:\/\/[^"]*/g)).toEqual(['http://cyclonedx.org/schema/bom-1.5.schema.json'])
    expect(text).not.toContain(directory.path)
    // Two builds of the same sources are alike: the time is given.
    expect(metadata.timestamp).toBe('2026-11-01T00:00:00.000Z')
    expect(metadata.tools.components.map(({ name }: { name: string }) => name)).toEqual([
      'npm sbom, as hookdrift builds it',
    ])
  })

  it('brings no tool and no package that its files contain', () => {
    const there = Object.keys({ ...dependencies, ...devDependencies }).filter((name) =>
      existsSync(join(installed, 'node_modules', name)),
    )
    expect(there).toEqual(['better-sqlite3'])
  })

  it('prints its version', async () => {
    expect(await hookdrift('--version')).toEqual({ code: 0, signal: null, stdout: `${version}\n`, stderr: '' })
  })

  it('prints its help', async () => {
    expect(await hookdrift('--help')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Exit codes:'),
      stderr: '',
    })
  })

  it('runs its demo, which needs a native module for the history', async () => {
    const before = readdirSync(installed).sort()
    const { code, stdout, stderr } = await hookdrift('demo', '--no-keep')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/would have exited with 1/)
    expect(readdirSync(installed).sort()).toEqual(before)
  })

  it('sets each place up with the files that it contains', async () => {
    const fleet = generateFleet({ projects: 1, endpointsPerProject: 2 })
    await using service = await startSimulatedService(fleet)
    const reaching = ['--url', service.url, '--key-from-env', 'ACME_KEY', '--organisation', fleet.organisationId]
    for (const place of targets) {
      const args = ['init', '--yes', ...reaching, '--projects', 'all', '--for', place, '--directory', place]
      const env = { PATH, ACME_KEY: fleet.personalKey }
      const program = join(installed, 'node_modules/.bin/hookdrift')
      const { code, stderr } = await startProgram(program, args, { cwd: directory.path, env }).ended
      expect({ place, code, stderr }).toEqual({ place, code: 0, stderr: '' })
    }
    // An installed package packs again: a repository may carry it.
    const args = ['pack', '--ignore-scripts', '--json', '--dry-run', join(installed, 'node_modules/hookdrift')]
    const { stdout } = await succeed('npm', args, directory.path)
    const again = JSON.parse(stdout.slice(stdout.indexOf('[')))[0].files.map(({ path }: { path: string }) => path)
    expect(again.sort()).toEqual(packed.toSorted())
  }, 120_000)

  it('reports a mistake as the checkout does', async () => {
    expect(await hookdrift('audit')).toMatchObject(refusal(/^hookdrift: cannot read the configuration hookdrift\.yaml/))
  })
})

describe('an older Node', () => {
  const refusalOf = (node: string) => ({
    code: 2,
    signal: null,
    stdout: '',
    stderr: `hookdrift needs Node 22.19 or newer, this is Node ${node}\n  install one, such as with \`nvm install 24\`, or run the container\n`,
  })
  /** A Node that calls itself something else. A checkout has no dist next to its bin: loading more than the first file fails. */
  const preload = (node: string) => `Object.defineProperty(process.versions, 'node', { value: '${node}' })`

  it.each(['4.9.1', '18.20.4', '20.1.0', '22.18.0'])('%s prints in one line which Node it needs', async (node) => {
    using directory = openDirectory()
    const file = directory.write('preload.cjs', preload(node))
    const run = startProgram(process.execPath, ['--require', file, bin, 'audit'], { cwd: directory.path })
    expect(await run.ended).toEqual(refusalOf(node))
  })

  it.each(['22.19.0', '23.0.0', '100.0.0'])('%s does not print that line', async (node) => {
    using directory = openDirectory()
    const file = directory.write('preload.cjs', preload(node))
    const { stderr } = await startProgram(process.execPath, ['--require', file, bin, '--version'], {
      cwd: directory.path,
    }).ended
    expect(stderr).not.toMatch(/needs Node/)
  })

  it('exits with an error where the machine has one', async ({ skip }) => {
    const machines = '/usr/bin/node'
    if (!existsSync(machines)) return skip('this machine has no Node of its own')
    using directory = openDirectory()
    const options = { cwd: directory.path }
    const { stdout } = await startProgram(machines, ['--version'], options).ended
    const node = stdout.trim().slice(1)
    const [major = 0, minor = 0] = node.split('.').map(Number)
    if (major > 22 || (major === 22 && minor >= 19)) return skip(`this machine's Node is ${node}`)
    expect(await startProgram(machines, [bin, 'audit'], options).ended).toEqual(refusalOf(node))
  })

  it('is the one that package.json names', () => {
    expect(engines.node).toBe('>=22.19')
  })
})

async function succeed(name: string, args: readonly string[], cwd: string) {
  // As this machine reaches its registry: proxies, certificates. What the surrounding npm said is none of its business.
  const own = Object.entries(process.env).filter(([key]) => !key.startsWith('npm_'))
  const ended = await startProgram(name, args, { cwd, env: { ...Object.fromEntries(own), PATH, SOURCE_DATE_EPOCH } })
    .ended
  if (ended.code !== 0) throw new Error(`${name} ${args.join(' ')} ended with ${ended.code}: ${ended.stderr}`)
  return ended
}
