import { basename, isAbsolute, relative } from 'node:path'

/** A path to show in reports: relative to the working directory, or the bare name of a file outside. */
export function displayPath(cwd: string, file: string): string {
  const path = relative(cwd, file)
  return path.startsWith('..') || isAbsolute(path) ? basename(file) : path
}
