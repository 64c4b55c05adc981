import { composeCompliance } from '../audit/compose-compliance.ts'
import { gatherCompliance } from '../audit/gather-compliance.ts'
import { recordedJudgements } from '../audit/judgements.ts'
import { readFramework } from '../config/read-framework.ts'
import type { Compliance } from '../model/compliance.ts'
import { AuditError, reasonOf } from '../model/errors.ts'
import type { ReplayedHistory } from '../replay/replay-policy.ts'
import { replayedJudgements } from '../replay/replay-run.ts'
import { complianceFormatOf } from '../report/compliance-reports.ts'
import { lookOfFile } from '../report/report-files.ts'
import { builtInFrameworks, type FrameworkMapping } from '../rules/framework-mapping.ts'
import type { Writers } from './deliver-report.ts'
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

export const complianceWriters: Writers<Compliance> = {
  writerOf: complianceFormatOf,
  filesOf: (format, file) => [{ format, file, look: lookOfFile }],
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
    const end = to ?? (await history.lastRun())?.finishedAt ?? from
    return gatherCompliance(history, mapping, { from, to: end }, judgements)
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
