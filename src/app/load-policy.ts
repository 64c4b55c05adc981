import { setTimeout as sleep } from 'node:timers/promises'
import { createMaskingSealer, sealKnown } from '../gateway/inventory/sealer.ts'
import { AuditError } from '../model/errors.ts'
import type { Policy } from '../policy/policy.ts'
import type { TestAtPosition } from '../policy/read-policy-tests.ts'
import type { Steps } from '../policy/steps.ts'
import { readTextFile } from './read-text-file.ts'

export interface LoadOptions {
  /** Milliseconds; waivers that last too long from then on are mistakes. Without it they are not checked. */
  readonly now?: number
  /** Stops the reading: then its reason is thrown. */
  readonly signal?: AbortSignal | undefined
  /** Those of the configuration, which are masked in the words of the policy. Default: none are known. */
  readonly secrets?: readonly string[]
}

/**
 * Reads the policy of a file, or the `recommended` pack where there is none. The process answers signals and requests
 * meanwhile.
 * @throws AuditError.usage with a line for every mistake, or when it takes too long
 */
export async function loadPolicy(
  file: string | undefined,
  { now, signal, secrets = [] }: LoadOptions = {},
): Promise<Policy> {
  const { policySteps } = await import('../policy/policy-steps.ts')
  const masking = createMaskingSealer(secrets)
  const mask = (text: string) => sealKnown(text, masking)
  return inTime(policySteps(file, readTextFile, now, undefined, mask), `reading the policy ${file}`, signal)
}

/** Reads a policy's tests in the same way. */
export async function loadPolicyTests(
  file: string,
  ruleIds: readonly string[],
  { signal }: LoadOptions = {},
): Promise<readonly TestAtPosition[]> {
  const { policyTestSteps } = await import('../policy/read-policy-tests.ts')
  return inTime(policyTestSteps(file, readTextFile, ruleIds), `reading the tests of ${file}`, signal)
}

/** A usual policy takes a fraction of a second; one that was made to take long must not block a pipeline. */
const limitMs = 10_000

/** An answer takes several turns of the event loop: a pause after a long step leaves time for all of them. */
const longStepMs = 20
const pauseMs = 5

/** Does work step by step, and lets the event loop run between the steps. */
export async function inTime<Result>(
  steps: Steps<Result>,
  doing: string,
  signal: AbortSignal | undefined,
  clock: () => number = () => performance.now(),
): Promise<Result> {
  const begun = clock()
  for (let before = begun; ; before = clock()) {
    signal?.throwIfAborted()
    const step = steps.next()
    if (step.done === true) return step.value
    if (step.value instanceof Promise) await step.value
    const now = clock()
    if (now - begun > limitMs) {
      throw AuditError.usage(`${doing} takes more than ${limitMs / 1000} s, the limit`, {
        advice: 'make it, and what it extends or names, smaller',
      })
    }
    await (now - before > longStepMs ? sleep(pauseMs) : new Promise((resolve) => setImmediate(resolve)))
  }
}
