import { expect, it } from 'vitest'
import { tries } from '../thoroughness.ts'
import { compareWithMarks } from './compare-with-marks.ts'

/** Thousands of them: `npm run prove:marks`. */
const worlds = tries(40, { locally: 8 })

it('with marks, a run reports and stores what it would without them', async () => {
  let recognised = 0
  for (let seed = 1; seed <= worlds; seed++) {
    const world = await compareWithMarks(`ci/${seed}`)
    expect(world.differences, `world ${seed}`).toEqual([])
    recognised += world.recognised
  }
  expect(recognised).toBeGreaterThan(worlds)
}, 300_000)
