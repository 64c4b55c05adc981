import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { History } from '../../src/history/history.ts'
import { neutraliseJson } from '../../src/model/text/neutralise.ts'
import { json } from '../../src/report/json.ts'
import { fileRenderOptions } from '../../src/report/report-files.ts'
import { makeWorld } from './make-world.ts'

export interface Verdict {
  readonly worlds: number
  readonly runs: number
  /** Single statements that both made: a listing's coverage, a changed resource, a violation, a notice. */
  readonly comparisons: Readonly<Record<string, number>>
  readonly disagreements: readonly Disagreement[]
}

interface Disagreement {
  readonly seed: string
  /** Counted from 1. */
  readonly run: number
  readonly about: string
  readonly place: string
  readonly oracle: unknown
  readonly hookdrift: unknown
}

interface Asked {
  readonly worlds: number
  /** How many of them to pass over, the first ones. Default: none. */
  readonly from?: number
  readonly seed: string
  /** Where the files of worlds with a disagreement stay. Default: nowhere. */
  readonly keep?: string | undefined
  /** What calls Python 3. */
  readonly python?: string
  readonly onProgress?: (done: number) => void
  /** Where the history of a world is, when it is not a file. */
  readonly makePlace?: () => Promise<OraclePlace>
}

interface OraclePlace {
  open(): Promise<History>
  remove(): Promise<void>
}

/** Worlds are made, written and handed over in batches: while Python reads one, the next is made. */
const batchSize = 25

/** Has random worlds audited by hookdrift and worked out by the oracle, and says where the two disagree. */
export async function runOracle({
  worlds,
  from: first = 0,
  seed,
  keep,
  python = 'python3',
  onProgress,
  makePlace,
}: Asked): Promise<Verdict> {
  const directory = mkdtempSync(join(tmpdir(), 'hookdrift-oracle-'))
  try {
    const verdicts: Verdict[] = []
    let comparison: Promise<Verdict> | undefined
    for (let from = first; from < worlds; from += batchSize) {
      const batch = join(directory, `batch-${from}`)
      mkdirSync(batch)
      for (let index = from; index < Math.min(worlds, from + batchSize); index++) {
        const place = await makePlace?.()
        const { world, said } = await makeWorld(`${seed}-${index}`, place && (() => place.open()))
        await place?.remove()
        writeFileSync(join(batch, `${world.seed}.world.json`), JSON.stringify(world))
        const write = (name: string, document: unknown) =>
          writeFileSync(join(batch, `${world.seed}.${name}.json`), neutraliseJson(JSON.stringify(document)))
        write('baselines', said.baselines)
        write('controls', said.controls)
        write('messages', said.messages)
        writeFileSync(
          join(batch, `${world.seed}.reports.json`),
          `[${said.reports.map((report) => json(report, fileRenderOptions)).join(',')}]`,
        )
      }
      if (comparison !== undefined) verdicts.push(await comparison)
      onProgress?.(Math.min(worlds, from + batchSize))
      comparison = askOracle(python, batch, keep).finally(() => rmSync(batch, { recursive: true }))
      // Waited for in the next round: what it throws must not go unhandled until then.
      comparison.catch(() => {})
    }
    if (comparison !== undefined) verdicts.push(await comparison)
    return verdicts.reduce(sum, { worlds: 0, runs: 0, comparisons: {}, disagreements: [] })
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

function askOracle(python: string, batch: string, keep: string | undefined): Promise<Verdict> {
  const script = join(import.meta.dirname, 'oracle.py')
  const arguments_ = [script, batch, ...(keep === undefined ? [] : ['--keep', keep])]
  return new Promise((resolve, reject) => {
    const oracle = spawn(python, ['-B', ...arguments_], { stdio: ['ignore', 'pipe', 'inherit'] })
    const chunks: Buffer[] = []
    oracle.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
    oracle.on('error', (cause) => reject(new Error(`cannot run ${python}: is Python 3 installed?`, { cause })))
    oracle.on('close', (code) => {
      if (code === 0) resolve(JSON.parse(Buffer.concat(chunks).toString()))
      else reject(new Error(`the oracle itself failed with ${code}`))
    })
  })
}

function sum(left: Verdict, right: Verdict): Verdict {
  const names = new Set([...Object.keys(left.comparisons), ...Object.keys(right.comparisons)])
  const count = (name: string) => (left.comparisons[name] ?? 0) + (right.comparisons[name] ?? 0)
  return {
    worlds: left.worlds + right.worlds,
    runs: left.runs + right.runs,
    comparisons: Object.fromEntries([...names].map((name) => [name, count(name)])),
    disagreements: [...left.disagreements, ...right.disagreements],
  }
}
