import { resolve } from 'node:path'
import type { Command } from 'commander'
import { unlessStopped, untilSignalled } from '../app/end-in-order.ts'
import { loadPolicy, loadPolicyTests } from '../app/load-policy.ts'
import { configuredPaths, knownSecrets, policyFileOf } from '../app/locate-history.ts'
import { openMemory } from '../app/open-history.ts'
import type { ProcessContext } from '../app/process-context.ts'
import { systemClock } from '../app/system.ts'
import { withProgress } from '../app/watch-run.ts'
import { AuditError, exitCodes } from '../model/errors.ts'
import { displayPath } from '../model/text/display-path.ts'
import { suggestName } from '../model/text/nearest-name.ts'
import { explainRule } from '../policy/explain-rule.ts'
import type { Policy, RuleTarget } from '../policy/policy.ts'
import { answerExplanations, explanationsView, findResource } from '../questions/answer-explanations.ts'
import { answerPolicyCheck, policyCheckView } from '../questions/answer-policy-check.ts'
import { answerPolicyTests, policyTestsView } from '../questions/answer-policy-tests.ts'
import { runOrTime, uidOrName } from '../questions/question.ts'
import { readReplay, replayView } from '../questions/read-replay.ts'
import { limited } from '../report/answer.ts'
import { answerFromHistory, printAnswer, withHistory } from './print-answer.ts'
import {
  type AnswerOptions,
  addAnswerOptions,
  addProjectOption,
  addReadingOptions,
  limitOf,
  type ReadingOptions,
  usualConfiguration,
} from './query-options.ts'

interface CheckOptions extends AnswerOptions {
  readonly config: string
}

export function definePolicyCheck(command: Command) {
  command
    .argument('[file]', 'policy file (default: the one in the configuration)')
    .option('-c, --config <file>', 'configuration file, read for the path of the policy', usualConfiguration)
  addAnswerOptions(command)
  return check
}

async function check(options: CheckOptions, terminal: ProcessContext, policyFile: string | undefined): Promise<number> {
  const { config } = options
  const now = Date.now()
  const named = policyFile === undefined ? { config } : { policy: policyFile, config }
  const path = await policyFileOf(named, terminal, 'hookdrift policy check FILE')
  const load = async (signal: AbortSignal) => {
    const policy = await loadPolicy(path, { now, signal })
    const ids = policy.allRules.map(({ id }) => id)
    return { policy, tests: await loadPolicyTests(path, ids, { signal }) }
  }
  const { result: read, exitCode } = await untilSignalled((signal) => unlessStopped(signal, load(signal)))
  if (read === undefined) return exitCode ?? exitCodes.failure
  const answer = answerPolicyCheck(path, { policy: read.policy, tests: read.tests.length, now })
  return printAnswer(answer, policyCheckView(policyFile ?? displayPath(terminal.cwd(), path)), options.format, terminal)
}

interface TestOptions extends AnswerOptions {
  readonly policy?: string
  readonly config: string
}

export function definePolicyTest(command: Command) {
  command
    .option('--policy <file>', 'policy file; no configuration is read then')
    .option('-c, --config <file>', 'configuration file, read for the path of the policy', usualConfiguration)
  addAnswerOptions(command)
  return test
}

async function test(options: TestOptions, terminal: ProcessContext): Promise<number> {
  const file = await policyFileOf(options, terminal, 'hookdrift policy test --policy FILE')
  const policy = await loadPolicy(file)
  const ids = policy.allRules.map(({ id }) => id)
  const tests = await loadPolicyTests(file, ids)
  const answer = answerPolicyTests(policy, tests)
  // All are shown, unless a limit is given: the failed ones may be the last.
  const rows = limited(answer.rows, options.limit ?? Number.POSITIVE_INFINITY)
  await printAnswer({ ...answer, ...rows }, policyTestsView, options.format, terminal)
  return answer.rows.every(({ ok }) => ok) ? exitCodes.clean : exitCodes.violations
}

interface ExplainOptions extends AnswerOptions {
  readonly config: string
  readonly history?: string
  readonly policy?: string
  readonly project?: string
}

export function definePolicyExplain(command: Command) {
  command
    .argument('<uid>', `a resource in the history: ${uidOrName}`)
    .argument('[rule]', 'explain only this rule (default: all rules for its kind)')
    .option('-c, --config <file>', 'configuration file, read for the paths of policy and history', usualConfiguration)
    .option('--history <file>', 'history: a file or postgres://…; overrides the configuration and HOOKDRIFT_HISTORY')
    .option('--policy <file>', 'policy file; overrides the one in the configuration')
    .option('-p, --project <name>', 'project of the resource, where several have one of that uid')
  addAnswerOptions(command)
  return explain
}

async function explain(
  options: ExplainOptions,
  terminal: ProcessContext,
  uid: string,
  ruleId: string | undefined,
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

interface ReplayOptions extends ReadingOptions {
  readonly policy: string
  readonly since?: string
  readonly project: readonly string[]
}

export function definePolicyReplay(command: Command) {
  command
    .requiredOption('--policy <file>', 'policy to evaluate')
    .option('--since <run|time>', `only runs from then on: ${runOrTime} (default: all runs)`)
  addReadingOptions(addProjectOption(command))
  return replay
}

async function replay(options: ReplayOptions, terminal: ProcessContext): Promise<number> {
  const { since, project: projects } = options
  const policy = await loadPolicy(resolve(terminal.cwd(), options.policy), {
    secrets: await knownSecrets(options, terminal),
  })
  return answerFromHistory(options, terminal, replayView, (history) =>
    withProgress(terminal, 'replaying runs', async (progress) =>
      readReplay(history, await openMemory(), {
        policy,
        since,
        projects,
        limit: limitOf(options),
        clock: systemClock.now,
        onRun: (done, total) => progress.show(`replaying run ${done + 1} of ${total}`, done, total),
      }),
    ),
  )
}
