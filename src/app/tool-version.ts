import { readFileSync } from 'node:fs'

/** The version in package.json, which stands at the same place seen from `src/cli` and from `dist/cli`. */
export function toolVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  return version
}
