import { aProject, type Case, type Cases } from '../rule-cases.ts'

const strategy = (type: string, duration: number, retry_count: number) =>
  aProject({ config: { strategy: { type, duration, retry_count } } })
const found = (seen: ReturnType<typeof aProject>, pace: string): Case => ({
  sees: [seen],
  finds: [`medium p/config/strategy: ${pace})`],
})

export const cases: Cases = {
  'finds many retries at a short constant interval': found(
    strategy('linear', 9, 7),
    '6 retries, one every 9 s (policy: at most 5 at intervals under 10 s',
  ),
  'finds too many retries of any kind': found(
    strategy('exponential', 30, 52),
    '51 retries, exponential from 30 s (policy: at most 50',
  ),
  'measures by the options': {
    ...found(strategy('linear', 20, 4), '3 retries, one every 20 s (policy: at most 2 at intervals under 30 s'),
    options: { min_interval_seconds: 30, max_retries_below: 2 },
  },
  'leaves ten seconds alone': { sees: [strategy('linear', 10, 51)] },
  'leaves five retries alone': { sees: [strategy('linear', 1, 6)] },
  'leaves an exponential schedule alone': { sees: [strategy('exponential', 1, 20)] },
  'is silent where a member is not shown': {
    sees: [aProject({ config: { strategy: { type: 'linear', retry_count: 90 } } })],
  },
  'is silent where the strategy is empty': { sees: [aProject({ config: { strategy: null } })] },
}
