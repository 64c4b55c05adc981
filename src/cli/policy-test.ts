import { type Command, Option } from 'commander'
import type { Problem } from '../document/problem.ts'
import { AuditError, exitCodes } from '../model/errors.ts'
import type { PlacedTest } from '../policy/read-policy-tests.ts'
import type { TestOutcome } from '../policy/run-policy-test.ts'
import type { Execute } from './execute.ts'
import { policyFileOf } from './policy-file.ts'
import type { Terminal } from './terminal.ts'

interface TestOptions {
  readonly policy?: string
  readonly config: string
  readonly format: 'text' | 'json'
}

export function definePolicyTest(policy: Command, execute: Execute): void {
  policy
    .command('test')
    .description("run the policy's tests: those in it, those it names, and those in the file beside it; exit 0 or 1")
    .option('--policy <file>', 'policy file; then no configuration is read')
    .option('--config <file>', 'configuration, for the path of the policy', 'hookdrift.yaml')
    .addOption(new Option('--format <format>', 'of the answer').choices(['text', 'json']).default('text'))
    .action((options: TestOptions) => execute((terminal) => test(options, terminal)))
}

async function test(options: TestOptions, terminal: Terminal): Promise<number> {
  const { loadPolicy, loadPolicyTests } = await import('./load-policy.ts')
  const { runPolicyTest } = await import('../policy/run-policy-test.ts')
  const { problemLine } = await import('../document/problem.ts')
  const { neutralise } = await import('../text/neutralise.ts')
  const file = await policyFileOf(options, terminal)
  const policy = await loadPolicy(file)
  const ids = policy.known.map(({ id }) => id)
  const tests = await loadPolicyTests(file, ids)
  if (tests.length === 0) {
    throw new AuditError(2, `${file} has no tests`, {
      advice: 'write them under `tests` in it, or in a file beside it that ends in .test.yaml',
    })
  }
  const results = tests.map((placed) => ({ placed, problems: differences(placed, runPolicyTest(policy, placed.test)) }))
  const failed = results.filter(({ problems }) => problems.length > 0)
  if (options.format === 'json') {
    const rows = results.map(({ placed, problems }) => ({
      name: placed.test.name,
      ok: problems.length === 0,
      problems,
    }))
    terminal.stdout.write(`${JSON.stringify({ schema: 'hookdrift.policy-test/1', run: null, rows }, null, 2)}\n`)
  } else {
    for (const { problems } of failed) {
      for (const problem of problems) terminal.stdout.write(`${neutralise(problemLine(problem))}\n`)
    }
    const counted = tests.length === 1 ? '1 test' : `${tests.length} tests`
    terminal.stdout.write(
      failed.length === 0 ? `${counted}, all hold.\n` : `${counted}, ${failed.length} not as expected.\n`,
    )
  }
  return failed.length === 0 ? exitCodes.clean : exitCodes.violations
}

/** What differs from what a test expects, each at its place. */
function differences({ test, problem }: PlacedTest, { missing, unexpected, failures }: TestOutcome): Problem[] {
  const of = `in "${test.name}"`
  return [
    ...missing.map((place) => problem(place, `${of}: expected ${wanted(test, place)}, found none`)),
    ...unexpected.map(({ severity, rule, uid, path, message }) =>
      problem('expect', `${of}: not expected: ${severity} ${rule} at ${uid}${path}: ${message}`),
    ),
    ...[...failures].map(([rule, why]) => problem('name', `${of}: ${rule} could not judge: ${why}`)),
  ]
}

function wanted({ expect }: PlacedTest['test'], place: number): string {
  const { rule = '', severity, uid = '', path = '' } = expect[place] ?? {}
  return `${severity ?? 'a violation of'} ${rule}${uid + path === '' ? '' : ` at ${uid}${path}`}`
}
