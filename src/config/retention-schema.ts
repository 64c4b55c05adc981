import { z } from 'zod'
import { keepNothing, keepsSomething, type RetentionRules, readSpan } from '../history/retention.ts'

const count = z.union([z.int().min(0).max(999_999_999), z.literal('unlimited')], {
  error: 'a whole number from 0 to 999999999, or `unlimited`',
})

/** The option names of `hookdrift prune`, which are restic's. */
export const retentionSchema = z
  .strictObject({
    keep_last: count.exactOptional().describe('The last runs'),
    keep_hourly: count.exactOptional().describe('The last run of each of the last hours that have one'),
    keep_daily: count.exactOptional().describe('Of each of the last days'),
    keep_weekly: count.exactOptional().describe('Of each of the last weeks'),
    keep_monthly: count.exactOptional().describe('Of each of the last months'),
    keep_yearly: count.exactOptional().describe('Of each of the last years'),
    keep_within: z
      .string()
      .refine((text) => readSpan(text) !== undefined, {
        error: 'years, months, days and hours, such as `14d` or `1y6m`',
      })
      .exactOptional()
      .describe('All runs within this time before the newest'),
  })
  .refine((words) => keepsSomething(keepOf(words)), { error: 'something to keep, such as `keep_daily: 30`' })

type Words = Readonly<Partial<Record<`keep_${Exclude<keyof RetentionRules, 'within'>}`, number | 'unlimited'>>> & {
  readonly keep_within?: string
}

/** Which runs to keep, and the words of the configuration for the record. */
export interface Retention {
  readonly keep: RetentionRules
  readonly options: Readonly<Record<string, number | string>>
}

export function retentionOf(words: Words): Retention {
  return { keep: keepOf(words), options: { ...words } }
}

function keepOf({ keep_within, ...words }: Words): RetentionRules {
  const counts = Object.entries(words).map(([name, value]) => [
    name.replace('keep_', ''),
    value === 'unlimited' ? Number.POSITIVE_INFINITY : value,
  ])
  return { ...keepNothing, ...Object.fromEntries(counts), within: keep_within && readSpan(keep_within) }
}
