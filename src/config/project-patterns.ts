import { z } from 'zod'

/** Which projects something is about: see `matchesProject`. */
export const projectPatterns = z
  .array(
    z.string().regex(/^[^\0-\x1f\x7f]{1,500}$/, {
      error: 'service/project, or a pattern such as `acme/*`, at most 500 characters',
    }),
  )
  .min(1)
  .max(1000)
  .describe('Only these: service/project, a bare project name, or a pattern with `*`. Default: all')
