import { type LoadOptions, loadPolicy, loadPolicyTests } from '../app/load-policy.ts'
import { endedWaivers, type Policy } from '../policy/policy.ts'
import { answerPolicyTests } from '../questions/answer-policy-tests.ts'
import { count } from '../text/count.ts'
import { problemLine } from '../yaml/problem.ts'
import { contain, type Diagnosis, diagnosesOf, fail, ok, skipped, warn } from './check.ts'

/** Reads the policy with all its mistakes, and runs its tests. `file`: undefined where none is configured. */
export async function checkPolicy(
  file: string | undefined,
  loading: LoadOptions & { readonly now: number },
  showPath: (path: string) => string,
): Promise<{ readonly policy: readonly Diagnosis[]; readonly tests: readonly Diagnosis[] }> {
  let policy: Policy
  try {
    policy = await loadPolicy(file, loading)
  } catch (error) {
    return { policy: diagnosesOf(error, correctPolicy), tests: [skipped('the policy cannot be read')] }
  }
  const rules = count(policy.rules.length, 'rule')
  if (file === undefined) {
    return { policy: [ok(`none configured: the ${rules} of the recommended pack`)], tests: [skipped('no policy file')] }
  }
  return {
    policy: [
      ok(`${showPath(file)}: ${rules}, ${count(policy.waivers.length, 'waiver')}`),
      ...endedWaivers(policy, loading.now).map((line) => warn(line, removeWaiver)),
    ],
    tests: await contain(correctTests, () => runTests(file, policy)),
  }
}

async function runTests(file: string, policy: Policy): Promise<readonly Diagnosis[]> {
  const ids = policy.allRules.map(({ id }) => id)
  const tests = await loadPolicyTests(file, ids)
  if (tests.length === 0) return [skipped('the policy has no tests')]
  const { rows } = answerPolicyTests(policy, tests)
  const failed = rows.filter((row) => !row.ok)
  if (failed.length === 0) return [ok(`${count(rows.length, 'test')} passed`)]
  const lines = failed.flatMap(({ problems }) => problems.map(problemLine))
  return lines.map((line) => fail(line, correctTests))
}

const removeWaiver = 'Remove it, or agree on a later end with its owner.'
const correctPolicy = 'Correct it there, and run `hookdrift policy check`.'
const correctTests = 'Correct the policy or the test: `hookdrift policy test` runs them.'
