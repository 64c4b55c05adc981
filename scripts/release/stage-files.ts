import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { unbundled } from '../bundle/bundle.ts'
import { mcpName } from './mcp-entry.ts'
import { type Owner, readOwner } from './owner.ts'

/** What `package.json` says in a checkout. */
interface CheckoutManifest extends Readonly<Record<string, unknown>> {
  readonly name: string
  readonly version: string
  readonly files: readonly string[]
  readonly dependencies: Readonly<Record<string, string>>
}

interface Locked {
  readonly version: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

/** `package-lock.json`, as npm writes it. */
export interface LockFile {
  readonly lockfileVersion: number
  readonly packages: Readonly<Record<string, Locked>>
}

/** What the build makes: it is not copied. */
const made = ['dist', 'sbom.cdx.json', 'THIRD-PARTY-NOTICES.txt']

/** Lays out what the package holds as it is in a checkout, by the list in its package.json, with a package.json of its own. */
export function stageFiles(checkout: string, directory: string): void {
  const read = (name: string) => JSON.parse(readFileSync(join(checkout, name), 'utf8'))
  const write = (name: string, value: object) =>
    writeFileSync(join(directory, name), `${JSON.stringify(value, null, 2)}\n`)
  const manifest: CheckoutManifest = read('package.json')
  const leftOut = manifest.files.filter((name) => name.startsWith('!')).map((name) => join(checkout, name.slice(1)))
  mkdirSync(directory, { recursive: true })
  for (const name of manifest.files.filter((name) => !name.startsWith('!') && !made.includes(name))) {
    const filter = (path: string) => !leftOut.includes(path)
    cpSync(join(checkout, name), join(directory, name), { recursive: true, filter })
  }
  write('package.json', publishedManifest(manifest, readOwner(checkout)))
  write('package-lock.json', publishedLock(manifest, read('package-lock.json')))
}

/** What npm does with a package, and what people read about it; scripts and tools concern the checkout only. */
const published = [
  ...['name', 'version', 'description', 'keywords', 'license', 'type', 'bin', 'man', 'exports', 'files', 'engines'],
  'publishConfig',
]

/** `package.json` of the package: its only dependencies are those that no bundle can hold. */
export function publishedManifest(manifest: CheckoutManifest, { repository, homepage, bugs }: Owner): object {
  return {
    // The MCP registry compares it with the name in `server.json`.
    mcpName: mcpName({ repository }),
    ...Object.fromEntries(published.map((member) => [member, manifest[member]])),
    ...(repository === '' ? {} : { repository: { type: 'git', url: `git+${repository}.git` } }),
    ...(homepage === '' ? {} : { homepage }),
    ...(bugs === '' ? {} : { bugs }),
    dependencies: Object.fromEntries(unbundled.map((name) => [name, manifest.dependencies[name]])),
  }
}

/** `package-lock.json` of the package, for an image: the same versions as in the checkout. npm does not pack it. */
function publishedLock({ name, version, dependencies }: CheckoutManifest, lock: LockFile): object {
  const own = { name, version, dependencies: Object.fromEntries(unbundled.map((each) => [each, dependencies[each]])) }
  const needed = lockedWith(lock, unbundled).map((path) => [path, lock.packages[path]])
  const packages = { '': own, ...Object.fromEntries(needed) }
  return { name, version, lockfileVersion: lock.lockfileVersion, requires: true, packages }
}

/** The places in a lock file of packages and of all that these need. */
export function lockedWith({ packages }: LockFile, names: readonly string[]): readonly string[] {
  const found = new Set<string>()
  const left = names.map((name) => ({ name, from: '' }))
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const place = placeOf(packages, next.name, next.from)
    if (found.has(place)) continue
    found.add(place)
    const { dependencies, optionalDependencies } = packages[place] ?? {}
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) left.push({ name, from: place })
  }
  return [...found].sort()
}

/** Where Node finds a package from a place: in the nearest `node_modules` on the way up. */
function placeOf(packages: LockFile['packages'], name: string, from: string): string {
  for (let base = from; ; base = base.slice(0, Math.max(0, base.lastIndexOf('/node_modules/')))) {
    const place = `${base}${base === '' ? '' : '/'}node_modules/${name}`
    if (place in packages) return place
    if (base === '') throw new Error(`package-lock.json has no ${name}: run npm install --package-lock-only`)
  }
}
