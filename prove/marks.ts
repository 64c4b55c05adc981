import { compareWithMarks } from '../test/marks/compare-with-marks.ts'
import { conclude } from './conclude.ts'

/**
 * Audits random fleets twice, with marks and without, and compares every report and every row.
 * `node prove/marks.ts [fleets] [seed]`: 10,000 by default; ends with 1 when anything differs.
 */
const [fleets = 10_000, first = 1] = process.argv.slice(2).map(Number)

let [runs, items, recognised, differing] = [0, 0, 0, 0]
for (let seed = first; seed < first + fleets; seed++) {
  const fleet = await compareWithMarks(String(seed))
  runs += fleet.runs
  items += fleet.items
  recognised += fleet.recognised
  if (fleet.differences.length > 0) {
    differing++
    process.stdout.write(`fleet ${seed}:\n${fleet.differences.map((line) => `  ${line}\n`).join('')}`)
  }
}
const share = ((100 * recognised) / items).toFixed(0)
process.stdout.write(
  `${fleets} fleets, ${runs} runs, ${items} items of which marks recognised ${share} %, ${differing} fleets differ\n`,
)
conclude({ cases: fleets, violations: differing })
