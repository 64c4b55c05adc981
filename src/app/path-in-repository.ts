import { existsSync, realpathSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'

/**
 * The path of a file from the root of its repository, as forges know it; undefined outside of one. `env`: where a checkout
 * has no `.git`, runners of GitHub and GitLab name its root.
 */
export function pathInRepository(
  file: string,
  { GITHUB_WORKSPACE, CI_PROJECT_DIR }: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const roots = [GITHUB_WORKSPACE, CI_PROJECT_DIR].flatMap((root) => realPath(root ?? ''))
  const isRoot = (directory: string) => roots.includes(directory) || existsSync(join(directory, '.git'))
  return realPath(dirname(file)).flatMap((directory) => {
    const root = upwards(directory).find(isRoot)
    return root === undefined ? [] : [join(relative(root, directory), basename(file))]
  })[0]
}

/** Empty where nothing is there. */
function realPath(path: string): readonly string[] {
  return existsSync(path) ? [realpathSync(path)] : []
}

function upwards(directory: string): readonly string[] {
  const above = dirname(directory)
  return above === directory ? [directory] : [directory, ...upwards(above)]
}
