import { resolve } from 'node:path'
import type { Command } from 'commander'
import { loadPolicy } from '../app/load-policy.ts'
import { configuredPaths, knownSecrets } from '../app/locate-history.ts'
import type { Execute, ProcessContext } from '../app/process-context.ts'
import { systemClock } from '../app/system.ts'
import { AuditError } from '../model/errors.ts'
import { explainRule } from '../policy/explain-rule.ts'
import type { Policy, RuleTarget } from '../policy/policy.ts'
import { answerExplanations, explanationsView, findResource } from '../questions/answer-explanations.ts'
import { uidOrName } from '../questions/question.ts'
import { displayPath } from '../text/display-path.ts'
import { suggestName } from '../text/nearest-name.ts'
import { printAnswer, withHistory } from './print-answer.ts'
import { type AnswerOptions, addAnswerOptions, limitOf } from './query-options.ts'

interface ExplainOptions extends AnswerOptions {
  readonly config: string
  readonly history?: string
  readonly policy?: string
  readonly project?: string
}

export function definePolicyExplain(command: Command, execute: Execute): void {
  command
    .argument('<uid>', `a resource in the history: ${uidOrName}`)
    .argument('[rule]', 'explain only this rule (default: all rules for its kind)')
    .option('-c, --config <file>', 'configuration file, read for the paths of policy and history', 'hookdrift.yaml')
    .option('--history <file>', 'history: a file or postgres://…; overrides the configuration and HOOKDRIFT_HISTORY')
    .option('--policy <file>', 'policy file; overrides the one in the configuration')
    .option('-p, --project <name>', 'project of the resource, where several have one of that uid')
  addAnswerOptions(command).action((uid: string, rule: string | undefined, options: ExplainOptions) =>
    execute((terminal) => explain(uid, rule, options, terminal)),
  )
}

async function explain(
  uid: string,
  ruleId: string | undefined,
  options: ExplainOptions,
  terminal: ProcessContext,
): Promise<number> {
  const policy = await loadPolicyOf(options, terminal)
  return withHistory(options, terminal, async (history) => {
    const explained = await findResource(history, uid, options.project)
    const rules = await chooseRules(policy, explained, ruleId)
    const explanations = rules.map((rule) => explainRule(policy, rule, explained))
    const windows = policy.windows.filter(({ isFor }) => isFor(explained.project.name))
    const answer = answerExplanations(explained, explanations, { windows, limit: limitOf(options) })
    const showPath = (path: string) => (path === '' ? path : displayPath(terminal.cwd(), path))
    return printAnswer(
      answer,
      explanationsView(ruleId !== undefined, { showPath, now: systemClock.now() }),
      options.format,
      terminal,
    )
  })
}

/** Where nothing names a policy, it is the pack `recommended`. */
async function loadPolicyOf({ policy, config }: ExplainOptions, terminal: ProcessContext): Promise<Policy> {
  return loadPolicy(
    policy === undefined ? (await configuredPaths(config, terminal)).policy : resolve(terminal.cwd(), policy),
    { secrets: await knownSecrets({ config }, terminal) },
  )
}

async function chooseRules({ allRules }: Policy, { resource: { kind } }: RuleTarget, ruleId: string | undefined) {
  if (ruleId === undefined) return allRules.filter((rule) => rule.kind === kind)
  const rule = allRules.find(({ id }) => id === ruleId)
  if (rule === undefined) {
    const ids = allRules.map(({ id }) => id)
    throw AuditError.usage(`there is no rule "${ruleId}"${suggestName(ruleId, ids)}`)
  }
  if (rule.kind !== kind) throw AuditError.usage(`${ruleId} evaluates ${rule.kind}s; this resource is of kind ${kind}`)
  return [rule]
}
