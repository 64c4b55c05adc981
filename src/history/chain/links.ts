import { hash } from 'node:crypto'
import { canonicalJson } from '../../model/canonical-json.ts'
import type { Session, Transaction } from '../sql/session.ts'
import { partsCarried, partsOfRun } from './digest-rows.ts'
import type { PartDigests, Parts } from './parts.ts'

/** Attributes what was written between two runs to the run that is being committed. */
export async function attributeToRun(session: Session, run: number): Promise<void> {
  await session.run('UPDATE hookdrift.checkpoint SET run = $1 WHERE run IS NULL', [run])
  await session.run(signedSql('approval', 'approved_in'), [run])
  await session.run(signedSql('acceptance', 'accepted_in'), [run])
  await session.run('UPDATE hookdrift.recorded_note SET noted_in = $1 WHERE noted_in IS NULL', [run])
}

function signedSql(table: string, column: string): string {
  return `UPDATE hookdrift.${table} SET ${column} = coalesce(${column}, $1),
      revoked_in = CASE WHEN revoked_at IS NULL THEN revoked_in ELSE coalesce(revoked_in, $1) END
    WHERE ${column} IS NULL OR (revoked_at IS NOT NULL AND revoked_in IS NULL)`
}

/** Links a run that is being committed, with all that it wrote, to the one before it. Returns the link. */
export async function appendLink(transaction: Transaction, run: number, givenDigests: PartDigests): Promise<string> {
  const previous =
    (await transaction.value<string | null>(
      "SELECT chain FROM hookdrift.run WHERE number < $1 AND state = 'committed' ORDER BY number DESC LIMIT 1",
      [run],
    )) ?? null
  const parts = await partsOfRun(transaction, run, givenDigests)
  const chain = linkOf(previous, parts)
  await transaction.run('UPDATE hookdrift.run SET previous = $2, part_digests = $3, chain = $4 WHERE number = $1', [
    run,
    previous,
    canonicalJson(parts),
    chain,
  ])
  return chain
}

/** Records a digest of all rows that no link covers. The link of the next committed run covers the checkpoint. */
export async function makeCheckpoint(
  transaction: Transaction,
  { madeAt, toolVersion, options, runs }: Checkpoint,
): Promise<void> {
  const id = ((await transaction.value<number | null>('SELECT max(id) FROM hookdrift.checkpoint')) ?? 0) + 1
  await transaction.run(
    `INSERT INTO hookdrift.checkpoint (id, made_at, tool_version, options, runs, state_digest)
     VALUES ($1, $2, $3, $4, $5, '')`,
    [id, madeAt, toolVersion, JSON.stringify(options), JSON.stringify(runs)],
  )
  const digest = carriedDigestOf(await partsCarried(transaction, id))
  await transaction.run('UPDATE hookdrift.checkpoint SET state_digest = $2 WHERE id = $1', [id, digest])
}

/** Links that do not verify, oldest first; then a checkpoint that does not. */
export async function* findBrokenLinks(transaction: Transaction): AsyncGenerator<BrokenLink> {
  const runs = await transaction.all<LinkedRun>(
    `SELECT number, state, previous, part_digests AS "partDigests", chain
     FROM hookdrift.run WHERE state IN ('committed', 'pruned') ORDER BY number`,
  )
  const check = linkChecker(await prunedRuns(transaction))
  for (const run of runs) yield* check(run, hasLink(run) ? await partsOfRun(transaction, run.number) : undefined)
  const last = await transaction.get<LastCheckpoint>(
    `SELECT id, made_at AS "madeAt", state_digest AS digest, run FROM hookdrift.checkpoint ORDER BY id DESC LIMIT 1`,
  )
  if (last === undefined) return
  yield* checkCheckpoint(last, carriedDigestOf(await partsCarried(transaction, last.id)))
}

/** The oldest of them; undefined when all verify. */
export async function findBrokenLink(transaction: Transaction): Promise<BrokenLink | undefined> {
  for await (const broken of findBrokenLinks(transaction)) return broken
  return undefined
}

/** Whether a run was pruned, according to the checkpoints. */
export async function prunedRuns(session: Session): Promise<(run: number) => boolean> {
  return inRanges(await session.column('SELECT runs FROM hookdrift.checkpoint ORDER BY id'))
}

/** The digest of a committed run and, through the link before it, of all earlier ones. */
function linkOf(previous: string | null, parts: Parts): string {
  return hash('sha256', canonicalJson(['hookdrift.chain/1', previous, parts]))
}

/** The digest in a checkpoint, of what it carries. */
function carriedDigestOf(parts: Parts): string {
  return hash('sha256', canonicalJson(['hookdrift.carried/1', parts]))
}

interface Checkpoint {
  /** ISO 8601, UTC. */
  readonly madeAt: string
  readonly toolVersion: string
  /** The retention options. */
  readonly options: Readonly<Record<string, number | string>>
  /** First and last of each range of pruned runs. */
  readonly runs: readonly RunRange[]
}

export interface BrokenLink {
  readonly run: number
  readonly text: string
}

/** `[[1, 3], [7, 7]]` for 1, 2, 3 and 7; the runs are sorted. */
export function rangesOf(runs: readonly number[]): RunRange[] {
  const ranges: [number, number][] = []
  for (const run of runs) {
    const last = ranges.at(-1)
    if (last !== undefined && last[1] === run - 1) last[1] = run
    else ranges.push([run, run])
  }
  return ranges
}

/** A committed or pruned run. */
interface LinkedRun {
  readonly number: number
  readonly state: 'committed' | 'pruned'
  readonly previous: string | null
  readonly partDigests: string | null
  /** null once it is pruned. */
  readonly chain: string | null
}

function hasLink({ state, chain }: LinkedRun): boolean {
  return state === 'committed' && chain !== null
}

/** Checks links run by run, oldest first. `pruned`: whether a run was pruned, according to the checkpoints. */
function linkChecker(pruned: (run: number) => boolean) {
  let before: LinkedRun | undefined
  // The next link may follow the stored or the computed one: where one of them was altered, it names the other.
  let links: readonly (string | null)[] = [null]
  const isGap = (from: number, to: number) => {
    for (let run = from + 1; run < to; run += 1) if (pruned(run)) return true
    return false
  }
  /** `parts`: what the run recorded, as it is now; undefined where it has no link. */
  return function* check(run: LinkedRun, parts: Parts | undefined): Generator<BrokenLink> {
    const { number, state, previous, chain } = run
    const isAfterPruned = before?.state === 'pruned' || isGap(before?.number ?? 0, number)
    before = run
    if (state === 'pruned') return
    if (parts === undefined) {
      if (links.some((link) => link !== null))
        yield { run: number, text: `run ${number} has no link, unlike those before it` }
      return
    }
    if (!isAfterPruned && !links.includes(previous)) {
      yield { run: number, text: `run ${number} does not follow the one before it: its link names another` }
    }
    const altered = alteration(run, parts)
    if (altered !== undefined) yield { run: number, text: altered }
    links = [chain, linkOf(previous, parts)]
  }
}

/** Describes what was altered in a run after its commit. */
function alteration({ number, previous, partDigests: written, chain }: LinkedRun, parts: Parts): string | undefined {
  if (linkOf(previous, parts) === chain) {
    return written === canonicalJson(parts) ? undefined : `the column part_digests of run ${number} was altered`
  }
  const committed = readParts(written)
  const names = [...new Set([...Object.keys(committed), ...Object.keys(parts)])].sort()
  const altered = names.filter((name) => committed[name] !== parts[name]).map((name) => name.replaceAll('_', ' '))
  if (altered.length === 0) return `the link of run ${number} was altered, in its column previous or chain`
  return `not as run ${number} committed it: ${altered.join(', ')}`
}

/** The parts as far as they can be read: they may have been altered too. */
function readParts(written: string | null): Parts {
  try {
    const parts: unknown = JSON.parse(written ?? '{}')
    return typeof parts === 'object' && parts !== null ? { ...parts } : {}
  } catch {
    return {}
  }
}

interface LastCheckpoint {
  readonly id: number
  readonly madeAt: string
  readonly digest: string
  readonly run: number | null
}

/** `carried`: the digest of what the checkpoint carries, as it is now. */
function* checkCheckpoint(last: LastCheckpoint, carried: string): Generator<BrokenLink> {
  if (carried === last.digest) return
  yield {
    run: last.run ?? 0,
    text: `what is left of pruned runs is not what checkpoint ${last.id} of ${last.madeAt} carried`,
  }
}

/** First and last of a range of runs. */
type RunRange = readonly [number, number]

/** Whether a run was pruned, according to the lists of checkpoints. */
function inRanges(texts: readonly string[]): (run: number) => boolean {
  const ranges = texts.flatMap(readRanges).sort(([a], [b]) => a - b)
  return (run) => {
    let [low, high] = [0, ranges.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((ranges[middle]?.[0] ?? 0) <= run) low = middle + 1
      else high = middle
    }
    return (ranges[low - 1]?.[1] ?? 0) >= run
  }
}

/** An unreadable list names no run, so that its runs count as missing. */
function readRanges(text: string): RunRange[] {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? value.filter(isRange) : []
  } catch {
    return []
  }
}

function isRange(value: unknown): value is RunRange {
  return Array.isArray(value) && value.length === 2 && value.every(Number.isInteger)
}
