import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { OutputChunk } from 'rolldown'
import { nameUuid } from '../../src/report/compliance/compliance-oscal.ts'
import { unbundled } from '../bundle/bundle.ts'
import { bundledPackages, refOf } from '../bundle/bundled-packages.ts'
import { type LockFile, lockedWith } from './stage-files.ts'

interface Component {
  readonly 'bom-ref': string
  readonly externalReferences?: unknown
  readonly properties?: unknown
}
interface Dependency {
  readonly ref: string
  readonly dependsOn: readonly string[]
}

/**
 * What the package contains and depends on, in CycloneDX, as the lock file says. It asks no registry, and the same commit
 * gives the same bytes on every machine: npm's own has the time of now, a number by chance and the directory's name.
 */
export function sbomOf(checkout: string, chunks: readonly OutputChunk[]): object {
  const read = (name: string) => JSON.parse(readFileSync(join(checkout, name), 'utf8'))
  const { name, version, description, license } = read('package.json')
  const made = JSON.parse(
    execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only', '--loglevel', 'error'], {
      cwd: checkout,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  )

  const own = `${name}@${version}`
  const lock: LockFile = read('package-lock.json')
  const installed = lockedWith(lock, unbundled).map((path) => {
    return `${path.replace(/^.*node_modules\//, '')}@${lock.packages[path]?.version}`
  })
  const shipped = new Set([...bundledPackages(chunks).map(refOf), ...installed])
  const components = (made.components as readonly Component[])
    .filter((component) => shipped.has(component['bom-ref']))
    .map(({ externalReferences: _, properties: __, ...component }) => ({ ...component, scope: 'required' }))
  const dependencies = (made.dependencies as readonly Dependency[])
    .filter(({ ref }) => ref === own || shipped.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((other) => shipped.has(other)).sort() }))

  const missing = [...shipped].filter((ref) => !components.some((component) => component['bom-ref'] === ref))
  if (missing.length > 0) throw new Error(`npm sbom leaves out ${missing.join(', ')}`)

  const timestamp = timeOf(checkout)
  return {
    $schema: made.$schema,
    bomFormat: made.bomFormat,
    specVersion: made.specVersion,
    serialNumber: `urn:uuid:${nameUuid('sbom', own, timestamp ?? null, JSON.stringify(components))}`,
    version: 1,
    metadata: {
      ...(timestamp === undefined ? {} : { timestamp }),
      tools: { components: [{ type: 'application', name: 'npm sbom, as hookdrift builds it', version }] },
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
}

/** When the commit was made that is built; undefined where neither an image's build nor Git says so. */
function timeOf(checkout: string): string | undefined {
  const { stdout } = spawnSync('git', ['log', '-1', '--format=%ct'], { cwd: checkout, encoding: 'utf8' })
  const seconds = Number(process.env.SOURCE_DATE_EPOCH || stdout)
  return seconds > 0 ? new Date(seconds * 1000).toISOString() : undefined
}
