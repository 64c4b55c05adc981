import { overdueRule } from '../model/due.ts'
import { matchesGlob } from '../model/glob.ts'
import { nearestName } from '../text/nearest-name.ts'
import { describeReference } from '../yaml/describe-value.ts'
import type { FileProblem } from '../yaml/problem.ts'
import type { ReadDocument } from '../yaml/read-document.ts'
import { isTooFarAhead, maxDaysAhead } from './expiry.ts'
import type { WrittenWaiver } from './policy-schema.ts'
import { isSecretPath } from './secret-path.ts'

/**
 * Mistakes in waivers that the schema cannot find. An expired waiver is not a mistake of the file: the rule
 * `waiver/expired` reports it.
 */
export function* findBadWaivers(
  { problem, leftOut }: ReadDocument<unknown>,
  waivers: readonly WrittenWaiver[],
  { now, ruleIds }: { readonly now: number; readonly ruleIds: readonly string[] },
): Generator<FileProblem> {
  for (const [index, { rule, expires, path, value }] of waivers.entries()) {
    const at = ['waivers', index]
    const unknown = unknownRule(rule, ruleIds)
    if (unknown !== undefined) yield problem([...at, 'rule'], unknown)
    if (isTooFarAhead(expires, now)) {
      yield problem(
        [...at, 'expires'],
        `${expires} is more than ${maxDaysAhead} days ahead: accept it for less, and review it then`,
      )
    }
    // One that is faulty itself is not missing.
    const isPairKnown = !leftOut.some((other) => other[0] === 'waivers' && ['path', 'value'].includes(String(other[2])))
    if (isPairKnown && path !== undefined && value === undefined) {
      yield problem([...at, 'path'], '`path` needs a `value`: the one that is accepted there', 'key')
    }
    if (isPairKnown && path === undefined && value !== undefined) {
      yield problem([...at, 'value'], '`value` needs a `path`: where it is accepted', 'key')
    }
    if (isPairKnown && path !== undefined && isSecretPath(path) && !isSeal(value)) {
      yield problem(
        [...at, 'value'],
        'name a secret by its seal, `sealed:…`, as reports show it: a policy never contains the secret',
      )
    }
  }
}

/** The accepted value. No message shows it, because it may be a secret that was written by mistake. */
export function isWaivedValue(path: readonly (string | number)[]): boolean {
  return path[0] === 'waivers' && path[2] === 'value'
}

function unknownRule(pattern: string, ruleIds: readonly string[]): string | undefined {
  if (pattern.startsWith('waiver/'))
    return 'what is said of waivers is not waived: renew or remove the waiver, or switch the rule off'
  if (pattern === overdueRule) return 'what is overdue is not waived: waive the violations themselves, or change `due`'
  const known = ruleIds.filter((id) => !id.startsWith('waiver/') && id !== overdueRule)
  if (known.some((id) => matchesGlob(id, pattern))) return undefined
  if (pattern.includes('*')) return `no rule matches ${describeReference(pattern)}`
  const nearest = nearestName(pattern, known)
  const hint = nearest === undefined ? '`hookdrift rules` lists them' : `did you mean \`${nearest}\`?`
  return `there is no rule ${describeReference(pattern)}, ${hint}`
}

function isSeal(value: unknown): boolean {
  return value === null || (typeof value === 'string' && value.startsWith('sealed:'))
}
