import { describe, expect, it } from 'vitest'
import { leaveOut } from '../../src/yaml/read-document.ts'

const value = { a: 1, list: [{ x: 1 }, { x: 2 }, { x: 3, deep: [10, 20, 30] }] }

describe('leaving out', () => {
  it('members and entries keeps the rest, and knows where it was', () => {
    const reduced = leaveOut(value, [['a'], ['list', 1], ['list', 2, 'deep', 0]])
    expect(reduced?.value).toEqual({ list: [{ x: 1 }, { x: 3, deep: [20, 30] }] })
    expect(reduced?.original(['list', 1, 'deep', 1])).toEqual(['list', 2, 'deep', 2])
    expect(reduced?.original(['list', 0, 'x'])).toEqual(['list', 0, 'x'])
  })

  it('what is missing takes its owner along', () => {
    expect(leaveOut(value, [['list', 0, 'y']])?.value).toEqual({ a: 1, list: value.list.slice(1) })
  })

  it('everything leaves nothing', () => {
    expect(leaveOut(value, [['b']])).toBeUndefined()
    expect(leaveOut([], [[]])).toBeUndefined()
  })

  it('treats no name as special', () => {
    const odd = JSON.parse('{"__proto__": {"x": 1}, "constructor": 2}')
    const reduced = leaveOut(odd, [['constructor']])?.value
    expect(JSON.stringify(reduced)).toBe('{"__proto__":{"x":1}}')
  })
})
