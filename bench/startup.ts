import { measure, median } from './measure.ts'
import { stagePackage } from './stage-package.ts'
import { table, verdict } from './table.ts'

/** How long the built package takes to print its help, compared with Node doing nothing. */
const rounds = Number(process.env.BENCH_ROUNDS ?? 31)

const contenders = {
  'node -e 0': ['-e', '0'],
  'hookdrift --help': [stagePackage(), '--help'],
} as const
const wallMs = new Map<string, number[]>()
for (let round = 0; round < rounds; round++) {
  for (const [name, args] of Object.entries(contenders)) {
    const cost = await measure({ command: process.execPath, args })
    wallMs.set(name, [...(wallMs.get(name) ?? []), cost.wallMs])
  }
}

const [nothing = [], help = []] = [...wallMs.values()]
const ratio = median(help.map((ms, round) => ms / (nothing[round] ?? Number.NaN)))
const rows = [...wallMs].map(([name, values]) => [name, `${median(values).toFixed(0)} ms`])
process.stdout.write(`${table(rows)}\n${verdict('hookdrift --help / node -e 0', ratio, { atMost: 3.5 })}`)
