import { describe, expect, it } from 'vitest'
import { boundHeap } from '../../src/app/perform-audit.ts'

/** The flags that a run sets that reads pages of so many items. */
function flagsOf(pages: number, items = 100): readonly string[] {
  const flags: string[] = []
  const count = boundHeap((flag) => flags.push(flag))
  for (let page = 0; page < pages; page++) count(items)
  return flags
}

describe('the heap of a run', () => {
  it('is left as it is for a small fleet', () => {
    expect(flagsOf(99)).toEqual([])
  })

  it('is bounded sooner where pages are small: a page costs more than its items', () => {
    expect(flagsOf(999, 1)).toEqual([])
    expect(flagsOf(1000, 1)).toEqual(['--heap-growing-percent=30'])
  })

  it('is bounded once, when the run has read as many items as a large fleet has', () => {
    expect(flagsOf(300)).toEqual(['--heap-growing-percent=30'])
  })
})
