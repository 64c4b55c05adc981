import { describe, expect, it } from 'vitest'
import { readClaims } from '../../prove/gateway/read-claims.ts'
import { trials } from '../../prove/gateway/trials/trials.ts'
import { builtInRule } from '../../src/rules/rules.ts'

const claims = await readClaims()
const wrongOnes = (isWrong: (claim: (typeof claims)[number]) => boolean) =>
  claims.filter(isWrong).map(({ given }) => given)

/** Raised when claims are added, so that none goes missing. */
const fewest = 240

describe('claims about the gateway', () => {
  it('are as many as they were', () => {
    expect(claims.length).toBeGreaterThanOrEqual(fewest)
  })

  it('ask rules that exist', () => {
    expect(wrongOnes(({ asks }) => asks.some((rule) => builtInRule(rule) === undefined))).toEqual([])
  })

  it('say something of the rules that they ask, and of no other', () => {
    const form = /^(?:(?:critical|high|medium|low|info) (\S+) (?:-|(?:[a-z_]+:)?\d)(?:\/\S*)?|cannot say (\S+))$/
    const rulesOf = (line: string) =>
      form
        .exec(line)
        ?.slice(1)
        .filter((rule) => rule !== undefined) ?? []
    const isWrong = (line: string, asks: readonly string[]) =>
      rulesOf(line).length !== 1 || !rulesOf(line).every((rule) => asks.includes(rule))
    expect(wrongOnes(({ says, asks }) => says.some((line) => isWrong(line, asks)))).toEqual([])
  })

  it('are known from a release: tried on it, or read in a file of its code', () => {
    const form = /^(?:tried v\d+\.\d+\.\d+|read v\d+\.\d+\.\d+ [\w./-]+\.(?:go|sql))$/
    expect(wrongOnes(({ known }) => !known.every((source) => form.test(source)))).toEqual([])
  })

  it('have words of their own', () => {
    const given = claims.map((claim) => claim.given)
    expect(given.filter((words, index) => given.indexOf(words) !== index)).toEqual([])
  })

  it('name trials that exist, and each trial is one of a claim', () => {
    const named = new Set(claims.flatMap(({ trial }) => trial ?? []))
    expect([...named].filter((name) => !Object.hasOwn(trials, name))).toEqual([])
    expect(Object.keys(trials).filter((name) => !named.has(name))).toEqual([])
  })
})
