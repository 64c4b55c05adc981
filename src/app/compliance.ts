import { composeCompliance } from '../audit/compose-compliance.ts'
import { gatherCompliance } from '../audit/gather-compliance.ts'
import { recordedJudgements } from '../audit/judgements.ts'
import type { ReplayedHistory } from '../audit/replay/replay-policy.ts'
import { replayedJudgements } from '../audit/replay/replay-run.ts'
import { readFramework } from '../config/read-framework.ts'
import type { Compliance } from '../model/compliance.ts'
import { AuditError, reasonOf } from '../model/errors.ts'
import { builtInFrameworks, type FrameworkMapping } from '../rules/framework-mapping.ts'
import { loadPolicy } from './load-policy.ts'
import { pathFrom } from './path-from.ts'
import { readTextFile } from './read-text-file.ts'
import { systemClock } from './system.ts'
import type { Terminal } from './terminal.ts'

export interface ComplianceQuestion {
  /** The name of one of ours, or a YAML file. */
  readonly framework: string
  readonly from: string | undefined
  readonly to: string | undefined
  /** A policy file to judge by, instead of what was recorded. */
  readonly policy: string | undefined
}

/**
 * Answers for a run, or for a time when one is asked about.
 * @throws AuditError 2 when the framework or the policy cannot be read
 */
export async function planCompliance(
  { framework, from, to, policy }: ComplianceQuestion,
  terminal: Terminal,
): Promise<(history: ReplayedHistory, run: number) => Promise<Compliance>> {
  const mapping = mappingOf(framework, terminal)
  const asked = policy === undefined ? undefined : await loadPolicy(pathFrom(terminal.cwd(), policy))
  return async (history, run) => {
    const judgements =
      asked === undefined ? recordedJudgements(history) : replayedJudgements(history, asked, systemClock.now)
    if (from === undefined) return composeCompliance({ ...(await judgements.judge(run)), mapping })
    return gatherCompliance(history, mapping, { from, to: to ?? 'latest', now: systemClock.now() }, judgements)
  }
}

function mappingOf(name: string, { cwd }: Terminal): FrameworkMapping {
  const ours = builtInFrameworks.find(({ id }) => id === name)
  if (ours !== undefined) return ours
  const known = builtInFrameworks.map(({ id }) => id).join(', ')
  if (!/[/.]/.test(name))
    throw new AuditError(2, `there is no framework "${name}", expected one of ${known}, or a file`)
  return readFramework(textOf(pathFrom(cwd(), name)), name)
}

function textOf(file: string): string {
  try {
    return readTextFile(file)
  } catch (error) {
    throw new AuditError(2, `cannot read the framework ${file}: ${reasonOf(error)}`)
  }
}
