import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readWordLists } from '../../scripts/learn/word-lists.ts'
import { halfOf, namesOf, writeTable } from '../../scripts/learn/write-table.ts'
import { findRandom, isRandomText } from '../../src/model/secrets/random-text.ts'

describe('the table of bigrams', () => {
  it('is what the word lists give', () => {
    const written = readFileSync(join(import.meta.dirname, '../../src/model/secrets/bigrams.ts'), 'utf8')
    expect(written).toBe(writeTable())
  })

  it('classifies 99 of 100 names of unlearnt words as names', () => {
    const names = namesOf(halfOf(readWordLists(), 1), 5, 30_000)
    const long = names.filter(({ length }) => length >= 20)
    expect(long.filter(isRandomText).length / long.length).toBeLessThan(0.01)
    expect(long.filter((name) => findRandom(name).length > 0).length / long.length).toBeLessThan(0.01)
  })
})
