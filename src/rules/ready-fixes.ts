import type { Bound, ReadyFix } from './engine/rule.ts'
import { rules } from './rules.ts'

const readyFixes = new Map(rules.flatMap(({ id, fix }) => (fix === undefined ? [] : [[id, fix] as const])))

export function readyFixOf(rule: string): ReadyFix | undefined {
  return readyFixes.get(rule)
}

/** The whole number nearest to a bound that is broken; undefined where only 0 is, which services take for "not set". */
export function nearestWithin(bound: Bound['bound'], limit: number): number | undefined {
  return (bound === 'most' ? Math.floor(limit) : Math.ceil(limit)) || undefined
}
