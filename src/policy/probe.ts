import type { Json, JsonObject } from '../model/json.ts'
import type { ProjectRef, Resource } from '../model/resource.ts'
import type { Expectation } from './expectation.ts'
import type { Labels } from './selector.ts'

/** Whose text a probe runs: a source's body or header function, or a subscription's function. */
export const probedFunctions = ['body', 'header', 'subscription'] as const
export type ProbedFunction = (typeof probedFunctions)[number]

/** Where the text of a probed function is. */
export const functionPlaces = {
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
