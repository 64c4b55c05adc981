import { z } from 'zod'
import type { Json, JsonObject } from '../model/json.ts'
import type { ProjectRef, Resource } from '../model/resource.ts'
import { type Labels, selectorSchema } from './selector.ts'

/** Whose text a probe runs: a source's body or header function, or a subscription's function. */
const probedFunctions = ['body', 'header', 'subscription'] as const
type ProbedFunction = (typeof probedFunctions)[number]

/** Where the text of a probed function is. */
export const functionFields = {
  body: { kind: 'source', attribute: 'body_function' },
  header: { kind: 'source', attribute: 'header_function' },
  subscription: { kind: 'subscription', attribute: 'function' },
} as const satisfies Record<ProbedFunction, { kind: 'source' | 'subscription'; attribute: string }>

/** A test run that the policy asks for, its files read. */
export interface Probe {
  readonly name: string
  readonly function: ProbedFunction
  /** The function's text where the lists do not show it. */
  readonly functionText: string | undefined
  readonly payload: JsonObject
  /** As the service takes it. */
  readonly type: string
  readonly expectation: Expectation | undefined
  /** The settings that count in the policy's digest. */
  readonly said: Json
  /** Whether it is about a resource; only ever one of its function's kind. */
  matches(project: ProjectRef, labels: Labels, resource: Resource): boolean
}

/** What a probe's result must be. */
export interface Expectation {
  /**
   * Checks a result; `unknown` where it could not be evaluated. `now`: milliseconds since the epoch.
   */
  evaluate(result: Json, now: number): ExpectationOutcome
}

type ExpectationOutcome =
  | { readonly is: 'met' }
  | { readonly is: 'broken'; readonly complaint: string }
  | { readonly is: 'unknown'; readonly reason: string }

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
