import { expect, it } from 'vitest'
import { tries } from '../thoroughness.ts'
import { liveThrough } from './event-history.ts'
import { type Held, holdImpact } from './hold-impact.ts'

const perTest = 10
const histories = tries(200, { locally: 50 })

it.each(Array.from({ length: histories / perTest }, (_, index) => index * perTest))(
  'counts what drifts cost and prints what brings it back, in ten random histories from %i on',
  async (first) => {
    const held: Held[] = []
    for (let number = first; number < first + perTest; number++) {
      await using history = await liveThrough(`events ${number}`)
      held.push(...(await holdImpact(history)))
    }
    expect(held.some(({ lost }) => lost > 0)).toBe(true)
    expect(held.some(({ regained }) => regained > 0)).toBe(true)
  },
)
