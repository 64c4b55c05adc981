import { describe, expect, it } from 'vitest'
import { textOf } from './build-image.ts'
import { readDockerfile } from './read-dockerfile.ts'

interface Locked {
  readonly version?: string
  readonly resolved?: string
  readonly integrity?: string
  readonly link?: true
  readonly hasInstallScript?: true
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

const lock: { readonly lockfileVersion: number; readonly packages: Readonly<Record<string, Locked>> } = JSON.parse(
  textOf('package-lock.json'),
)
const { allowScripts, dependencies, devDependencies } = JSON.parse(textOf('package.json'))
/** The one package of our own, a folder of the checkout; the rest is of the registry. */
const own = { 'scripts/node-gyp': 'node_modules/node-gyp' }
const packages = Object.entries(lock.packages).filter(([path]) => !['', ...Object.entries(own).flat()].includes(path))

describe('the lock file', () => {
  it('names every package with its version and its digest', () => {
    expect(packages.length).toBeGreaterThan(100)
    const bare = packages.filter(([, { version, integrity }]) => {
      return !/^\d+\.\d+\.\d+/.test(version ?? '') || !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? '')
    })
    expect(bare).toEqual([])
  })

  it('takes no package from outside the registry, and does not name the registry', () => {
    expect(packages.filter(([path]) => !/^(?:node_modules\/(?:@[^/]+\/)?[^/]+\/?)+$/.test(path))).toEqual([])
    expect(packages.filter(([, { resolved, link }]) => resolved !== undefined || link === true)).toEqual([])
    expect(textOf('.npmrc')).toContain('omit-lockfile-registry-resolved=true')
    // No range of versions has a colon or a slash in it; an alias is of the registry.
    const isElsewhere = (range: string) => /[:/]/.test(range) && !/^npm:[^:]+$/.test(range)
    for (const [folder, link] of Object.entries(own))
      expect(lock.packages[link]).toEqual({ resolved: folder, link: true })
    const asked = [...Object.values(lock.packages)].flatMap(
      ({ dependencies, devDependencies, optionalDependencies }) => {
        return Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies })
      },
    )
    expect(asked.filter(([, range]) => isElsewhere(range))).toEqual([['node-gyp', 'file:scripts/node-gyp']])
    const ours = Object.entries({ ...dependencies, ...devDependencies })
    expect(ours.filter(([, range]) => !/^\^?\d+\.\d+\.\d+$/.test(String(range)))).toEqual([
      ['node-gyp', 'file:scripts/node-gyp'],
    ])
  })

  it('matches package.json', () => {
    expect(lock.packages['']).toMatchObject({ dependencies, devDependencies })
  })

  it('allows an install script only to packages that package.json lists', () => {
    const scripts = packages.filter(([, { hasInstallScript }]) => hasInstallScript === true)
    const names = scripts.map(([path]) => path.replace(/^.*node_modules\//, ''))
    expect(names.filter((name) => typeof allowScripts[name] !== 'boolean')).toEqual([])
    const allowed = Object.keys(allowScripts).filter((name) => allowScripts[name] === true)
    expect(allowed.filter((name) => !(name in devDependencies))).toEqual([])
  })
})

describe('the Dockerfile', () => {
  it('builds every stage from one base image, which a build can pin by digest', () => {
    const text = textOf('Dockerfile')
    expect(text).toMatch(/^ARG BASE=node:24-bookworm-slim$/m)
    const bases = [...text.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base)
    expect(bases).toEqual(bases.map(() => `\${BASE}`))
    expect(readDockerfile(text).map(({ base }) => base)).toEqual(bases.map(() => 'node:24-bookworm-slim'))
  })

  it('labels the image as registries read it, with what the release knows', () => {
    const stage = readDockerfile(textOf('Dockerfile')).at(-1)
    const given = (name: string) => stage?.instructions.find((instruction) => instruction.name === name)?.rest ?? ''
    const labels = Object.fromEntries(
      [...given('LABEL').matchAll(/org\.opencontainers\.image\.(\w+)="([^"]*)"/g)].map(([, name, value]) => [
        name,
        value,
      ]),
    )
    const { description, license, name } = JSON.parse(textOf('package.json'))
    const asked = ['version', 'revision', 'created', 'source', 'url', 'documentation']
    expect(labels).toEqual({
      title: name,
      description,
      licenses: license,
      ...Object.fromEntries(asked.map((label) => [label, `\${${label.toUpperCase()}}`])),
    })
    expect(given('ARG')).toBe(asked.map((label) => `${label.toUpperCase()}=""`).join(' '))
    const passed = textOf('.github/workflows/release.yml').matchAll(/--build-arg "(\w+)=/g)
    expect([...passed].map(([, argument]) => argument?.toLowerCase()).sort()).toEqual(asked.sort())
  })
})
