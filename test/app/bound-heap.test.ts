import { describe, expect, it } from 'vitest'
import { boundHeap } from '../../src/app/bound-heap.ts'

/** The flags that a run sets that reads pages of 100 items. */
function flagsOf(pages: number): readonly string[] {
  const flags: string[] = []
  const count = boundHeap((flag) => flags.push(flag))
  for (let page = 0; page < pages; page++) count(100)
  return flags
}

describe('the heap of a run', () => {
  it('is left as it is for a small fleet', () => {
    expect(flagsOf(99)).toEqual([])
  })

  it('is bounded once, when the run has read as many items as a large fleet has', () => {
    expect(flagsOf(300)).toEqual(['--heap-growing-percent=30'])
  })
})
