import { fork } from 'node:child_process'
import { on } from 'node:events'
import { availableParallelism } from 'node:os'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { classOf, messageOf } from '../src/model/errors.ts'
import { memoryEnv } from '../test/memory-directory.ts'
import { conclude, type Promised } from './conclude.ts'

/** What a case broke. */
export interface Breach {
  /** The number of the case. */
  readonly index: number
  readonly promise: Promised
  /** What was wrong, in a line. */
  readonly what: string
  /** The case in words, as small as the campaign could make it. */
  readonly shrunk: string
  /** The smaller, the simpler the case. */
  readonly size: number
}

/** Numbered cases: from one number to below another. */
export interface Range {
  readonly seed: string
  readonly from: number
  readonly to: number
}

export interface Cases {
  /** `import.meta.url` of the script, which runs itself in other processes. */
  readonly script: string
  /** Cases that are proven together. */
  readonly atOnce: number
  /** The longest that these may take before they count as hung. */
  readonly deadlineMs: number
  /** The memory of JavaScript that a process may fill. Default: that of Node. */
  readonly heapMb?: number
  /** Names of options that the script has besides, without values: its other processes get them too. */
  readonly flags?: readonly string[]
  /** The same seed and number make the same case on every machine. What it throws counts as a crash. */
  prove(range: Range): Promise<readonly Breach[]>
}

/**
 * Runs a campaign of numbered cases: `node prove/NAME.ts [cases] [seed]`, `--case N` for that one alone, `--from N` for
 * those that an earlier run did not come to. It works in processes of its own, one for each core, so that a case that
 * ends or blocks its process costs no other: where some cases together do, each half of them is tried by itself.
 */
export async function runCases(cases: Cases): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      case: { type: 'string' },
      from: { type: 'string', default: '0' },
      workers: { type: 'string', default: String(availableParallelism()) },
      // Of the processes that this one starts.
      runner: { type: 'boolean', default: false },
      ...Object.fromEntries((cases.flags ?? []).map((flag) => [flag, { type: 'boolean' as const }])),
    },
  })
  if (values.runner) return answerRanges(cases)
  const [count = '1000', seed = '1'] = positionals
  const only = values.case === undefined ? undefined : Number(values.case)
  const [from, to] = only === undefined ? [Number(values.from), Number(count)] : [only, only + 1]
  await proveAll(cases, { seed, from, to }, Number(values.workers))
}

/** Where this variable is set, a campaign ends with what it finds first. */
export const stopVariable = 'HOOKDRIFT_PROVE_STOPS'
const stops = process.env[stopVariable] !== undefined

const mostPrinted = 20
const progressEveryMs = 60_000

async function proveAll(cases: Cases, { seed, from, to }: Range, workers: number): Promise<void> {
  const startedAt = performance.now()
  const found: Breach[] = []
  let next = from
  let finished = 0
  const command = [`node prove/${basename(fileURLToPath(cases.script))} 1 ${seed}`, ...givenFlags(cases)].join(' ')
  const repeat = (index: number) => `${command} --case ${index}`
  const describe = ({ what, shrunk, index }: Breach) => `${what}: ${shrunk} (${repeat(index)})`
  const progress = setInterval(() => process.stdout.write(`${rate(finished, startedAt)}\n`), progressEveryMs)
  progress.unref()
  const work = async () => {
    await using runner = openRunner(cases)
    while (next < to && !(stops && found.length > 0)) {
      const range = { seed, from: next, to: Math.min(to, next + cases.atOnce) }
      next = range.to
      for (const breach of await runner.run(range)) {
        found.push(breach)
        if (found.length <= mostPrinted) process.stdout.write(`${breach.promise}: ${describe(breach)}\n`)
      }
      finished += range.to - range.from
    }
  }
  await Promise.all(Array.from({ length: workers }, work))
  clearInterval(progress)
  const broken = new Map(found.map(({ promise, index }) => [`${promise} ${index}`, promise]))
  const byPromise = Map.groupBy(broken.values(), (promise) => promise)
  const violations = Object.fromEntries([...byPromise].map(([promise, all]) => [promise, all.length]))
  process.stdout.write(`seed ${seed}: ${rate(finished, startedAt)}, ${broken.size} violations\n`)
  const [smallest] = found.toSorted((left, right) => left.size - right.size || left.index - right.index)
  conclude({ cases: finished, violations, ...(smallest !== undefined && { smallest: describe(smallest) }) })
}

function rate(finished: number, startedAt: number): string {
  const seconds = (performance.now() - startedAt) / 1000
  return `${finished} cases in ${seconds.toFixed(0)} s, ${(finished / seconds).toFixed(1)} a second`
}

/** Those of its own options that the script was given. */
function givenFlags({ flags = [] }: Cases): readonly string[] {
  return flags.map((flag) => `--${flag}`).filter((flag) => process.argv.includes(flag))
}

/** A process that proves ranges of cases, and another one after it ended or was stopped because it hung. */
function openRunner(cases: Cases) {
  const { script, deadlineMs, heapMb } = cases
  let runner: ReturnType<typeof start> | undefined
  const start = () => {
    const env = { ...process.env, ...memoryEnv }
    const heap = heapMb === undefined ? [] : [`--max-old-space-size=${heapMb}`]
    const args = ['--runner', ...givenFlags(cases)]
    const child = fork(fileURLToPath(script), args, { execArgv: ['--no-warnings', ...heap], env })
    // It may end between two ranges. There is no `close` once it is let go.
    const { promise: ended, resolve } = Promise.withResolvers<string>()
    child.once('exit', (code, signal) => resolve(`the process ended with ${signal ?? code}`))
    child.on('error', () => {})
    return { child, ended }
  }
  const run = async (range: Range): Promise<readonly Breach[]> => {
    runner ??= start()
    const { child, ended } = runner
    const { promise: answered, resolve } = Promise.withResolvers<readonly Breach[]>()
    child.once('message', (sent) => resolve(sent as readonly Breach[])) // `answerRanges` sends nothing else.
    let hasHung = false
    const deadline = setTimeout(() => {
      hasHung = true
      child.kill('SIGKILL')
    }, deadlineMs)
    child.send(range, () => {})
    const answer = await Promise.race([answered, ended])
    clearTimeout(deadline)
    if (typeof answer !== 'string') return answer
    runner = undefined
    return halve(range, hasHung ? `no end within ${deadlineMs / 1000} s` : answer, run)
  }
  return {
    run,
    async [Symbol.asyncDispose]() {
      if (runner === undefined) return
      if (runner.child.connected) runner.child.disconnect()
      await runner.ended
    },
  }
}

async function answerRanges(cases: Cases): Promise<void> {
  process.once('disconnect', () => process.exit())
  for await (const [range] of on(process, 'message')) process.send?.(await proveContained(cases, range as Range))
}

async function proveContained(cases: Cases, range: Range): Promise<readonly Breach[]> {
  try {
    return await cases.prove(range)
  } catch (error) {
    const what = `crashed, ${classOf(error)}: ${messageOf(error)}`.slice(0, 600)
    return halve(range, what, (half) => proveContained(cases, half))
  }
}

/** Of cases that failed together, tries each half; one alone is to blame. */
async function halve(
  { seed, from, to }: Range,
  what: string,
  prove: (half: Range) => Promise<readonly Breach[]>,
): Promise<readonly Breach[]> {
  if (to - from === 1) {
    return [{ index: from, promise: 'other', what, shrunk: `case ${from}`, size: Number.MAX_SAFE_INTEGER }]
  }
  const middle = Math.floor((from + to) / 2)
  const found = [...(await prove({ seed, from, to: middle })), ...(await prove({ seed, from: middle, to }))]
  if (found.length > 0) return found
  return [
    {
      index: from,
      promise: 'other',
      what,
      shrunk: `cases ${from} to ${to - 1} together`,
      size: Number.MAX_SAFE_INTEGER,
    },
  ]
}

/** Leaves out of a list, one after the other, what a failure does not need. */
export async function shrinkList<Item>(
  items: readonly Item[],
  fails: (items: readonly Item[]) => Promise<boolean>,
): Promise<readonly Item[]> {
  let left = items
  for (let at = left.length - 1; at >= 0; at--) {
    const without = left.toSpliced(at, 1)
    if (await fails(without)) left = without
  }
  return left
}
