import { expect, it } from 'vitest'
import { meantBy } from '../../src/model/meant-by.ts'

const things = [
  { uid: 'a1', name: 'orders' },
  { uid: 'a2', name: 'a1' },
  { uid: 'b1', name: 'orders' },
  { uid: 'b2', name: 'orders-eu' },
]

it.each([
  ['a uid', 'a1', ['a1']],
  ['a name', 'orders', ['a1', 'b1']],
  ['the beginning of uids and names', 'a', ['a1', 'a2']],
  ['the beginning of a name', 'orders-', ['b2']],
  ['nothing', '', []],
])('%s: %j', (_, text, uids) => {
  expect(meantBy(things, text).map(({ uid }) => uid)).toEqual(uids)
})
