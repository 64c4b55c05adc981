import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../../src/demo/random.ts'
import type { PoolWorkerInTest } from './pool-harness.ts'

interface Shaking {
  readonly random: Random
  /** Has the work of some given to others. */
  readonly lose: (workers: readonly PoolWorkerInTest[]) => Promise<void>
}

/** Pauses workers at random moments until a run has ended; each goes on a while after others have its work. */
export async function shakeWorkers(
  workers: readonly PoolWorkerInTest[],
  run: Promise<unknown>,
  { random, lose }: Shaking,
): Promise<void> {
  const chosen = new Set<PoolWorkerInTest>()
  let isOver = false
  const end = () => {
    isOver = true
  }
  run.then(end, end)
  // The project of a third one would be given up.
  const most = 1 + random.below(2)
  while (!isOver) {
    const worker = chosen.size === most ? undefined : workers.find((each) => each.busy() > 0 && !chosen.has(each))
    if (worker === undefined) {
      await sleep(20)
      // One may have all work, and the next gets some when it is lost.
      await lose([...chosen])
      continue
    }
    await sleep(random.below(50))
    worker.pause()
    chosen.add(worker)
  }
  for (const worker of workers) worker.resume()
  // What zombies still have under way meets the fence before the next run.
  await sleep(50)
}
