import { readFileSync } from 'node:fs'

/** The version in package.json, whose relative path is the same from `src/app` and from `dist/app`. */
export function toolVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  return version
}
