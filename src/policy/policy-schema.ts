import { z } from 'zod'
import { severities } from '../model/violation.ts'
import { packs, type Rule } from '../rules/rule.ts'
import { rules } from '../rules/rules.ts'
import { readExpiry } from './expiry.ts'
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
        error: '`off`, a severity, or options of the rule',
      },
    )
    .optional()
    .describe(`${rule.title} (default: ${rule.severity})`)
}

/** A layer says only what it says: a default filled in here would hide what an earlier layer set. */
function withoutDefaults(options: z.ZodObject): z.ZodObject {
  const members = Object.entries(options.shape).map(([name, option]) => {
    const bare = option instanceof z.ZodDefault ? option.unwrap() : option
    return [name, z.optional(bare).describe(z.globalRegistry.get(option)?.description ?? name)]
  })
  return z.strictObject(Object.fromEntries(members))
}

const settings = z.strictObject(Object.fromEntries(rules.map((rule) => [rule.id, settingOf(rule)])))

const line = z.string().trim().min(1).max(1000)

/** What is wrong is accepted, by somebody, for a reason, until a date. */
const waiver = z.strictObject({
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
    .regex(/^(\/([^~/]|~[01])*)+$/, { error: 'a path as reports show it, such as /http_timeout' })
    .exactOptional()
    .describe('With `value`: accepts only that value at this JSON Pointer into the attributes'),
  value: z
    .json()
    .exactOptional()
    .describe('What is accepted there; another value is a violation again. Of secrets, the seal'),
})

export type SaidWaiver = z.infer<typeof waiver>

/** The policy file. Every rule is a member, so that an unknown one is refused with the nearest name. */
export const policySchema = z.strictObject({
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
  waivers: z.array(waiver).default([]).describe('Accepted violations; those of extended files count too'),
})

/** What a policy file says of one rule. */
export type Setting =
  | z.infer<typeof severity>
  | { readonly severity?: z.infer<typeof severity> | undefined; readonly [option: string]: unknown }

/** For editors. */
export function policyJsonSchema(): object {
  return z.toJSONSchema(policySchema, { io: 'input' })
}
