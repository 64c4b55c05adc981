import { matchesGlob } from 'node:path'

/** What `package.json` of the package says about what npm does with it. */
export interface PackageDescription {
  readonly name: string
  readonly version: string
  readonly description?: string
  readonly keywords?: readonly string[]
  readonly license?: string
  readonly bin: Readonly<Record<string, string>>
  readonly exports?: Readonly<Record<string, string>>
}

/** They concern the checkout: npm would refuse to publish, or run something on the machines of users. */
const ofCheckout = ['private', 'scripts', 'devDependencies', 'allowScripts']

const required = [
  'CHANGELOG.md',
  'LICENSE',
  'README.md',
  'THIRD-PARTY-NOTICES.txt',
  'config/hookdrift.schema.json',
  'deploy/ci/gitlab.sh',
  'deploy/grafana/dashboards/hookdrift.json',
  'deploy/init/none/target.yaml',
  'deploy/prometheus/alerts.yaml',
  'dist/cli/start.js',
  'docs/README.md',
  'migrations/0001_history.sql',
  'migrations/scoped/sqlite.sql',
  'package.json',
  'sbom.cdx.json',
  'templates/hookdrift.yml',
]
const folders = ['bin', 'config', 'deploy', 'dist', 'docs', 'man', 'migrations', 'templates']

/** Neither sources nor what may hold a secret or belongs to one machine. */
const unwanted =
  /(?:^|\/)(?:node_modules|\.git|\.npmrc|\.env[^/]*|compile-cache)(?:\/|$)|\.(?:ts|key|pem|db|db-wal|tgz)$/

/** What is wrong with a package, as sentences; empty when nothing is. `files` are the paths in its tarball. */
export function packageFaults(description: PackageDescription, files: readonly string[]): readonly string[] {
  const { bin, exports = {}, keywords = [] } = description
  const missing = required.filter((path) => !files.includes(path))
  const named = [...Object.values(bin), ...Object.values(exports)].map((path) => path.replace(/^\.\//, ''))
  return [
    ...missing.map((path) => `${path} is missing`),
    ...files.filter((path) => unwanted.test(path)).map((path) => `${path} does not belong into the package`),
    ...files
      .filter((path) => path.includes('/') && !folders.includes(path.split('/')[0] ?? ''))
      .map((path) => `${path} is in a folder that the package does not have`),
    ...named
      .filter((pattern) => !files.some((path) => matchesGlob(path, pattern.replace('*', '**'))))
      .map((pattern) => `package.json names ${pattern}, which is not in the package`),
    ...ofCheckout
      .filter((name) => name in description)
      .map((name) => `package.json has ${name}, which is the checkout's`),
    ...(description.description ? [] : ['package.json has no description']),
    ...(keywords.length > 0 ? [] : ['package.json has no keywords']),
    ...(description.license === 'Apache-2.0' ? [] : ['package.json has another licence than LICENSE']),
  ]
}
