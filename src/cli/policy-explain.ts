import type { Command } from 'commander'
import type { HistoryReader, Identity } from '../history/reader.ts'
import { AuditError } from '../model/errors.ts'
import type { Explained } from '../policy/explain-rule.ts'
import type { Policy } from '../policy/policy.ts'
import type { Execute } from './execute.ts'
import { historyOf, placesOf } from '../app/history-of.ts'
import { pathFrom } from '../app/path-from.ts'
import { type AnswerOptions, addAnswerOptions, limitOf, tellAnswer } from './reading.ts'
import type { Terminal } from '../app/terminal.ts'

interface ExplainOptions extends AnswerOptions {
  readonly config: string
  readonly history?: string
  readonly policy?: string
  readonly project?: string
}

export function definePolicyExplain(policy: Command, execute: Execute): void {
  const command = policy
    .command('explain')
    .argument('<uid>', 'a resource that the history knows')
    .argument('[rule]', 'all of its kind unless given')
    .description('Explain which part of the policy decides whether and how a rule evaluates a resource')
    .option('--config <file>', 'configuration, for the paths of policy and history', 'hookdrift.yaml')
    .option('--history <file>', "history; overrides the configuration's and HOOKDRIFT_HISTORY")
    .option('--policy <file>', "policy file; overrides the configuration's")
    .option('--project <name>', 'where several projects have a resource of that uid')
  addAnswerOptions(command).action((uid: string, rule: string | undefined, options: ExplainOptions) =>
    execute((terminal) => explain(uid, rule, options, terminal)),
  )
}

async function explain(
  uid: string,
  ruleId: string | undefined,
  options: ExplainOptions,
  terminal: Terminal,
): Promise<number> {
  const { explainRule } = await import('../policy/explain-rule.ts')
  const { openExistingHistory } = await import('../history/sqlite/sqlite-history.ts')
  const { answerExplanations, explanationsFace } = await import('../reading/answer-explanations.ts')
  const { resealingFor } = await import('../app/resealing-for.ts')
  const { thisProcess } = await import('../app/system.ts')
  const { policy, file } = await pathsOf(options, terminal)
  const history = openExistingHistory(file, thisProcess, await resealingFor(file, terminal.env))
  try {
    const explained = await findResource(history, uid, options.project)
    const rules = chooseRules(policy, explained, ruleId, (await import('../text/nearest-name.ts')).nearestName)
    const explanations = rules.map((rule) => explainRule(policy, rule, explained))
    const answer = answerExplanations(explained, explanations, limitOf(options))
    return await tellAnswer(answer, explanationsFace(explained, ruleId !== undefined), options.format, terminal)
  } finally {
    await history.close()
  }
}

/** A policy that is not named anywhere is the pack `recommended`. */
async function pathsOf(options: ExplainOptions, terminal: Terminal) {
  const { loadPolicy } = await import('../app/load-policy.ts')
  const policy =
    options.policy === undefined
      ? (await placesOf(options.config, terminal)).policy
      : pathFrom(terminal.cwd(), options.policy)
  return { policy: await loadPolicy(policy), file: await historyOf(options, terminal) }
}

/** The current version of a resource, or the last one of one that is gone. */
async function findResource(history: HistoryReader, uid: string, project: string | undefined): Promise<Found> {
  const run = (await history.lastRun())?.number
  if (run === undefined) throw new AuditError(2, 'the history has no sealed run yet')
  const found = (await history.find(uid, run)).filter((each) => project === undefined || each.project.name === project)
  const [identity, ...others] = found
  if (identity === undefined) {
    const where = project === undefined ? 'the history' : project
    throw new AuditError(2, `${where} knows no resource ${JSON.stringify(uid)}`, {
      advice: 'uids stand in every report; names are not enough',
    })
  }
  if (others.length > 0) {
    const names = found.map(({ project: { name }, kind }) => `${name} (${kind})`).join(', ')
    throw new AuditError(2, `several resources have the uid ${uid}: ${names}`, { advice: 'say which: --project NAME' })
  }
  const version = (await history.versionsOf(identity, run)).at(-1)
  if (version === undefined) throw new AuditError(2, `the history has no version of ${uid}`)
  const record = await history.readRun(run)
  const labels = record?.projects.find(({ project: name }) => name === identity.project.name)?.labels ?? {}
  return { project: identity.project, labels, resource: resourceOf(identity, version), goneSince: version.to }
}

interface Found extends Explained {
  /** Start of the run that found it gone; null for one that stands. */
  readonly goneSince: string | null
}

function resourceOf({ kind, uid }: Identity, { name, body }: { readonly name: string; readonly body: string }) {
  // A stored body is canonical JSON of attributes.
  const attributes: Explained['resource']['attributes'] = JSON.parse(body)
  return { kind, uid, name, attributes, volatile: {}, facts: {} }
}

function chooseRules(
  policy: Policy,
  { resource: { kind } }: Explained,
  ruleId: string | undefined,
  nearestName: (name: string, known: readonly string[]) => string | undefined,
) {
  const ofKind = policy.known.filter((rule) => rule.kind === kind)
  if (ruleId === undefined) return ofKind
  const rule = policy.known.find(({ id }) => id === ruleId)
  if (rule === undefined) {
    const nearest = nearestName(
      ruleId,
      policy.known.map(({ id }) => id),
    )
    throw new AuditError(2, `there is no rule "${ruleId}"${nearest === undefined ? '' : `, did you mean ${nearest}?`}`)
  }
  if (rule.kind !== kind) throw new AuditError(2, `${ruleId} is about ${rule.kind}s, and this is of kind ${kind}`)
  return [rule]
}
