import { z } from 'zod'
import { schemas } from '../model/report.ts'
import { listOf } from '../model/schema.ts'
import { describePolicySize, endedWaivers, type Policy, policySize } from '../policy/policy.ts'
import { type Answer, type AnswerForm, type AnswerView, aboutNoRun } from '../report/answer.ts'
import { describeCheckedFile } from './answer-config.ts'

const policyCheckRow = z.object({
  file: z.string(),
  digest: z.string(),
  rules: schemas.count,
  custom: schemas.count.describe('Of the rules: those that the policy defines itself.'),
  overrides: schemas.count,
  waivers: schemas.count,
  windows: schemas.count.describe('Change windows.'),
  probes: schemas.count,
  tests: schemas.count,
  warnings: listOf(z.string()).describe('What is accepted and should be changed.'),
})
/** The size of a policy. */
export type PolicyCheckRow = z.infer<typeof policyCheckRow>

export const policyCheckForm: AnswerForm = {
  name: 'policy-check',
  version: 2,
  command: 'policy check',
  about: aboutNoRun,
  row: policyCheckRow,
}

/** `now`: milliseconds. */
export function answerPolicyCheck(
  file: string,
  { policy, tests, now }: { readonly policy: Policy; readonly tests: number; readonly now: number },
): Answer<PolicyCheckRow> {
  const warnings = endedWaivers(policy, now)
  const row = { file, digest: policy.digest, ...policySize(policy), tests, warnings }
  return { form: policyCheckForm, run: null, rows: [row], omitted: 0 }
}

/** `named`: the file as the user named it. */
export function policyCheckView(named: string): AnswerView<PolicyCheckRow> {
  return {
    columns: ['file', 'digest', 'rules', 'custom', 'overrides', 'waivers', 'windows', 'probes', 'tests', 'warnings'],
    blocks: ({ rows }) =>
      rows.flatMap((row) =>
        describeCheckedFile({ file: named, faults: [], warnings: row.warnings, about: describePolicySize(row) }),
      ),
    nothing: '',
    isOfRun: false,
  }
}
