import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openExistingHistory } from '../app/open-history.ts'
import { type AuditRequest, performAudit } from '../app/perform-audit.ts'
import { openPrivateDirectory } from '../app/private-directory.ts'
import type { ProcessContext } from '../app/process-context.ts'
import { readTextFile } from '../app/read-text-file.ts'
import { readConfiguration } from '../config/read-configuration.ts'
import type { HistoryLocation } from '../history/location.ts'
import { findLastRun } from '../history/sql/runs.ts'
import { AuditError, reasonOf } from '../model/errors.ts'
import type { Report } from '../model/report.ts'
import { readPolicy } from '../policy/read-policy.ts'
import { draftWaivers, type WaiverDraft } from '../questions/draft-waivers.ts'
import type { InitSession } from './choose-service.ts'
import { explainIncomplete } from './find-projects.ts'
import type { Answers } from './interview.ts'
import { planFiles } from './plan-files.ts'

export interface WaiverTerms {
  /** Who answers for them. */
  readonly owner: string
  /** A date such as 2027-03-31. */
  readonly expires: string
}

/** What a scan found, while its history exists. */
export interface TrialScan {
  readonly report: Report
  /** Waivers for all that is open. */
  draft(terms: WaiverTerms): Promise<WaiverDraft>
}

/**
 * Audits once, with a history in a private directory that is removed when `work` ends, and notifies no channel.
 * @throws AuditError.incomplete when not everything could be scanned; .failure when the directory takes no files
 */
export async function scanOnce<Result>(
  answers: Pick<Answers, 'service' | 'keyVariable' | 'strictness'>,
  {
    key,
    ...session
  }: Pick<InitSession, 'terminal' | 'signal' | 'version' | 'readPackageFile'> & {
    /** A secret. */
    readonly key: string
  },
  work: (scanning: TrialScan) => Promise<Result>,
): Promise<Result> {
  const { terminal, signal } = session
  const { files } = planFiles({ ...answers, target: 'none', waivers: undefined }, session)
  using directory = openPrivateDirectory('hookdrift-init-')
  const env = {
    ...terminal.env,
    [answers.keyVariable]: key,
    HOOKDRIFT_HISTORY: undefined,
    // Seals of this scan are compared with none: a key that is gone with it leaves none behind.
    HOOKDRIFT_SEAL_KEY: randomBytes(32).toString('hex'),
  }
  try {
    for (const { path, text } of files.filter((file) => file.path.endsWith('.yaml')))
      writeFileSync(join(directory.path, path), text, { mode: 0o600 })
  } catch (error) {
    throw AuditError.failure(`cannot write to ${directory.path}: ${reasonOf(error)}`, {
      advice: 'name another place with TMPDIR',
      cause: error,
    })
  }
  const configuration = readConfiguration(join(directory.path, 'hookdrift.yaml'), { env, readFile: readTextFile })
  const policy = readPolicy(configuration.policy, readTextFile)
  const request: AuditRequest = {
    configuration,
    policy,
    only: [],
    failOn: 'never',
    quiet: false,
    runTimeoutMs: configuration.runTimeoutMs,
    patience: 'short',
    notifies: false,
    runsProbes: false,
  }
  const report = await performAudit(request, { ...terminal, env }, signal)
  signal.throwIfAborted()
  if (report.coverage.some(({ status }) => status !== 'complete' && status !== 'skipped'))
    throw explainIncomplete(report)
  // The directory exists until then.
  return await work({ report, draft: (terms) => draftFrom(configuration.history, env, terms) })
}

async function draftFrom(
  location: HistoryLocation,
  env: ProcessContext['env'],
  { owner, expires }: WaiverTerms,
): Promise<WaiverDraft> {
  const history = await openExistingHistory(location, env)
  try {
    const run = await findLastRun(history)
    if (run === undefined) throw new Error('the trial scan left no run')
    const reason = `open when hookdrift was set up on ${run.started_at.slice(0, 10)}, accepted until it is fixed`
    return await draftWaivers(history, { run, owner, expires, reason, projects: [] })
  } finally {
    await history.close()
  }
}
