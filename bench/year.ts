import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { replayPolicy } from '../src/audit/replay/replay-policy.ts'
import { createRandom } from '../src/demo/random.ts'
import type { HistoryReader } from '../src/history/reader.ts'
import { readDiffering } from '../src/history/sql/differing.ts'
import { type CommittedRun, listRuns } from '../src/history/sql/runs.ts'
import { readLatestScans } from '../src/history/sql/scans.ts'
import { readStateAt } from '../src/history/sql/state-at.ts'
import { historyInMemory } from '../src/history/sqlite/history-in-memory.ts'
import { openSqliteHistory } from '../src/history/sqlite/sqlite-history.ts'
import { readDiff } from '../src/questions/diff.ts'
import { readState } from '../src/questions/state.ts'
import { readTimeline } from '../src/questions/timeline.ts'
import { openAuditHarness, policyOf } from '../test/audit/audit-harness.ts'
import { faultsIn } from '../test/audit/verify-history-file.ts'
import { type FileChange, openLooseGit } from './loose-git.ts'
import { median } from './measure.ts'
import { startYear } from './start-service.ts'
import { table, verdict } from './table.ts'

/**
 * A year of daily audits of 20,000 resources of which one in a hundred changes a day: what the last run costs and what the
 * second one did, the size of the history, of Git and of copies, how soon it answers, and how long a replay of it takes.
 * `BENCH_DAYS` (default 365) and `BENCH_PROJECTS` (default 100) make it smaller; `BENCH_ROUNDS` (default 7) is for the
 * comparison of runs.
 */
const days = Number(process.env.BENCH_DAYS ?? 365)
const projects = Number(process.env.BENCH_PROJECTS ?? 100)
const rounds = Number(process.env.BENCH_ROUNDS ?? 7)
const sizes = { projects, endpointsPerProject: 100, subscriptionsPerProject: 100 }
const resources = projects * (sizes.endpointsPerProject + sizes.subscriptionsPerProject)
const order = { ...sizes, changesPerDay: resources / 100 }
const dayMs = 86_400_000
const policy = policyOf('extends: [recommended]\nrules: { endpoint/url-test-host: off }\n')

const directory = mkdtempSync(join(tmpdir(), 'hookdrift-year-'))
const service = await startYear(order)
const harness = openHarness()
const git = openLooseGit(join(directory, 'git'))
const early = join(directory, 'early.db')
const late = join(directory, 'late.db')

function openHarness() {
  const named = Object.fromEntries(service.projects.map((uid) => [uid, uid]))
  return openAuditHarness({
    projects: named,
    key: service.key,
    pageSize: 1000,
    listings: { sources: 'off', project: 'off' },
  })
}

const reader = () => openSqliteHistory(harness.file, harness.owner)

try {
  await liveThrough()
  await compareRuns()
  printSizes()
  await printAnswerTimes()
  await printReplay()
  await printVerification()
  await printUnchanged()
} finally {
  await service.stop()
  for (const made of [directory, harness.directory]) rmSync(made, { recursive: true, force: true })
}

async function liveThrough(): Promise<void> {
  const startedAt = performance.now()
  let changes = 0
  for (let day = 1; day <= days; day++) {
    await service.become(day)
    if (day === 2) copyFileSync(harness.file, early)
    if (day === days) copyFileSync(harness.file, late)
    harness.advance(dayMs - 60_000)
    const { coverage, drift, verdict } = await harness.audit({ url: service.url, policy })
    if (coverage.some(({ status }) => status !== 'complete')) throw new Error(`day ${day} was not read whole`)
    changes += drift.length
    const files = await changedFiles(day)
    git.commit(day, files)
    if (day % 10 === 0) process.stderr.write(`day ${day}: ${files.length} changed; ${verdict.text}\n`)
  }
  const minutes = ((performance.now() - startedAt) / 60_000).toFixed(0)
  process.stdout.write(`\
${days} daily runs over ${count(resources)} resources in ${projects} projects, ${count(Math.round(changes / (days - 1)))} changes a day (${minutes} minutes).

`)
}

/** What a run changed in the history, as files of the same content. */
async function changedFiles(day: number): Promise<FileChange[]> {
  const history = reader()
  try {
    const pathOf = (project: string, kind: string, uid: string) => join(project, kind, `${uid}.json`)
    if (day > 1) {
      return (await readDiffering(history, day - 1, day)).map(({ project, kind, uid, after }) => {
        return { path: pathOf(project.uid, kind, uid), text: after?.body }
      })
    }
    const files: FileChange[] = []
    for (const { project } of await readLatestScans(history, day)) {
      for (const { kind, uid, body } of await readStateAt(history, project, day)) {
        files.push({ path: pathOf(project.uid, kind, uid), text: body })
      }
    }
    return files
  } finally {
    await history.close()
  }
}

/** The second and the last run, in turns, each on a copy of the history as it found it: so both have the machine's same hour. */
async function compareRuns(): Promise<void> {
  const second = await startYear(order)
  try {
    await second.become(2)
    const contenders = [
      { day: 2, file: early, url: second.url, wallMs: [] as number[], cpuMs: [] as number[] },
      { day: days, file: late, url: service.url, wallMs: [] as number[], cpuMs: [] as number[] },
    ]
    for (let round = 0; round < rounds; round++) {
      for (const { day, file, url, wallMs, cpuMs } of contenders) {
        await using copy = openHarness()
        copyFileSync(file, copy.file)
        copy.advance(day * dayMs)
        const [startedAt, cpuAt] = [performance.now(), process.cpuUsage()]
        await copy.audit({ url, policy })
        const { user, system } = process.cpuUsage(cpuAt)
        wallMs.push(performance.now() - startedAt)
        cpuMs.push((user + system) / 1000)
      }
    }
    const [first, last] = contenders
    const ratio = (what: 'wallMs' | 'cpuMs') =>
      median((last?.[what] ?? []).map((ms, round) => ms / (first?.[what][round] ?? Number.NaN)))
    process.stdout.write(`\
${table([['', 'wall', 'cpu'], ...contenders.map(({ day, wallMs, cpuMs }) => [`run ${day}`, ms(median(wallMs)), ms(median(cpuMs))])])}
${verdict(`run ${days} / run 2`, ratio('wallMs'), { atMost: 1.1 }, ` (cpu ${ratio('cpuMs').toFixed(2)})`)}
`)
  } finally {
    await second.stop()
  }
}

function printSizes(): void {
  const { size: bytes, blocks } = statSync(harness.file)
  const history = { bytes, onDisk: blocks * 512 }
  const loose = git.size()
  git.pack()
  const packed = git.size()
  const sizes = { history, 'git, loose': loose, 'git after gc': packed }
  const rows = Object.entries(sizes).map(([name, { bytes, onDisk }]) => [name, megabytes(bytes), megabytes(onDisk)])
  process.stdout.write(`\
${table([['', 'bytes', 'on disk'], ...rows, ['a copy a day', megabytes(git.copies()), '']])}
${verdict('history / loose git, on disk', history.onDisk / loose.onDisk, { atMost: 0.35 }, ` (bytes ${(bytes / loose.bytes).toFixed(2)})`)}\
${verdict('history / git after gc, bytes', bytes / packed.bytes, { atMost: 1.2 })}\
${verdict('a copy a day / history', git.copies() / bytes, { atLeast: 60 })}
`)
}

async function printAnswerTimes(): Promise<void> {
  const history = reader()
  try {
    const runs = await listRuns(history)
    const last = runAt(runs, days)
    const [from, middle] = [runAt(runs, Math.max(1, days - 20)), runAt(runs, Math.ceil(days / 2))]
    const everything = { projects: [], kind: undefined, limit: Number.POSITIVE_INFINITY }
    const uids = await someUids(history, middle)
    const timelines: number[] = []
    for (const uid of uids) {
      timelines.push(await taken(() => readTimeline(history, { ...everything, uid, run: last })))
    }
    const { rows } = await readDiff(history, { ...everything, from, to: last, withPatch: false })
    const diffMs = await repeated(() => readDiff(history, { ...everything, from, to: last, withPatch: false }))
    const stateMs = await repeated(() => readState(history, { ...everything, run: middle }))
    timelines.sort((a, b) => a - b)
    const share = (part: number) => timelines[Math.floor(part * (timelines.length - 1))] ?? Number.NaN
    process.stdout.write(`\
${verdict(`timeline, of ${count(timelines.length)}: 99 in 100 within, ms`, share(0.99), { atMost: 2 }, ` (half ${share(0.5).toFixed(2)})`)}\
${verdict(`diff of ${count(rows.length)} changes, ms`, diffMs, { atMost: 20 })}\
${verdict(`state at run ${middle.number}, ${count(resources)} resources, ms`, stateMs, { atMost: 60 })}
`)
  } finally {
    await history.close()
  }
}

async function someUids(history: HistoryReader, run: CommittedRun): Promise<string[]> {
  const { rows } = await readState(history, { run, projects: [], kind: undefined, limit: Number.POSITIVE_INFINITY })
  return createRandom('timelines')
    .shuffled(rows)
    .slice(0, 2000)
    .map(({ uid }) => uid)
}

function runAt(runs: readonly CommittedRun[], number: number): CommittedRun {
  const run = runs.find((each) => each.number === number)
  if (run === undefined) throw new Error(`there is no run ${number}`)
  return run
}

async function printReplay(): Promise<void> {
  const history = reader()
  try {
    const runs = await listRuns(history)
    const request = { policy: policyOf('extends: [all]'), runs, clock: () => performance.now() }
    const [cpuAt, tookMs] = [process.cpuUsage(), await taken(() => replayPolicy(history, historyInMemory(), request))]
    const { user, system } = process.cpuUsage(cpuAt)
    const cpu = ` (cpu ${((user + system) / 1e6).toFixed(0)})`
    process.stdout.write(`\
${verdict(`replay of ${runs.length} runs under another policy, s`, tookMs / 1000, { atMost: 60 }, cpu)}
`)
  } finally {
    await history.close()
  }
}

async function printVerification(): Promise<void> {
  const startedAt = performance.now()
  const faults = await faultsIn(harness.file)
  const took = ms(performance.now() - startedAt)
  process.stdout.write(`verify --deep: ${faults.length === 0 ? 'clean' : faults.join('; ')} (${took})\n\n`)
  if (faults.length > 0) process.exitCode = 1
}

/** A run in which nothing changed: what the file grows by, and what goes through the file system. */
async function printUnchanged(): Promise<void> {
  const [size, written] = [statSync(harness.file).size, bytesWritten()]
  harness.advance(dayMs)
  const { drift } = await harness.audit({ url: service.url, policy })
  const grown = statSync(harness.file).size - size
  process.stdout.write(`\
${verdict(`an unchanged run (${drift.length} changes) grows the file by, in kB`, grown / 1000, { atMost: 256 })}\
${verdict('and writes through the file system, in MB', (bytesWritten() - written) / 1e6, { atMost: 1 })}`)
}

/** By this process, of any kind; its requests are counted with it and small. Linux only. */
function bytesWritten(): number {
  return Number(/^wchar: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1])
}

async function taken(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

async function repeated(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < 15; round++) times.push(await taken(work))
  return median(times)
}

function ms(value: number): string {
  return `${count(Math.round(value))} ms`
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}

function count(value: number): string {
  return value.toLocaleString('en')
}
