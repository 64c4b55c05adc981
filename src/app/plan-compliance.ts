import { resolve } from 'node:path'
import { composeReport } from '../audit/compose-report.ts'
import type { HistoryReader } from '../history/reader.ts'
import { AuditError, reasonOf } from '../model/errors.ts'
import { builtInFrameworkIds } from '../report/compliance/built-in-frameworks.ts'
import type { Compliance } from '../report/compliance/compliance.ts'
import { builtInFramework, type Framework, readFramework } from '../report/compliance/framework.ts'
import { assessRun, gatherCompliance } from '../report/compliance/gather-compliance.ts'
import type { ProcessContext } from './process-context.ts'
import { readTextFile } from './read-text-file.ts'
import { accountOnHost, systemClock } from './system.ts'

export interface ComplianceRequest {
  /** The name of a built-in framework, or a YAML file. */
  readonly framework: string
  readonly from: string | undefined
  readonly to: string | undefined
}

/**
 * Plans the compliance report of a run, or of a period when `from` is given.
 * @throws AuditError.usage when the framework cannot be read
 */
export function planCompliance(
  { framework: name, from, to }: ComplianceRequest,
  terminal: ProcessContext,
): (history: HistoryReader, run: number) => Promise<Compliance> {
  const framework = loadFramework(name, terminal)
  return async (history, run) => {
    const now = systemClock.now()
    const compliance =
      from === undefined
        ? await assessRun(history, framework, run, composeReport)
        : await gatherCompliance(history, framework, { from, to: to ?? 'latest', now }, composeReport)
    return { ...compliance, prepared: { at: new Date(now).toISOString(), by: accountOnHost() } }
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
