import { z } from 'zod'
import { patternFault } from '../../gateway/expressions.ts'

/** A regular expression in a policy, checked when the policy is read. RE2: none can take for ever. */
export const pattern = z
  .string()
  .min(1)
  .max(200)
  .refine((text) => patternFault(text) === undefined, {
    error: 'a regular expression in the syntax of RE2, which supports neither lookaround nor back-references',
  })
