import { z } from 'zod'
import { schemas } from '../model/report.ts'
import { listOf } from '../model/schema.ts'
import { count } from '../model/text/count.ts'
import { neutralise } from '../model/text/neutralise.ts'
import { type FileProblem, problemLine } from '../model/yaml/problem.ts'
import type { Policy } from '../policy/policy.ts'
import type { TestAtPosition } from '../policy/read-policy-tests.ts'
import { runPolicyTest, type TestOutcome } from '../policy/run-policy-test.ts'
import { type Answer, type AnswerForm, type AnswerView, aboutNoRun } from '../report/answer.ts'
import { verbatim } from '../report/document/blocks.ts'

const policyTestRow = z.object({
  name: z.string(),
  ok: z.boolean(),
  problems: listOf(z.object({ file: z.string(), line: schemas.count, column: schemas.count, text: z.string() })),
})
export type PolicyTestRow = z.infer<typeof policyTestRow>

export const policyTestForm: AnswerForm = {
  name: 'policy-test',
  version: 2,
  command: 'policy test',
  about: aboutNoRun,
  row: policyTestRow,
}

/** Runs the tests of a policy. */
export function answerPolicyTests(policy: Policy, tests: readonly TestAtPosition[]): Answer<PolicyTestRow> {
  const rows = tests.map((placed): PolicyTestRow => {
    const problems = differences(placed, runPolicyTest(policy, placed.test))
    const shown = problems.map(({ file, line, column, text }) => ({ file, line, column, text }))
    return { name: placed.test.name, ok: problems.length === 0, problems: shown }
  })
  const failed = rows.filter(({ ok }) => !ok).length
  const verdict = failed === 0 ? 'all passed.' : `${failed} failed.`
  return {
    form: policyTestForm,
    run: null,
    rows,
    omitted: 0,
    ...(rows.length > 0 && { conclusion: [`${count(rows.length, 'test')}, ${verdict}`] }),
  }
}

export const policyTestsView: AnswerView<PolicyTestRow> = {
  columns: ['name', 'ok', 'problems'],
  blocks: ({ rows }) => [
    verbatim(rows.flatMap(({ problems }) => problems.map((problem) => neutralise(problemLine(problem))))),
  ],
  nothing: 'The policy has no tests: write them under `tests` in it, or in a file next to it that ends in .test.yaml.',
  isOfRun: false,
}

/** The differences from what a test expects, each with its position in the file. */
function differences({ test, problem }: TestAtPosition, { missing, unexpected, failures }: TestOutcome): FileProblem[] {
  const of = `in "${test.name}"`
  return [
    ...missing.map((index) => problem(index, `${of}: expected ${describeExpected(test, index)}, found none`)),
    ...unexpected.map(({ severity, rule, uid, path, message }) =>
      problem('expect', `${of}: not expected: ${severity} ${rule} at ${uid}${path}: ${message}`),
    ),
    ...[...failures].map(([rule, why]) => problem('name', `${of}: ${rule} could not be evaluated: ${why}`)),
  ]
}

function describeExpected({ expect }: TestAtPosition['test'], index: number): string {
  const { rule = '', severity, uid = '', path = '' } = expect[index] ?? {}
  return `${severity ?? 'a violation of'} ${rule}${uid + path === '' ? '' : ` at ${uid}${path}`}`
}
