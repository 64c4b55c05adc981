import { createRandom } from '../../src/demo/random.ts'
import type { TestDatabase } from '../history/postgres/databases.ts'
import { startRandomFleet } from '../oracle/random-fleet.ts'
import { openFourSides } from './four-sides.ts'

/** What a world showed. */
export interface PoolWorld {
  readonly runs: number
  /** Walks that a lost worker had begun. */
  readonly lost: number
  /** Where a side differs from SQLite in one process; empty when none does. */
  readonly differences: readonly string[]
}

/** So that a walk is often under way when its worker is paused. */
const latencyMs = 3

/**
 * A random fleet as the oracle's, audited by four sides several times while it changes and breaks. Every report in every
 * format, every answer of the history and every message must be the same.
 */
export async function compareWithPool(seed: string, makeDatabase: () => Promise<TestDatabase>): Promise<PoolWorld> {
  const random = createRandom(`pool/${seed}`)
  await using world = await startRandomFleet(seed, random, { projects: 3 + random.below(4), latencyMs })
  const { service, fleet } = world
  const sides = await openFourSides(world, { makeDatabase, random })
  const nextTurn = world.begin()
  const differences: string[] = []
  let runs = 0
  try {
    for (let left = 2 + random.below(3); left > 0 && differences.length === 0; left--) {
      const { waitMs, rules: _, ...turn } = nextTurn()
      sides.advance(waitMs)
      // One that passes would be met by the first side only.
      const faults = service.faults.map((fault) => ({ ...fault, times: Number.POSITIVE_INFINITY }))
      const before = () => void service.faults.splice(0, service.faults.length, ...faults)
      runs++
      differences.push(...(await sides.audit({ ...turn, url: service.url }, before)))
    }
    const uids = fleet
      .projects()
      .flatMap(({ uid }) => fleet.open(uid).endpoints.slice(0, 1))
      .map(({ uid }) => uid)
    if (differences.length === 0) differences.push(...(await sides.compareHistories({ uids: uids.slice(0, 1) })))
  } finally {
    await sides.close()
  }
  return { runs, lost: sides.lost(), differences }
}
