import { parseArgs } from 'node:util'
import { runOracle } from './run-oracle.ts'

const values = readOptions()
const worlds = Number(values.worlds)
if (!Number.isInteger(worlds) || worlds < 1) {
  console.error(`--worlds takes a number from 1, not ${JSON.stringify(values.worlds)}`)
  process.exit(2)
}
const startedAt = performance.now()
const { runs, comparisons, disagreements } = await runOracle({
  worlds,
  seed: values.seed,
  keep: values.keep,
  onProgress: (done) => process.stderr.write(`\r${done} of ${worlds} worlds`),
})
const seconds = Math.round((performance.now() - startedAt) / 1000)
const counts = Object.entries(comparisons).map(([what, count]) => `${count} ${what}`)
process.stderr.write('\n')
console.log(`${worlds} worlds, ${runs} runs in ${seconds} s; compared: ${counts.join(', ')}`)
for (const { seed, run, about, place, oracle, hookdrift } of disagreements.slice(0, 50)) {
  console.log(`\n${values.keep}/${seed}.world.json run ${run}: ${about} ${place}`)
  console.log(`  oracle     ${JSON.stringify(oracle)}\n  hookdrift  ${JSON.stringify(hookdrift)}`)
}
console.log(`\n${disagreements.length} disagreements`)
process.exitCode = disagreements.length === 0 ? 0 : 1

function readOptions() {
  try {
    return parseArgs({
      options: {
        worlds: { type: 'string', default: '100' },
        seed: { type: 'string', default: '1' },
        keep: { type: 'string', default: '.oracle' },
      },
    }).values
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exit(2)
  }
}
