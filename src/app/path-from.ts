import { isAbsolute, resolve } from 'node:path'

/** Resolves a path that the user gave, against the working directory. */
export function pathFrom(cwd: string, path: string): string {
  return isAbsolute(path) ? path : resolve(cwd, path)
}
