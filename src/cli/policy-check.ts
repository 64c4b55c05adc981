import type { Command } from 'commander'
import { unlessStopped, untilSignalled } from '../app/end-in-order.ts'
import { loadPolicy, loadPolicyTests } from '../app/load-policy.ts'
import { policyFileOf } from '../app/locate-history.ts'
import type { Execute, ProcessContext } from '../app/process-context.ts'
import { exitCodes } from '../model/errors.ts'
import { answerPolicyCheck, policyCheckView } from '../questions/answer-policy-check.ts'
import { displayPath } from '../text/display-path.ts'
import { printAnswer } from './print-answer.ts'
import { type AnswerOptions, addAnswerOptions } from './query-options.ts'

interface CheckOptions extends AnswerOptions {
  readonly config: string
}

export function definePolicyCheck(command: Command, execute: Execute): void {
  command
    .argument('[file]', 'policy file (default: the one in the configuration)')
    .option('-c, --config <file>', 'configuration file, read for the path of the policy', 'hookdrift.yaml')
  addAnswerOptions(command).action((file: string | undefined, options: CheckOptions) =>
    execute((terminal) => check(file, options, terminal)),
  )
}

async function check(policyFile: string | undefined, options: CheckOptions, terminal: ProcessContext): Promise<number> {
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
