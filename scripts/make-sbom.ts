import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundle } from './bundle/bundle.ts'
import { bundledPackages, refOf } from './bundle/bundled-packages.ts'

/**
 * Writes `sbom.cdx.json`: what the package contains and depends on, in CycloneDX, as the lock file says. It asks no
 * registry, and the same lock file gives the same bytes on every machine: npm's own has a time, a number by chance and
 * the directory's name.
 */
const checkout = join(import.meta.dirname, '..')
const read = (name: string) => JSON.parse(readFileSync(join(checkout, name), 'utf8'))
const { name, version, description } = read('package.json')

interface Component {
  readonly 'bom-ref': string
  readonly externalReferences?: unknown
  readonly properties?: unknown
}
interface Dependency {
  readonly ref: string
  readonly dependsOn: readonly string[]
}

const made = JSON.parse(
  execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only', '--loglevel', 'error'], {
    cwd: checkout,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'inherit'],
  }),
)

// What is installed with the package is not for development by the lock file; what is in the bundle is.
const own = `${name}@${version}`
const packages: Readonly<Record<string, { readonly version: string; readonly dev?: true }>> =
  read('package-lock.json').packages
const installed = Object.entries(packages)
  .filter(([path, { dev }]) => path !== '' && dev !== true)
  .map(([path, entry]) => `${path.replace(/^.*node_modules\//, '')}@${entry.version}`)
const shipped = new Set([...bundledPackages(await bundle(checkout)).map(refOf), ...installed])
const components = (made.components as readonly Component[])
  .filter((component) => shipped.has(component['bom-ref']))
  .map(({ externalReferences: _, properties: __, ...component }) => ({ ...component, scope: 'required' }))
const dependencies = (made.dependencies as readonly Dependency[])
  .filter(({ ref }) => ref === own || shipped.has(ref))
  .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((other) => shipped.has(other)).sort() }))

const missing = [...shipped].filter((ref) => !components.some((component) => component['bom-ref'] === ref))
if (missing.length > 0) throw new Error(`npm sbom leaves out ${missing.join(', ')}`)

const { license } = read('package.json')
const sbom = {
  $schema: made.$schema,
  bomFormat: made.bomFormat,
  specVersion: made.specVersion,
  version: 1,
  metadata: {
    component: {
      'bom-ref': own,
      type: 'application',
      name,
      version,
      description,
      purl: `pkg:npm/${own}`,
      licenses: [{ license: { id: license } }],
    },
  },
  components: components.sort((a, b) => (a['bom-ref'] < b['bom-ref'] ? -1 : 1)),
  dependencies: dependencies.sort((a, b) => (a.ref < b.ref ? -1 : 1)),
}
writeFileSync(join(checkout, 'sbom.cdx.json'), `${JSON.stringify(sbom, null, 2)}\n`)
