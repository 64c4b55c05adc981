import { canonicalJson } from '../../model/canonical-json.ts'
import { linkOf } from './links.ts'
import type { Parts } from './parts.ts'

export interface BrokenLink {
  readonly run: number
  readonly text: string
}

/** A committed or pruned run. */
export interface LinkedRun {
  readonly number: number
  readonly state: 'committed' | 'pruned'
  readonly previous: string | null
  readonly partDigests: string | null
  /** null once it is pruned. */
  readonly chain: string | null
}

export function hasLink({ state, chain }: LinkedRun): boolean {
  return state === 'committed' && chain !== null
}

/** Checks links run by run, oldest first. `pruned`: whether a run was pruned, according to the checkpoints. */
export function linkChecker(pruned: (run: number) => boolean) {
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

export interface LastCheckpoint {
  readonly id: number
  readonly madeAt: string
  readonly digest: string
  readonly run: number | null
}

/** `carried`: the digest of what the checkpoint carries, as it is now. */
export function* checkCheckpoint(last: LastCheckpoint, carried: string): Generator<BrokenLink> {
  if (carried === last.digest) return
  yield {
    run: last.run ?? 0,
    text: `what is left of pruned runs is not what checkpoint ${last.id} of ${last.madeAt} carried`,
  }
}
