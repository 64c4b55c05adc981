import { z } from 'zod'
import { schemas } from '../model/report.ts'
import { listOf } from '../model/schema.ts'
import { endedWaivers, type Policy } from '../policy/policy.ts'
import { type Answer, type AnswerForm, type AnswerView, aboutNoRun } from '../report/answer.ts'
import { wrapProse } from '../text/columns.ts'
import { count } from '../text/count.ts'
import { neutralise } from '../text/neutralise.ts'

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
  const row = {
    file,
    digest: policy.digest,
    rules: policy.rules.length,
    custom: policy.allRules.filter(({ custom }) => custom !== undefined).length,
    overrides: policy.overrides.length,
    waivers: policy.waivers.length,
    windows: policy.windows.length,
    probes: policy.probes.length,
    tests,
    warnings: endedWaivers(policy, now),
  }
  return { form: policyCheckForm, run: null, rows: [row], omitted: 0 }
}

/** `named`: the file as the user named it. */
export function policyCheckView(named: string): AnswerView<PolicyCheckRow> {
  return {
    columns: ['file', 'digest', 'rules', 'custom', 'overrides', 'waivers', 'windows', 'probes', 'tests', 'warnings'],
    lines: ({ rows }, page) =>
      rows.flatMap((row) => [
        ...wrapProse(neutralise(`${named} is valid: ${sentenceOf(row)}`), page.width),
        ...row.warnings.flatMap((warning) => wrapProse(neutralise(`warning: ${warning}`), page.width)),
      ]),
    nothing: '',
    isOfRun: false,
  }
}

function sentenceOf({ rules, custom, overrides, waivers, windows, probes, tests }: PolicyCheckRow): string {
  const customCount = custom === 0 ? '' : ` (${custom} of its own)`
  // Few policies have change windows.
  const announced = windows === 0 ? [] : [count(windows, 'change window')]
  const tested = [count(probes, 'probe'), count(tests, 'test')]
  const others = [count(overrides, 'override'), count(waivers, 'waiver'), ...announced, ...tested]
  return `${[`${count(rules, 'rule')}${customCount}`, ...others].join(', ')}.`
}
