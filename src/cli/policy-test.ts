import type { Command } from 'commander'
import { loadPolicy, loadPolicyTests } from '../app/load-policy.ts'
import { policyFileOf } from '../app/locate-history.ts'
import type { Execute, ProcessContext } from '../app/process-context.ts'
import { AuditError, exitCodes } from '../model/errors.ts'
import { answerPolicyTests, policyTestsView } from '../questions/answer-policy-tests.ts'
import { limited } from '../report/show-answer.ts'
import { printAnswer } from './print-answer.ts'
import { type AnswerOptions, addAnswerOptions } from './query-options.ts'

interface TestOptions extends AnswerOptions {
  readonly policy?: string
  readonly config: string
}

export function definePolicyTest(command: Command, execute: Execute): void {
  command
    .option('--policy <file>', 'policy file; no configuration is read then')
    .option('-c, --config <file>', 'configuration file, read for the path of the policy', 'hookdrift.yaml')
  addAnswerOptions(command).action((options: TestOptions) => execute((terminal) => test(options, terminal)))
}

async function test(options: TestOptions, terminal: ProcessContext): Promise<number> {
  const file = await policyFileOf(options, terminal, 'hookdrift policy test --policy FILE')
  const policy = await loadPolicy(file)
  const ids = policy.allRules.map(({ id }) => id)
  const tests = await loadPolicyTests(file, ids)
  if (tests.length === 0) {
    throw AuditError.usage(`${file} has no tests`, {
      advice: 'write them under `tests` in it, or in a file next to it that ends in .test.yaml',
    })
  }
  const answer = answerPolicyTests(policy, tests)
  // All are shown, unless a limit is given: the failed ones may be the last.
  const rows = limited(answer.rows, options.limit ?? Number.POSITIVE_INFINITY)
  await printAnswer({ ...answer, ...rows }, policyTestsView, options.format, terminal)
  return answer.rows.every(({ ok }) => ok) ? exitCodes.clean : exitCodes.violations
}
