import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeTable } from './learn/write-table.ts'

/*
 * Works out `src/model/secrets/bigrams.ts`, which distinguishes random words from names.
 * --check: says whether the file is what would be written. --measure: prints what the file in place achieves.
 */

const file = join(import.meta.dirname, '../src/model/secrets/bigrams.ts')

if (process.argv.includes('--measure')) {
  const { measure } = await import('./learn/measure.ts')
  process.stdout.write(measure())
} else if (!process.argv.includes('--check')) {
  writeFileSync(file, writeTable())
} else if (readFileSync(file, 'utf8') !== writeTable()) {
  process.stderr.write('src/model/secrets/bigrams.ts is not what its word lists give. Run npm run learn:bigrams.\n')
  process.exitCode = 1
}
