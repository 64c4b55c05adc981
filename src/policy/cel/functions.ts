import { destinationOf } from '../../rules/shared/destination.ts'
import { findsPattern } from '../../rules/shared/re2.ts'
import { reachOf } from '../../rules/shared/reach.ts'
import { type Duration, durationOf } from './cel.ts'
import type { Evaluation } from './evaluation.ts'
import type { SecretValue } from './values.ts'

const duration = 'google.protobuf.Duration'

/** A function that hookdrift adds to the language. */
export interface OwnFunction {
  readonly signature: string
  readonly description: string
  /** The result changes with time, so no message may contain it. */
  readonly isTimed?: true
  // The checker of the language ensures that arguments have the types of the signature.
  readonly call: (evaluation: Evaluation, ...args: never[]) => unknown
}

/** Documented in docs/reference/policy.md; a test compares the two. */
export const ownFunctions: readonly OwnFunction[] = [
  {
    signature: 'host(string): string',
    description: "an address's host, in lower case; empty when it is not an address",
    call: (_, url: string) => destinationOf(url)?.host ?? '',
  },
  {
    signature: 'isPrivate(string): bool',
    description: 'whether a host lies within: private, loopback, link-local, cloud metadata, an internal name',
    call: (_, host: string) => isPrivate(host),
  },
  {
    signature: 're(string, string): bool',
    description: 'whether a regular expression (RE2, written out) is found in a text; anchor it with ^ and $',
    call(evaluation, text: string, pattern: string) {
      if (evaluation.isSpent(1 + Math.floor(text.length / 1000))) throw new Error('out of steps')
      return findsPattern(pattern, text)
    },
  },
  {
    signature: `age(string): ${duration}`,
    description: 'how long ago a time is',
    isTimed: true,
    call: ({ now }, time: string) => elapsed(now - instantOf(time, 'age')),
  },
  {
    signature: `until(string): ${duration}`,
    description: 'how far ahead a time is',
    isTimed: true,
    call: ({ now }, time: string) => elapsed(instantOf(time, 'until') - now),
  },
  {
    signature: `days(int): ${duration}`,
    description: 'so many days, to compare with',
    call: (_, count: bigint) => durationOf(count * 86_400n),
  },
  {
    signature: `hours(int): ${duration}`,
    description: 'so many hours, to compare with',
    call: (_, count: bigint) => durationOf(count * 3600n),
  },
  {
    signature: 'isSet(Secret): bool',
    description: 'whether there is a secret at all',
    call: (_, secret: SecretValue) => secret.isSet,
  },
  {
    signature: 'isMasked(Secret): bool',
    description: 'whether the service masks it, so that nothing else can be known',
    call: (_, secret: SecretValue) => secret.isMasked,
  },
  {
    signature: 'minLength(Secret): int',
    description: 'what it is long at least: 0, 8, 16, 24, 32, 48 or 64 characters; fails for a masked one',
    call: (_, secret: SecretValue) => BigInt(secret.isSet ? factsOf(secret, 'minLength').min_length : 0),
  },
  {
    signature: 'isWeak(Secret): bool',
    description: 'whether it is easily guessed (a common word, a repetition, a name); fails for a masked one',
    call: (_, secret: SecretValue) => secret.isSet && factsOf(secret, 'isWeak').weak.length > 0,
  },
  {
    signature: 'sealedEqual(Secret, Secret): bool',
    description: 'whether two secrets are one and the same; fails for masked ones',
    call(_, one: SecretValue, other: SecretValue) {
      if (!one.isSet || !other.isSet) return false
      if (one.isMasked || other.isMasked) throw new Error('sealedEqual: the service masks the secret')
      return one.seal === other.seal
    },
  },
]

function isPrivate(host: string): boolean {
  const destination = destinationOf(`https://${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}/`)
  if (destination === undefined) throw new Error('isPrivate: not a host')
  return reachOf(destination) !== 'public'
}

function instantOf(time: string, name: string): number {
  const instant = Date.parse(time)
  if (Number.isNaN(instant)) throw new Error(time === '' ? `${name}: no time is given` : `${name}: not a time`)
  return instant
}

function elapsed(ms: number): Duration {
  const whole = Math.floor(ms / 1000)
  return durationOf(whole, (ms - whole * 1000) * 1_000_000)
}

function factsOf({ facts, isMasked }: SecretValue, name: string) {
  if (isMasked) throw new Error(`${name}: the service masks the secret`)
  if (facts === undefined) throw new Error(`${name}: nothing is known of the secret`)
  return facts
}
