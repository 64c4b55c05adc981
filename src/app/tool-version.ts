import { readFileSync } from 'node:fs'
import { packageFile } from '../model/package-files.ts'

/** The version in package.json. */
export function toolVersion(): string {
  const { version } = JSON.parse(readFileSync(packageFile('package.json'), 'utf8'))
  return version
}
