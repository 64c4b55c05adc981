import type { Command } from 'commander'
import { policyFileOf } from '../app/locate-history.ts'
import type { Execute, ProcessContext } from '../app/process-context.ts'
import { AuditError, exitCodes } from '../model/errors.ts'
import { type AnswerOptions, addAnswerOptions, limitOf, printAnswer } from './query-options.ts'

interface TestOptions extends AnswerOptions {
  readonly policy?: string
  readonly config: string
}

export function definePolicyTest(policy: Command, execute: Execute): void {
  const command = policy
    .command('test')
    .description("Run the policy's tests: in the policy, in files it names, and in the file next to it; exit 0 or 1")
    .option('--policy <file>', 'policy file; then no configuration is read')
    .option('-c, --config <file>', 'configuration, for the path of the policy', 'hookdrift.yaml')
  addAnswerOptions(command).action((options: TestOptions) => execute((terminal) => test(options, terminal)))
}

async function test(options: TestOptions, terminal: ProcessContext): Promise<number> {
  const { loadPolicy, loadPolicyTests } = await import('../app/load-policy.ts')
  const { answerPolicyTests, policyTestsView } = await import('../queries/answer-policy-tests.ts')
  const file = await policyFileOf(options, terminal)
  const policy = await loadPolicy(file)
  const ids = policy.known.map(({ id }) => id)
  const tests = await loadPolicyTests(file, ids)
  if (tests.length === 0) {
    throw AuditError.usage(`${file} has no tests`, {
      advice: 'write them under `tests` in it, or in a file next to it that ends in .test.yaml',
    })
  }
  const answer = answerPolicyTests(policy, tests)
  const limited = { ...answer, rows: answer.rows.slice(0, limitOf(options)) }
  await printAnswer(limited, policyTestsView, options.format, terminal)
  return answer.rows.every(({ ok }) => ok) ? exitCodes.clean : exitCodes.violations
}
