import { existsSync, readFileSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'

/** The path of a file that comes with the package, such as `docs/rules/endpoint/inactive.md`. */
export function packageFile(path: string): string {
  return join(root, path)
}

/** The path of a program of our own that runs in a process or a thread of its own; `name` is its path in `src`, without ending. */
export function programFile(name: string): string {
  return join(root, ending === '.ts' ? 'src' : 'dist', `${name}${ending}`)
}

/** The text of a file that lies among the programs, such as `pages/style.css`; `path` is its path in `src`. */
export function assetText(path: string): string {
  return readFileSync(join(root, ending === '.ts' ? 'src' : 'dist', path), 'utf8')
}

/** The version in package.json. */
export const toolVersion = (): string => ownManifest().version

/** package.json; only that of a released package names a page about the project. */
export function ownManifest(): { readonly version: string; readonly homepage?: string } {
  return JSON.parse(readFileSync(packageFile('package.json'), 'utf8'))
}

/** `.ts` in a checkout, `.js` in the package. */
const ending = extname(import.meta.filename)

/** The directory with package.json: how far above this file depends on how the package is bundled. */
const root = findRoot(import.meta.dirname)

function findRoot(directory: string): string {
  return existsSync(join(directory, 'package.json')) ? directory : findRoot(dirname(directory))
}
