import { isAbsolute, resolve } from 'node:path'

/** A path as the user means it: from where they stand. */
export function pathFrom(cwd: string, path: string): string {
  return isAbsolute(path) ? path : resolve(cwd, path)
}
