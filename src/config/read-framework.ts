import { z } from 'zod'
import { type FrameworkMapping, mapControl } from '../rules/framework-mapping.ts'
import { readDocument } from '../yaml/read-document.ts'

const name = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, {
  error: 'letters, digits, `.`, `_` and `-`, a letter or digit first, at most 64',
})
const sentence = z.string().min(1).max(1000)

const evidence = z.strictObject({
  rules: z.array(z.string().min(1).max(200)).min(1).describe('Rule ids; `*` matches any text'),
  because: sentence.describe('Why these rules give evidence for the control'),
})

/** A framework: the built-in ones and users' own have the same form. */
export const frameworkSchema = z.strictObject({
  framework: name.describe('Shown in reports'),
  title: sentence,
  controls: z
    .array(
      z.strictObject({
        id: name,
        title: sentence,
        evidence: z.array(evidence).default([]).describe('Empty: the control is listed as not covered'),
      }),
    )
    .min(1)
    .max(2000),
})

/**
 * Reads a framework from YAML.
 * @throws AuditError.usage with a line for every mistake, as `file:line:column`
 */
export function readFramework(text: string, file: string): FrameworkMapping {
  const { value } = readDocument(text, { file, schema: frameworkSchema })
  return {
    id: value.framework,
    title: value.title,
    controls: value.controls.map((control) => mapControl(control.id, control.title, control.evidence)),
  }
}
