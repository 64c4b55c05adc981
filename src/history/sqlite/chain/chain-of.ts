import type { Database } from 'better-sqlite3'

/** The chain's digest as of a run. */
export interface RunChain {
  /** null for a run of a time without one, or whose rows were sealed anew since; undefined when it is not there. */
  readonly chain: string | null | undefined
  /** What it was before its rows were sealed anew. */
  readonly formerChain: string | null
}

export function chainOf(db: Database, run: number): RunChain {
  const found = db
    .prepare<[number], RunChain>(
      "SELECT chain, former_chain AS formerChain FROM run WHERE number = ? AND state = 'committed'",
    )
    .get(run)
  return found ?? { chain: undefined, formerChain: null }
}
