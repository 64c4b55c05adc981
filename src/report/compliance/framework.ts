import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { matchesGlob } from '../../model/glob.ts'
import { packageFile } from '../../model/package-files.ts'
import { refuseProblems } from '../../model/yaml/problem.ts'
import { readDocument } from '../../model/yaml/read-document.ts'
import type { BuiltInFrameworkId } from './built-in-frameworks.ts'

const name = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, {
  error: 'letters, digits, `.`, `_` and `-`, a letter or digit first, at most 64',
})
/** `164.312(a)(1)`: some identifiers have parentheses. */
const identifier = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._()-]{0,63}$/, {
  error: 'letters, digits, `.`, `_`, `-`, `(` and `)`, a letter or digit first, at most 64',
})
const sentence = z.string().min(1).max(1000)

const evidence = z.strictObject({
  rationale: sentence.describe('Why these rules give evidence for the control'),
  rules: z.array(z.string().min(1).max(200)).min(1).describe('Rule ids; `*` matches any text'),
})

const schema = z.strictObject({
  framework: name.describe('Short name, shown in reports and in `framework:control`'),
  title: sentence.describe('Full name with its edition'),
  source: sentence.optional().describe('The document that the identifiers are from, with its version'),
  controls: z
    .array(
      z.strictObject({
        id: identifier.describe("The framework's own identifier; quote one that reads as a number"),
        title: sentence.describe('Short name'),
        evidence: z.array(evidence).default([]).describe('Rules that give evidence; none: the control is not covered'),
      }),
    )
    .min(1)
    .max(2000)
    .describe('Controls in the order of the framework; those without evidence are reported as not covered'),
})

/** A framework and which rules give evidence for its controls. */
export interface Framework {
  readonly id: string
  readonly title: string
  /** The document that the identifiers are from, with its version. */
  readonly source?: string | undefined
  readonly controls: readonly FrameworkControl[]
}

export interface FrameworkControl {
  readonly id: string
  readonly title: string
  /** Empty: no rule gives evidence for the control. The first entry that matches a rule gives its rationale. */
  readonly evidence: readonly ControlMapping[]
}

export interface ControlMapping {
  readonly rationale: string
  /** Rule ids; `*` matches any text. */
  readonly rules: readonly string[]
}

/**
 * Reads a framework from YAML: one of ours, or one that a user wrote.
 * @throws AuditError.usage with a line for every mistake, as `file:line:column`
 */
export function readFramework(text: string, file: string): Framework {
  const read = readDocument(text, { file, schema })
  const { framework, title, source, controls } = read.value
  refuseProblems(
    controls.flatMap(({ id }, index) =>
      controls.findIndex((other) => other.id === id) < index
        ? [read.problem(['controls', index, 'id'], `control ${id} is listed twice`)]
        : [],
    ),
  )
  return { id: framework, title, ...(source === undefined ? {} : { source }), controls }
}

/** Read once per process, when a caller first asks for it. */
export function builtInFramework(id: BuiltInFrameworkId): Framework {
  const framework = frameworks.get(id) ?? readBuiltIn(id)
  frameworks.set(id, framework)
  return framework
}

/** Why a rule gives evidence for the control; undefined when it gives none. */
export function rationaleFor({ evidence }: FrameworkControl, rule: string): string | undefined {
  return evidence.find(({ rules }) => rules.some((pattern) => matchesGlob(rule, pattern)))?.rationale
}

/** The JSON Schema of a framework file, for editors. */
export function frameworkJsonSchema(): object {
  return z.toJSONSchema(schema, { io: 'input' })
}

const frameworks = new Map<BuiltInFrameworkId, Framework>()

function readBuiltIn(id: BuiltInFrameworkId): Framework {
  const file = packageFile(`config/frameworks/${id}.yaml`)
  return readFramework(readFileSync(file, 'utf8'), file)
}
