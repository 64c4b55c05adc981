import { matchesGlob } from 'node:path'

/** What `package.json` says about what npm does with the package. */
export interface PackageDescription {
  readonly name: string
  readonly version: string
  readonly description?: string
  readonly keywords?: readonly string[]
  readonly license?: string
  readonly bin: Readonly<Record<string, string>>
  readonly exports?: Readonly<Record<string, string>>
  readonly scripts?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
}

/** npm runs these on the machines of users. */
const installScripts = ['preinstall', 'install', 'postinstall', 'preprepare', 'prepare', 'postprepare']

const required = [
  'CHANGELOG.md',
  'LICENSE',
  'README.md',
  'THIRD-PARTY-NOTICES.txt',
  'action.yml',
  'compose.yaml',
  'config/hookdrift.schema.json',
  'deploy/ci/gitlab.sh',
  'deploy/init/github.yml',
  'dist/cli/start.js',
  'docs/README.md',
  'migrations/0001_history.sql',
  'package.json',
  'sbom.cdx.json',
  'templates/hookdrift.yml',
]
const folders = ['bin', 'config', 'deploy', 'dist', 'docs', 'migrations', 'templates']

/** Neither sources nor what may hold a secret or belongs to one machine. */
const unwanted =
  /(?:^|\/)(?:node_modules|\.git|\.npmrc|\.env[^/]*|compile-cache)(?:\/|$)|\.(?:ts|key|pem|db|db-wal|tgz)$/

/**
 * What is wrong with a package, as sentences; empty when nothing is. `files` are the paths in its tarball. What the
 * build writes is asked for only when `isBuilt`.
 */
export function packageFaults(
  description: PackageDescription,
  files: readonly string[],
  { isBuilt }: { readonly isBuilt: boolean },
): readonly string[] {
  const { bin, exports = {}, scripts = {}, keywords = [] } = description
  const built = ['dist/cli/start.js', 'THIRD-PARTY-NOTICES.txt', 'sbom.cdx.json']
  const missing = required.filter((path) => (isBuilt || !built.includes(path)) && !files.includes(path))
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
    ...installScripts.filter((name) => name in scripts).map((name) => `the script "${name}" runs at installation`),
    ...(description.description ? [] : ['package.json has no description']),
    ...(keywords.length > 0 ? [] : ['package.json has no keywords']),
    ...(description.license === 'Apache-2.0' ? [] : ['package.json has another licence than LICENSE']),
  ]
}
