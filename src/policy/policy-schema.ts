import { z } from 'zod'
import { type Field, type Members, wireSchema } from '../gateway/fields.ts'
import { matchesGlob } from '../model/glob.ts'
import { kinds } from '../model/resource.ts'
import { nearestName } from '../model/text/nearest-name.ts'
import { dayMs, readDuration } from '../model/time.ts'
import { overdueRule, type Severity, severities } from '../model/violation.ts'
import { oneOf } from '../model/yaml/describe-issue.ts'
import { describeReference } from '../model/yaml/describe-value.ts'
import type { NodePath } from '../model/yaml/node-values.ts'
import { checkFaults, findRepeats, type ValueFault } from '../model/yaml/value-fault.ts'
import { builtInControls } from '../report/compliance/built-in-frameworks.ts'
import { packs, type Rule } from '../rules/engine/rule.ts'
import { formerRules } from '../rules/former-rules.ts'
import { rules } from '../rules/rules.ts'
import { changeWindowSchema, type WrittenWindow } from './change-window.ts'
import { isTooFarAhead, maxDaysAhead, readExpiry } from './expiry.ts'
import { refuseIgnoredPath } from './ignored-paths.ts'
import { policyTestSchema } from './policy-test-schema.ts'
import { probeSchema } from './probe.ts'
import { selectorSchema } from './selector.ts'

const severity = z.enum([...severities, 'off'])

/** `off`, a severity, or an object of severity and the rule's own options. */
function settingOf(rule: Rule) {
  return z
    .union(
      [
        severity,
        withoutDefaults(rule.options).extend({ severity: severity.optional().describe('Replaces the default') }),
      ],
      {
        error: `\`off\`, a severity (${oneOf(severities)}), or options of the rule`,
      },
    )
    .optional()
    .describe(`${rule.title} (default: ${rule.severity})`)
}

/** Files that a policy extends are layers below its own: a default filled in here would hide what they set. */
function withoutDefaults(options: z.ZodObject): z.ZodObject {
  const members = Object.entries(options.shape).map(([name, option]) => {
    const bare = option instanceof z.ZodDefault ? option.unwrap() : option
    return [name, z.optional(bare).describe(z.globalRegistry.get(option)?.description ?? name)]
  })
  return z.strictObject(Object.fromEntries(members))
}

const builtIn = Object.fromEntries(rules.map((rule) => [rule.id, settingOf(rule)]))
/** Known, so that they are refused with what is to be written instead. */
const former = Object.fromEntries(
  Object.entries(formerRules).map(([id, instead]) => {
    const say = () => `there is no rule \`${id}\`, ${instead}`
    const refused = z.custom<'off'>(() => true).check(checkFaults(() => [{ path: [], where: 'key', say }]))
    return [id, refused.optional()]
  }),
)
const ofCustom = z
  .union([severity, z.strictObject({ severity })], {
    error: `\`off\`, a severity (${oneOf(severities)}), or an object with a \`severity\``,
  })
  .optional()

const customId = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,62}\/[a-z0-9][a-z0-9._-]{0,62}$/, {
    error: 'a name with a `/` in lower case, such as acme/owner-known',
  })
  .refine((id) => !rules.some((rule) => rule.id === id), { error: 'a name that no rule of hookdrift has' })
export const customKinds = kinds.filter((kind) => kind !== 'policy' && kind !== 'service')
const expression = z.string().min(1)
const control = z.string().superRefine((id, context) => {
  const controlIds = builtInControls()
  if (controlIds.includes(id)) return
  const nearest = hintAt(id, controlIds, '')
  const message = nearest === '' ? 'a control such as soc2:CC6.1' : `a control; ${nearest}`
  context.addIssue({ code: 'custom', message })
})

const customRule = z.strictObject({
  id: customId.describe('With a `/`, such as acme/owner-known'),
  kind: z.enum(customKinds).describe('What it evaluates'),
  title: z.string().min(1).max(200).exactOptional().describe('What is wrong in general'),
  when: expression.exactOptional().describe('CEL: which resources it evaluates; default: all of the kind'),
  assert: expression.describe('CEL: what must hold for `resource`'),
  severity: z.enum(severities),
  message: z.string().min(1).max(2000).describe('What is wrong; CEL in braces, such as {resource.owner_id}'),
  remediation: z.string().min(1).max(2000).exactOptional().describe('What to do about it'),
  controls: z.array(control).exactOptional().describe('Controls that it gives evidence for, such as soc2:CC6.1'),
})

const pointerSyntax = /^(\/([^~/]|~[01])*)+$/
const line = z.string().trim().min(1).max(1000)

/** A person accepts a violation, for a reason, until a date. */
const waiver = z
  .strictObject({
    rule: z.string().min(1).max(200).describe('A rule, or several with `*` for any text'),
    match: selectorSchema.describe('Which resources: every key must hold'),
    owner: line.describe('Who answers for it'),
    reason: line.describe('Why it is accepted'),
    expires: z
      .string()
      .refine((text) => readExpiry(text) !== undefined, {
        error: 'a date such as 2027-03-31, or a time with its zone such as 2027-03-31T18:00:00+02:00',
      })
      .describe('A date lasts to its end in UTC; a time with a zone is that instant; at most 366 days ahead'),
    ticket: line.exactOptional().describe('Where it is followed up'),
    path: z
      .string()
      .regex(pointerSyntax, { error: 'a path as reports show it, such as /http_timeout' })
      .exactOptional()
      .describe('With `value`: accepts only that value at this JSON Pointer into the attributes'),
    value: z
      .json()
      .exactOptional()
      .describe('What is accepted there; another value is a violation again. Of secrets, the seal'),
  })
  .check(checkFaults(findUnpaired))

export type WrittenWaiver = z.infer<typeof waiver>

/** So that every due date is a time that a computer can write. */
const longestDueMs = 3650 * dayMs
const dueError = 'a duration such as `36h` or `14d`, at most 3650d'
const dueDuration = z
  .string({ error: dueError })
  .refine((text) => (readDuration(text) ?? Number.POSITIVE_INFINITY) <= longestDueMs, { error: dueError })
  .transform((text) => readDuration(text) ?? longestDueMs)
const due = z
  .strictObject({
    critical: dueDuration.exactOptional(),
    high: dueDuration.exactOptional(),
    medium: dueDuration.exactOptional(),
    low: dueDuration.exactOptional(),
    info: dueDuration.exactOptional(),
  } satisfies Record<Severity, z.ZodType>)
  .describe('For how long violations of a severity may stay open, such as `critical: 2d`; then they are overdue')

/**
 * The policy file. Every rule is a member, so that an unknown one is refused with the nearest name. `now`: milliseconds,
 * from which waivers may not last too long.
 */
export function policySchemaWith(customIds: readonly string[], now: number) {
  const customRules = Object.fromEntries(customIds.map((id) => [id, ofCustom]))
  const ids = [...rules.map(({ id }) => id), ...customIds]
  const waivable = new Set(ids.filter((id) => !isAboutWaivers(id) && id !== overdueRule))
  const findFaults = (written: WrittenWaiver) => findBadTerms(written, waivable, now)
  return policySchemaOf(
    z.strictObject({ ...former, ...customRules, ...builtIn }),
    waiver.check(checkFaults(findFaults)),
  )
}

function policySchemaOf(
  settings: z.ZodType<Readonly<Record<string, RuleSetting | undefined>>>,
  waivers: typeof waiver,
) {
  return z.strictObject({
    extends: z
      .array(z.string().min(1))
      .exactOptional()
      .describe(`Default: recommended. Packs (${packs.join(', ')}) or other policy files; later ones win`),
    rules: settings.default({}).describe('By rule: `off`, a severity, or an object with `severity` and options'),
    overrides: z
      .array(
        z.strictObject({
          match: selectorSchema.describe('Which resources: every key must hold'),
          rules: settings.describe('As above, for these resources alone'),
        }),
      )
      .default([])
      .describe('Exceptions by selector; later ones win'),
    due: due.exactOptional(),
    ignore: z
      .array(
        z
          .string()
          .regex(pointerSyntax, { error: 'a path as reports show it, such as /description' })
          .check(checkFaults(findNeverCompared)),
      )
      .max(100)
      .default([])
      .describe('Fields whose changes are not drift, as JSON Pointers; `*` is any one step'),
    windows: z
      .array(changeWindowSchema)
      .max(100)
      .check(checkFaults(findSameWindows))
      .default([])
      .describe('When changes are expected; those of extended files count too, later ones of a name win'),
    waivers: z.array(waivers).default([]).describe('Accepted violations; those of extended files count too'),
    probes: z.array(probeSchema).max(1000).default([]).describe('Test runs of functions with every audit'),
    custom: z.array(customRule).max(500).default([]).describe('Rules of your own, in CEL'),
    tests: z
      .array(z.union([z.string().min(1), policyTestSchema], { error: 'a test, or the path of a file with tests' }))
      .default([])
      .describe('Resources and the violations expected of them, or files with such; `hookdrift policy test` runs them'),
  })
}

/** What must be known of a file before the rest can be checked; its mistakes are reported later. */
export const policyOutline = z.looseObject({
  extends: z.array(z.string().min(1)).optional().catch(undefined),
  custom: z.array(z.looseObject({ id: customId.catch('') }).catch({ id: '' })).catch([]),
})

/** What a policy file says of one rule. */
export type RuleSetting =
  | z.infer<typeof severity>
  | { readonly severity?: z.infer<typeof severity> | undefined; readonly [option: string]: unknown }

/** For editors. Rules of the file's own have a name with a slash, which is all that a schema can say. */
export function policyJsonSchema(): object {
  return z.toJSONSchema(policySchemaOf(z.object(builtIn).catchall(ofCustom), waiver), { io: 'input' })
}

function* findNeverCompared(path: string): Generator<ValueFault> {
  const refusal = refuseIgnoredPath(path)
  if (refusal !== undefined) yield { path: [], say: () => refusal }
}

function* findSameWindows(windows: readonly WrittenWindow[]): Generator<ValueFault> {
  const named = windows.map(({ name }, index) => ({ name, path: [index, 'name'], owner: [index] }))
  yield* findRepeats(named, (name, line) => `\`${name}\` is the name of the window in line ${line} already`)
}

/** A path and a value are only good together, and of a secret only its seal is written. */
function* findUnpaired({ path, value }: WrittenWaiver): Generator<ValueFault> {
  // One that is faulty itself is not missing.
  const mayBeDueTo = (omittedPath: NodePath) =>
    omittedPath[0] === 'waivers' && ['path', 'value'].includes(String(omittedPath[2]))
  if (path !== undefined && value === undefined) {
    const say = () => '`path` needs a `value`: the one that is accepted there'
    yield { path: ['path'], where: 'key', say, mayBeDueTo }
  }
  if (path === undefined && value !== undefined) {
    yield { path: ['value'], where: 'key', say: () => '`value` needs a `path`: where it is accepted', mayBeDueTo }
  }
  if (path !== undefined && leadsToSecret(path) && !mayBeSeal(value)) {
    const say = () => 'name a secret by its seal, `sealed:…`, as reports show it: a policy never contains the secret'
    yield { path: ['value'], say, mayBeDueTo }
  }
}

/** An expired waiver is not a mistake of the file: the rule `waiver/expired` reports it. */
function* findBadTerms(
  { rule, expires }: WrittenWaiver,
  waivable: ReadonlySet<string>,
  now: number,
): Generator<ValueFault> {
  const isKnown = waivable.has(rule) || waivable.values().some((id) => matchesGlob(id, rule))
  if (!isKnown) yield { path: ['rule'], say: () => describeUnknown(rule, waivable) }
  if (isTooFarAhead(expires, now)) {
    const say = () =>
      `${expires} is more than ${maxDaysAhead} days ahead: choose an earlier end, and review the violation then`
    yield { path: ['expires'], say }
  }
}

function isAboutWaivers(rule: string): boolean {
  return rule.startsWith('waiver/')
}

function describeUnknown(pattern: string, waivable: ReadonlySet<string>): string {
  if (isAboutWaivers(pattern)) {
    return 'what is said of waivers is not waived: renew or remove the waiver, or switch the rule off'
  }
  if (pattern === overdueRule) return 'what is overdue is not waived: waive the violations themselves, or change `due`'
  if (pattern.includes('*')) return `no rule matches ${describeReference(pattern)}`
  return `there is no rule ${describeReference(pattern)}, ${hintAt(pattern, waivable, '`hookdrift rules` lists them')}`
}

/** What became of a rule of that name, or that a name may be meant that is near; without one, `otherwise`. */
export function hintAt(name: string, candidates: Iterable<string>, otherwise: string): string {
  const instead = Object.hasOwn(formerRules, name) ? formerRules[name] : undefined
  if (instead !== undefined) return instead
  const nearest = nearestName(name, candidates)
  return nearest === undefined ? otherwise : `did you mean \`${nearest}\`?`
}

/** Whether a path leads to a secret in a resource of any kind: its value is a seal, never the secret. */
function leadsToSecret(pointer: string): boolean {
  const steps = pointer.split('/').slice(1)
  return Object.values(wireSchema).some((members) => fieldAt(members, steps)?.type === 'secret')
}

function fieldAt(members: Members, [step = '', ...rest]: readonly string[]): Field | undefined {
  const field = Object.hasOwn(members, step) ? members[step] : undefined
  if (field === undefined || rest.length === 0) return field
  if (field.type === 'struct') return fieldAt(field.members, rest)
  // Keyed by the uid of each thing.
  return field.type === 'keyed' && rest.length > 1 ? fieldAt(field.members, rest.slice(1)) : undefined
}

function mayBeSeal(value: unknown): boolean {
  return value === null || (typeof value === 'string' && value.startsWith('sealed:'))
}
