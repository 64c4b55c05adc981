import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { levels, unitsPerBit } from '../src/model/bigrams.ts'
import { learnCosts } from './learn/learn-costs.ts'
import { seeded } from './learn/seeded.ts'
import { readWordLists } from './learn/word-lists.ts'
import { nameWriter } from './learn/write-names.ts'

const file = join(import.meta.dirname, '../src/model/bigrams.ts')
const lists = readWordLists()
const write = nameWriter(lists, seeded(1))
const names = Array.from({ length: 200_000 }, write)
const costs = learnCosts(lists, names)
const packed = (bits: readonly number[]) =>
  bits.map((each) => levels.charAt(Math.min(63, Math.round(each * unitsPerBit)))).join('')
writeFileSync(
  file,
  `export const unitsPerBit = 6
export const levels = '${levels}'
export const letterCosts = '${packed(costs.letters)}'
export const kindCosts = '${packed(costs.kinds)}'
export const thresholds: readonly number[] = Array.from({ length: 33 }, (_, n) => n < 20 ? 80 : Math.round(72 + 2 * (n - 20)))
`,
)
