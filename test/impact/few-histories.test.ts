import { expect, it } from 'vitest'
import { liveThrough } from './event-history.ts'
import { holdImpact } from './hold-impact.ts'

it('counts what drifts cost and prints what brings it back, in a few random histories', async () => {
  let regained = 0
  for (const seed of ['events 2', 'events 4', 'events 5']) {
    await using history = await liveThrough(seed)
    for (const held of await holdImpact(history)) regained += held.regained
  }
  expect(regained).toBeGreaterThan(0)
})
