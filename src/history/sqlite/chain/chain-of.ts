import type { Database } from 'better-sqlite3'

/** The chain's digest as of a run. */
export interface RunChain {
  /** null for a run older than the chain, or whose rows were resealed; undefined when there is no such run. */
  readonly chain: string | null | undefined
  /** The digest before its rows were resealed. */
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
