/** What a campaign came to. */
export interface Outcome {
  readonly cases: number
  /** Cases in which a promise did not hold. */
  readonly violations: number
}

/** Ends a campaign: with 1 for any violation. `npm run prove`, where it began the campaign, is sent the outcome. */
export function conclude(outcome: Outcome): void {
  process.send?.(outcome)
  if (outcome.violations > 0) process.exitCode = 1
}
