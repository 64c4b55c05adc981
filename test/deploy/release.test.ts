import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { imageTags } from '../../scripts/release/image-tags.ts'
import { ownerSchema, readOwner } from '../../scripts/release/owner.ts'
import { packageFaults } from '../../scripts/release/package-faults.ts'
import { lockedWith, publishedManifest, stageFiles } from '../../scripts/release/stage-files.ts'
import { checkout, textOf } from './build-image.ts'
import { filled } from './filled-owner.ts'
import { complaintOf } from './parse-command.ts'

const require = createRequire(import.meta.url)
const directory = mkdtempSync(join(tmpdir(), 'hookdrift-staged-'))
stageFiles(checkout, directory)
afterAll(() => rmSync(directory, { recursive: true }))
const description = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'))

/** What `npm pack` takes of the files that are not built, and what the build adds. */
function packedFiles(): readonly string[] {
  const args = ['pack', '--dry-run', '--json', directory]
  const own = Object.entries(process.env).filter(([key]) => !key.startsWith('npm_'))
  const env = { ...Object.fromEntries(own), PATH: `${dirname(process.execPath)}:${process.env.PATH}` }
  const [{ files }] = JSON.parse(
    execFileSync('npm', args, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
  )
  const paths: readonly string[] = files.map(({ path }: { path: string }) => path)
  return [...paths, 'dist/cli/start.js', 'sbom.cdx.json', 'THIRD-PARTY-NOTICES.txt']
}

const files = packedFiles()

const root = JSON.parse(textOf('package.json'))
const rootLock = JSON.parse(textOf('package-lock.json'))

describe('the package, as it would be published', () => {
  it('has no fault', () => {
    expect(packageFaults(description, files)).toEqual([])
  })

  it('can be resolved by its name, and exports files that exist', () => {
    for (const name of ['hookdrift/package.json', 'hookdrift/config/report.schema.json'])
      expect(existsSync(require.resolve(name))).toBe(true)
    expect(() => require.resolve('hookdrift/src/cli/main.ts')).toThrow(/not defined by "exports"/)
  })

  it('is all that is staged, but the lock file, which is for an image', () => {
    const staged = globSync('**', { cwd: directory }).filter((path) => statSync(join(directory, path)).isFile())
    expect(staged.filter((path) => !files.includes(path))).toEqual(['package-lock.json'])
  })

  it('depends on what no bundle can hold, and has nothing of the checkout', () => {
    expect(description.dependencies).toEqual({ 'better-sqlite3': root.dependencies['better-sqlite3'] })
    const { description: about, bin, man, version } = root
    expect(description).toMatchObject({ description: about, bin, man, version })
    const lock = JSON.parse(readFileSync(join(directory, 'package-lock.json'), 'utf8'))
    expect(lock.packages['']).toMatchObject({ version, dependencies: description.dependencies })
    expect(Object.keys(lock.packages)).toContain('node_modules/better-sqlite3')
    for (const [path, entry] of Object.entries(lock.packages).slice(1)) expect(entry).toEqual(rootLock.packages[path])
  })

  it('is published with provenance, and names the places that the owner filled in', () => {
    expect(description.publishConfig).toEqual({ access: 'public', provenance: true })
    const { repository, homepage, bugs } = readOwner(checkout)
    const places = publishedManifest(root, { ...readOwner(checkout), ...filled })
    expect(places).toMatchObject({
      mcpName: 'io.github.acme/hookdrift',
      repository: { type: 'git', url: 'git+https://github.com/acme/hookdrift.git' },
      homepage: 'https://hookdrift.acme.example',
      bugs: 'https://github.com/acme/hookdrift/issues',
    })
    const named = { repository, homepage, bugs }
    for (const [member, place] of Object.entries(named)) expect(member in description).toBe(place !== '')
    expect(description).not.toHaveProperty('author')
  })
})

describe('the checkout', () => {
  it('has no copy of what the build makes: nothing would keep it current', () => {
    const made = ['sbom.cdx.json', 'THIRD-PARTY-NOTICES.txt']
    expect(made.filter((name) => existsSync(join(checkout, name)))).toEqual([])
  })

  it('is never published itself: npm refuses it', () => {
    expect(root.private).toBe(true)
  })

  it('is built where npm packs a clone, and has nothing of that afterwards', () => {
    expect(root.scripts).not.toHaveProperty('prepack')
    expect(root.scripts.prepare).toBe('node scripts/prepare.ts')
    expect(root.scripts.postpack).toMatch(/^rm -rf dist sbom\.cdx\.json THIRD-PARTY-NOTICES\.txt$/)
    const made = ['dist', 'sbom.cdx.json', 'THIRD-PARTY-NOTICES.txt']
    expect(root.files).toEqual(expect.arrayContaining(made))
    expect(made.filter((name) => existsSync(join(checkout, name)))).toEqual([])
  })

  it('offers hooks to pre-commit that name commands which the program knows', async () => {
    const hooks: readonly { id: string; entry: string; language: string }[] = parse(textOf('.pre-commit-hooks.yaml'))
    expect(hooks.length).toBeGreaterThan(1)
    const shown = textOf('docs/how-to/run-in-ci.md').matchAll(/- id: (\S+) +# (.+)/g)
    expect([...shown].map(([, id, entry]) => ({ id, entry }))).toEqual(hooks.map(({ id, entry }) => ({ id, entry })))
    for (const { entry, language } of hooks) {
      const [program, ...args] = entry.split(' ')
      expect({ program, language }).toEqual({ program: 'hookdrift', language: 'node' })
      expect(await complaintOf(args)).toBe('')
    }
  })
})

describe('the tags of the image', () => {
  it.each([
    ['1.2.3', [], '1.2.3 1.2 1 latest'],
    ['1.2.3', ['v1.2.3', 'v1.2.2', 'v1', 'v0.9.9', ''], '1.2.3 1.2 1 latest'],
    ['1.2.10', ['v1.2.9'], '1.2.10 1.2 1 latest'],
    ['1.2.4', ['v1.3.0', 'v1.2.3'], '1.2.4 1.2'],
    ['1.10.0', ['v1.9.0', 'v2.0.0'], '1.10.0 1.10 1'],
    ['0.1.1', ['v0.1.0', 'v0.10.0-rc.1'], '0.1.1 0.1 0 latest'],
    ['1.2.3', ['v1.2.4'], '1.2.3'],
  ])('of %s after %j are %s: no older release takes one from a newer', (version, released, tags) => {
    expect(imageTags(version, released).join(' ')).toBe(tags)
  })
})

describe('what belongs to packages in a lock file', () => {
  const entry = (...names: string[]) => ({
    version: '1.0.0',
    dependencies: Object.fromEntries(names.map((name) => [name, '^1.0.0'])),
  })

  it('is found where Node finds it: nearest first', () => {
    const packages = {
      '': entry('a', 'x'),
      'node_modules/a': entry('@s/b', 'c'),
      'node_modules/a/node_modules/@s/b': entry('c'),
      'node_modules/a/node_modules/c': entry(),
      'node_modules/c': entry('a'),
      'node_modules/x': entry('c'),
    }
    expect(lockedWith({ lockfileVersion: 3, packages }, ['a'])).toEqual([
      'node_modules/a',
      'node_modules/a/node_modules/@s/b',
      'node_modules/a/node_modules/c',
    ])
    expect(lockedWith({ lockfileVersion: 3, packages }, ['x'])).toEqual([
      'node_modules/a',
      'node_modules/a/node_modules/@s/b',
      'node_modules/a/node_modules/c',
      'node_modules/c',
      'node_modules/x',
    ])
    expect(() => lockedWith({ lockfileVersion: 3, packages }, ['y'])).toThrow('package-lock.json has no y')
  })
})

describe('release/owner.json', () => {
  it('takes addresses that are whole, and nothing else', () => {
    expect(ownerSchema.parse(filled)).toEqual(filled)
    const wrong = {
      repository: 'github.com/acme/hookdrift',
      homepage: 'http://hookdrift.acme.example',
      bugs: 'https://github.com/acme/hookdrift/issues?q=1',
      codeowners: 'acme/webhooks',
      image: 'ghcr.io/acme/hookdrift:latest',
      schemas: 'https://hookdrift.acme.example/schemas/',
    }
    expect(Object.keys(wrong)).toEqual(Object.keys(ownerSchema.shape))
    for (const [member, value] of Object.entries(wrong))
      expect(ownerSchema.safeParse({ ...filled, [member]: value }).success, member).toBe(false)
    expect(ownerSchema.safeParse({ ...filled, author: '' }).success).toBe(false)
    const blank = Object.fromEntries(Object.keys(filled).map((member) => [member, '']))
    expect(ownerSchema.parse(blank)).toEqual(blank)
  })
})

describe('the check of the package', () => {
  const faultsWith = (change: object, more: readonly string[] = []) =>
    packageFaults({ ...description, ...change }, [...files, ...more])

  it('accepts a built package', () => {
    expect(faultsWith({})).toEqual([])
  })

  it.each(['src/cli/main.ts', 'config/hookdrift.key', '.npmrc', 'dist/compile-cache/x', 'test/words.test.js'])(
    'finds %s, which should not be in it',
    (path) => {
      expect(faultsWith({}, [path])).toHaveLength(path.startsWith('src/') ? 2 : 1)
    },
  )

  it.each([
    [{ scripts: { postinstall: 'node x.js' } }, "package.json has scripts, which is the checkout's"],
    [{ private: true }, "package.json has private, which is the checkout's"],
    [{ exports: { './x': './lib/x.js' } }, 'package.json names lib/x.js, which is not in the package'],
    [{ description: '' }, 'package.json has no description'],
  ])('finds what is wrong with %j', (change, fault) => {
    expect(faultsWith(change)).toEqual([fault])
  })

  it('finds what is missing', () => {
    expect(
      packageFaults(
        description,
        files.filter((path) => path !== 'LICENSE'),
      ),
    ).toEqual(['LICENSE is missing'])
  })
})
