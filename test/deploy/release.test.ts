import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { packageFaults } from '../../scripts/release/package-faults.ts'
import { checkout } from './build-image.ts'

const require = createRequire(import.meta.url)
const description = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8'))

/** What `npm pack` would take, without the build and what it writes. */
function packedFiles(): readonly string[] {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts']
  const own = Object.entries(process.env).filter(([key]) => !key.startsWith('npm_'))
  const env = { ...Object.fromEntries(own), PATH: `${dirname(process.execPath)}:${process.env.PATH}` }
  const [{ files }] = JSON.parse(
    execFileSync('npm', args, { cwd: checkout, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
  )
  const paths: readonly string[] = files.map(({ path }: { path: string }) => path)
  return paths.filter((path) => !path.startsWith('dist/'))
}

describe('the package, as it would be published', () => {
  it('has no fault', () => {
    expect(packageFaults(description, packedFiles(), { isBuilt: false })).toEqual([])
  })

  it('can be resolved by its name, and exports files that exist', () => {
    for (const name of ['hookdrift/package.json', 'hookdrift/config/report.schema.json'])
      expect(existsSync(require.resolve(name))).toBe(true)
    expect(() => require.resolve('hookdrift/src/cli/main.ts')).toThrow(/not defined by "exports"/)
  })

  it('is published with provenance, and names no place that the project does not own', () => {
    expect(description.publishConfig).toEqual({ access: 'public', provenance: true })
    expect(['author', 'repository', 'bugs', 'homepage'].filter((name) => name in description)).toEqual([])
  })
})

describe('the check of the package', () => {
  const files = [...packedFiles(), 'dist/cli/start.js', 'sbom.cdx.json', 'THIRD-PARTY-NOTICES.txt']
  const faultsWith = (change: object, more: readonly string[] = []) =>
    packageFaults({ ...description, ...change }, [...files, ...more], { isBuilt: true })

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
    [{ scripts: { postinstall: 'node x.js' } }, 'the script "postinstall" runs at installation'],
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
        { isBuilt: true },
      ),
    ).toEqual(['LICENSE is missing'])
  })
})
