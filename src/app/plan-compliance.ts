import { resolve } from 'node:path'
import { recordedPolicyResults } from '../audit/policy-results.ts'
import { builtInFrameworkIds } from '../compliance/built-in-frameworks.ts'
import type { Compliance } from '../compliance/compliance.ts'
import { builtInFramework, type Framework, readFramework } from '../compliance/framework.ts'
import { assessRun, gatherCompliance } from '../compliance/gather-compliance.ts'
import type { HistoryReader } from '../history/reader.ts'
import { AuditError, reasonOf } from '../model/errors.ts'
import { replayedPolicyResults } from '../replay/replay-run.ts'
import { loadPolicy } from './load-policy.ts'
import { type HistoryOptions, knownSecrets } from './locate-history.ts'
import type { ProcessContext } from './process-context.ts'
import { readTextFile } from './read-text-file.ts'
import { systemClock } from './system.ts'

export interface ComplianceRequest {
  /** The name of a built-in framework, or a YAML file. */
  readonly framework: string
  readonly from: string | undefined
  readonly to: string | undefined
  /** A policy file to evaluate instead of using the recorded results. */
  readonly policy: string | undefined
}

/**
 * Plans the compliance report of a run, or of a period when `from` is given.
 * @throws AuditError.usage when the framework or the policy cannot be read
 */
export async function planCompliance(
  { framework: name, from, to, policy }: ComplianceRequest,
  options: HistoryOptions,
  terminal: ProcessContext,
): Promise<(history: HistoryReader, run: number) => Promise<Compliance>> {
  const framework = loadFramework(name, terminal)
  const load = async (file: string) =>
    loadPolicy(resolve(terminal.cwd(), file), { secrets: await knownSecrets(options, terminal) })
  const replayed = policy === undefined ? undefined : await load(policy)
  return async (history, run) => {
    const policyResults =
      replayed === undefined
        ? recordedPolicyResults(history)
        : replayedPolicyResults(history, replayed, systemClock.now)
    if (from === undefined) return assessRun(framework, run, policyResults)
    return gatherCompliance(history, framework, { from, to: to ?? 'latest', now: systemClock.now() }, policyResults)
  }
}

function loadFramework(name: string, { cwd }: ProcessContext): Framework {
  const builtIn = builtInFrameworkIds.find((id) => id === name)
  if (builtIn !== undefined) return builtInFramework(builtIn)
  if (!/[/.]/.test(name)) {
    const frameworkIds = builtInFrameworkIds.join(', ')
    throw AuditError.usage(`there is no framework "${name}", expected one of ${frameworkIds}, or a file`)
  }
  return readFramework(readFrameworkFile(resolve(cwd(), name)), name)
}

function readFrameworkFile(file: string): string {
  try {
    return readTextFile(file)
  } catch (error) {
    throw AuditError.usage(`cannot read the framework ${file}: ${reasonOf(error)}`)
  }
}
