import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { findHistoryFile, type HistoryOptions } from '../app/open-history.ts'
import { pathFrom } from '../app/path-from.ts'
import type { Execute, ProcessContext } from '../app/process-context.ts'
import type { AttestedFiles } from '../app/verify-report.ts'
import { AuditError, exitCodes } from '../model/errors.ts'
import { addReadingOptions, limitOf, printAnswer, type ReadingOptions } from './query-options.ts'

interface VerifyOptions extends ReadingOptions {
  readonly deep?: true
  readonly report?: string
  readonly attestation?: string
  readonly key?: string
}

export function defineVerify(program: Command, execute: Execute): void {
  const command = program
    .command('verify')
    .description('Verify the history: the file, its invariants, and that no committed run was altered')
    .option(
      '--deep',
      'also check sealed secrets, and compare the exit code of every run with its record, not only of the last run',
    )
    .option(
      '--report <file>',
      'with --attestation and --key: verify a report instead, and the history that it came from',
    )
    .option('--attestation <file>', 'the attestation next to the report: FILE.intoto.json')
    .option('--key <file>', 'the public key of the attestor')
  addReadingOptions(command).action((options: VerifyOptions) => execute((terminal) => verify(options, terminal)))
}

async function verify(options: VerifyOptions, terminal: ProcessContext): Promise<number> {
  const { report, attestation, key } = options
  if (report !== undefined && attestation !== undefined && key !== undefined) {
    return verifyOne({ report, attestation, key, history: await knownHistory(options, terminal) }, options, terminal)
  }
  if ([report, attestation, key].some((given) => given !== undefined)) {
    throw AuditError.usage('--report, --attestation and --key go together')
  }
  const { openToExamine } = await import('../history/sqlite/open-to-examine.ts')
  const { verifyHistory } = await import('../history/sqlite/verify/verify-history.ts')
  const { composeReport } = await import('../audit/compose-report.ts')
  const { openSecrets } = await import('../inventory/open-secrets.ts')
  const { answerVerification, verificationView } = await import('../queries/answer-verification.ts')

  const file = await findHistoryFile(options, terminal)
  const db = openToExamine(file)
  try {
    const verification = verifyHistory(db, {
      depth: options.deep === true ? 'deep' : 'plain',
      exitCodeOf: (record) => composeReport(record).verdict.exit_code,
      openSecrets,
    })
    await printAnswer(
      answerVerification(verification, file, limitOf(options)),
      verificationView,
      options.format,
      terminal,
    )
    return verification.ok ? exitCodes.clean : exitCodes.failure
  } finally {
    db.close()
  }
}

async function verifyOne(files: AttestedFiles, options: VerifyOptions, terminal: ProcessContext): Promise<number> {
  const { verifyReport } = await import('../app/verify-report.ts')
  const { answerAttestation, verificationView } = await import('../queries/answer-verification.ts')
  const checks = verifyReport(files, (path) => pathFrom(terminal.cwd(), path))
  const ok = checks.every((check) => check.ok !== false) && checks.some((check) => check.ok === true)
  await printAnswer(answerAttestation(ok, checks, limitOf(options)), verificationView, options.format, terminal)
  return ok ? exitCodes.clean : exitCodes.failure
}

/** The history, where one is named or configured: a report can be verified without it. */
async function knownHistory(options: HistoryOptions, terminal: ProcessContext): Promise<string | undefined> {
  const isNamed = (options.history ?? terminal.env.HOOKDRIFT_HISTORY ?? '') !== ''
  if (!isNamed && !existsSync(pathFrom(terminal.cwd(), options.config))) return undefined
  return findHistoryFile(options, terminal)
}
