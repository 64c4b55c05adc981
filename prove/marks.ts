import { compareWithMarks } from '../test/marks/compare-with-marks.ts'

/**
 * Audits random worlds twice, with marks and without, and compares every report and every row.
 * `node prove/marks.ts [worlds] [seed]`: 10,000 worlds by default; ends with 1 when anything differs.
 */
const [worlds = 10_000, first = 1] = process.argv.slice(2).map(Number)

let [runs, items, recognised, differing] = [0, 0, 0, 0]
for (let seed = first; seed < first + worlds; seed++) {
  const world = await compareWithMarks(String(seed))
  runs += world.runs
  items += world.items
  recognised += world.recognised
  if (world.differences.length > 0) {
    differing++
    process.stdout.write(`world ${seed}:\n${world.differences.map((line) => `  ${line}\n`).join('')}`)
  }
}
const share = ((100 * recognised) / items).toFixed(0)
process.stdout.write(
  `${worlds} worlds, ${runs} runs, ${items} items of which marks recognised ${share} %, ${differing} worlds differ\n`,
)
if (differing > 0) process.exitCode = 1
