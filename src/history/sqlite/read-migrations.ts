import { hash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageFile } from '../../model/package-files.ts'

export const migrationsDirectory = packageFile('migrations')

export interface Migration {
  readonly version: number
  readonly name: string
  readonly sql: string
  readonly sha256: string
}

/** The steps from an empty database to the newest schema, in order. */
export function readMigrations(directory: string): Migration[] {
  return readdirSync(directory)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name, index) => {
      // A gap in the numbers would skip a step in every history.
      if (Number(name.slice(0, 4)) !== index + 1) throw new Error(`migration ${name} is not number ${index + 1}`)
      const sql = readFileSync(join(directory, name), 'utf8')
      return { version: index + 1, name, sql, sha256: hash('sha256', sql) }
    })
}
