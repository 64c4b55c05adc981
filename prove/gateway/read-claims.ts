import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Claim } from './claim.ts'

/** Every file of `claims` exports the rows of its subject. */
const folder = join(import.meta.dirname, 'claims')

export async function readClaims(): Promise<readonly Claim[]> {
  const files = readdirSync(folder).sort()
  const read = files.map(async (file): Promise<readonly Claim[]> => (await import(join(folder, file))).claims)
  return (await Promise.all(read)).flat()
}
