import type { Database } from 'better-sqlite3'
import { canonicalJson } from '../../../model/canonical-json.ts'
import { linkOf } from '../../chain/links.ts'
import type { ChainVersion, Parts } from '../../chain/parts.ts'
import { carriedDigest } from './chain.ts'
import { partsOfRun } from './digest-rows.ts'
import { prunedRuns } from './pruned-runs.ts'

export interface BrokenLink {
  readonly run: number
  readonly text: string
}

interface RunRow {
  readonly number: number
  readonly state: 'committed' | 'pruned'
  readonly previous: string | null
  readonly partDigests: string | null
  readonly chain: string | null
  /** null without a chain. */
  readonly version: ChainVersion
}

/** Links that do not verify, oldest first; then a checkpoint that does not. */
export function* findBrokenLinks(db: Database): Generator<BrokenLink> {
  const runs = db
    .prepare<[], RunRow>(
      `SELECT number, state, previous, part_digests AS partDigests, chain, chain_version AS version FROM run
       WHERE state IN ('committed', 'pruned') ORDER BY number`,
    )
    .all()
  const pruned = prunedRuns(db)
  let before: RunRow | undefined
  // The next link may follow the stored or the computed one: where one of them was altered, it names the other.
  let links: readonly (string | null)[] = [null]
  for (const run of runs) {
    const { number, state, previous, chain, version } = run
    const isAfterPruned = before?.state === 'pruned' || isGap(pruned, before?.number ?? 0, number)
    before = run
    if (state === 'pruned') continue
    if (chain === null) {
      if (links.some((link) => link !== null))
        yield { run: number, text: `run ${number} has no link, unlike those before it` }
      continue
    }
    if (!isAfterPruned && !links.includes(previous)) {
      yield { run: number, text: `run ${number} does not follow the one before it: its link names another` }
    }
    const parts = partsOfRun(db, number, version)
    const altered = alteration(run, parts)
    if (altered !== undefined) yield { run: number, text: altered }
    links = [chain, linkOf(version, previous, parts)]
  }
  yield* checkCheckpoint(db)
}

function isGap(pruned: (run: number) => boolean, from: number, to: number): boolean {
  for (let run = from + 1; run < to; run += 1) if (pruned(run)) return true
  return false
}

/** Describes what was altered in a run after its commit. */
function alteration(
  { number, previous, partDigests: written, chain, version }: RunRow,
  parts: Parts,
): string | undefined {
  if (linkOf(version, previous, parts) === chain) {
    return written === canonicalJson(parts) ? undefined : `the column part_digests of run ${number} was altered`
  }
  const committed = readParts(written)
  const names = [...new Set([...Object.keys(committed), ...Object.keys(parts)])].sort()
  const altered = names.filter((name) => committed[name] !== parts[name]).map((name) => name.replaceAll('_', ' '))
  if (altered.length === 0)
    return `the link of run ${number} was altered, in its column previous, chain or chain_version`
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

function* checkCheckpoint(db: Database): Generator<BrokenLink> {
  const last = db
    .prepare<
      [],
      { id: number; made_at: string; reason: string; digest: string; version: ChainVersion; run: number | null }
    >(
      'SELECT id, made_at, reason, state_digest AS digest, chain_version AS version, run FROM checkpoint ORDER BY id DESC LIMIT 1',
    )
    .get()
  if (last === undefined || carriedDigest(db, last.id, last.version) === last.digest) return
  const what = outside[last.reason] ?? 'of runs outside the chain'
  yield {
    run: last.run ?? 0,
    text: `what is left ${what} is not what checkpoint ${last.id} of ${last.made_at} carried`,
  }
}

const outside: Readonly<Record<string, string>> = {
  prune: 'of pruned runs',
  reseal: 'of resealed runs',
  upgrade: 'of runs committed before there was a chain',
}
