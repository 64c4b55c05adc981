import { setFlagsFromString } from 'node:v8'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { boundHeap } from '../../src/app/bound-heap.ts'

vi.mock(import('node:v8'), () => ({ setFlagsFromString: vi.fn() }))
afterEach(() => vi.mocked(setFlagsFromString).mockClear())

describe('the heap of a run', () => {
  it('is left as it is for a small fleet', () => {
    const count = boundHeap()
    for (let page = 0; page < 99; page++) count(100)
    expect(setFlagsFromString).not.toHaveBeenCalled()
  })

  it('is bounded once, when the run has read as many items as a large fleet has', () => {
    const count = boundHeap()
    for (let page = 0; page < 300; page++) count(100)
    expect(vi.mocked(setFlagsFromString).mock.calls).toEqual([['--heap-growing-percent=30']])
  })
})
