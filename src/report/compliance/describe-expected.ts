import { showTime } from '../text/show-time.ts'
import type { ExpectedChange } from './compliance.ts'

/** Changes of one window and ticket, the latest first. */
export interface ExpectedGroup {
  /** `nightly (CHG-4711)`. */
  readonly title: string
  readonly changes: readonly ExpectedChange[]
}

export const aboutExpected =
  'These came about in a time that touches a change window of the policy. A change window exempts nothing: what rules find in them counts.'

export function groupExpected(changes: readonly ExpectedChange[]): readonly ExpectedGroup[] {
  const groups = Map.groupBy(changes, ({ window, ticket }) => (ticket === null ? window : `${window} (${ticket})`))
  return [...groups].map(([title, alike]) => ({ title, changes: alike }))
}

/** `between 2026-11-26 21:01 UTC and 2026-11-26 22:01 UTC, run 7`. */
export function describeExpected({ between: { after, before }, run }: Pick<ExpectedChange, 'between' | 'run'>): string {
  return `between ${after === null ? 'an unknown time' : showTime(after)} and ${showTime(before)}, run ${run}`
}
