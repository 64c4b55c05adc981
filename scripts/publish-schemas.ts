import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readOwner, schemaAddress } from './release/owner.ts'

/**
 * Lays the JSON Schemas out for a web server: `npm run schemas -- DIRECTORY`. The directory is what `schemas` of
 * release/owner.json names: each schema lies there under the rest of its id.
 */
const [directory] = process.argv.slice(2)
if (directory === undefined) throw new Error('name a directory: npm run schemas -- DIRECTORY')
const checkout = join(import.meta.dirname, '..')
const root = schemaAddress(readOwner(checkout), '').replace(/[^/]*$/, '')

for (const path of globSync('config/**/*.schema.json', { cwd: checkout })) {
  const text = readFileSync(join(checkout, path), 'utf8')
  const id: string = JSON.parse(text).$id
  if (!id.startsWith(root))
    throw new Error(`${path} has the id ${id}, which is not below ${root}: run npm run reference`)
  const file = join(directory, id.slice(root.length))
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
