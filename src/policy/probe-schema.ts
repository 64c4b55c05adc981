import { z } from 'zod'
import { probedFunctions } from './probe.ts'
import { selectorSchema } from './selector.ts'

const path = z.string().min(1).max(4096)

/** One entry of `probes`. */
export const probeSchema = z
  .strictObject({
    name: z
      .string()
      .regex(/^[\p{L}\p{N}][\p{L}\p{N}._-]{0,99}$/u, {
        error: 'a name of letters, digits, dots, dashes and underscores, at most 100',
      })
      .describe('Names the outcome in the history; unique'),
    match: selectorSchema.describe('Whose function: every key must hold'),
    function: z
      .enum(probedFunctions)
      .describe("Which text is run: a source's body or header function, or a subscription's function"),
    function_file: path
      .exactOptional()
      .describe("The function's text, for where the lists do not show it; relative to this file"),
    payload: path.describe('A JSON file with the object that the function gets; relative to this file'),
    type: z
      .string()
      .min(1)
      .max(100)
      .exactOptional()
      .describe(
        'As the service takes it; only results of `body` are checked by it. Default: body for body, else header',
      ),
    expect: z.string().min(1).max(10_000).exactOptional().describe('A CEL expression over `payload`, the result'),
    expect_json: z
      .json({ error: 'a JSON value' })
      .exactOptional()
      .describe('The result, exactly; instead of an expression'),
  })
  .refine((probe) => probe.expect === undefined || probe.expect_json === undefined, {
    error: 'only one of `expect` and `expect_json`',
  })

export type WrittenProbe = z.output<typeof probeSchema>
