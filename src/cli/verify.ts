import { resolve } from 'node:path'
import type { Command } from 'commander'
import { hasConfiguration, locateHistory, namedHistory } from '../app/locate-history.ts'
import { withUpkeep } from '../app/open-history.ts'
import type { Execute, ProcessContext } from '../app/process-context.ts'
import { type Anchor, anchorOf, checkAnchor, readAnchor } from '../app/verify-anchor.ts'
import { type AttestedFiles, verificationOf, verifyReport } from '../app/verify-report.ts'
import type { HistoryLocation } from '../history/location.ts'
import type { HistoryUpkeep, VerificationDepth } from '../history/upkeep.ts'
import { AuditError, exitCodes } from '../model/errors.ts'
import { answerAttestation, answerVerification, verificationView } from '../questions/answer-verification.ts'
import { printAnswer } from './print-answer.ts'
import { addReadingOptions, limitOf, type ReadingOptions } from './query-options.ts'

interface VerifyOptions extends ReadingOptions {
  readonly deep?: true
  readonly anchor?: Anchor
  readonly report?: string
  readonly attestation?: string
  readonly key?: string
}

export function defineVerify(command: Command, execute: Execute): void {
  command
    .option('--deep', 'also check the sealed secrets, and the exit code of every run instead of the last one only')
    .option(
      '--anchor <run:digest>',
      'also check that the run still has the digest that was kept elsewhere, as an earlier `verify` printed both',
      readAnchor,
    )
    .option(
      '--report <file>',
      'verify a signed report, and the history that it came from; needs --attestation and --key',
    )
    .option('--attestation <file>', 'the attestation of the report: FILE.intoto.json')
    .option('--key <file>', 'the public key of the person who signed the report')
  addReadingOptions(command).action((options: VerifyOptions) => execute((terminal) => verify(options, terminal)))
}

async function verify(options: VerifyOptions, terminal: ProcessContext): Promise<number> {
  const { anchor, report, attestation, key } = options
  if (anchor !== undefined && report !== undefined) {
    throw AuditError.usage('--anchor is for a history, and --report for a report that came from one')
  }
  if (report !== undefined && attestation !== undefined && key !== undefined) {
    return verifyOne({ report, attestation, key }, options, terminal)
  }
  if ([report, attestation, key].some((given) => given !== undefined)) {
    throw AuditError.usage('--report, --attestation and --key go together')
  }

  const location = await locateHistory(options, terminal)
  const request = verificationOf(depthOf(options))
  const { verification, last } = await withUpkeep(location, terminal.env, async (upkeep) => {
    const verified = await upkeep.verify(request)
    return {
      verification: anchor === undefined ? verified : await checkAnchor(verified, anchor, upkeep),
      last: await anchorOf(verified, upkeep),
    }
  })
  const answer = answerVerification(verification, { file: location.displayName, anchor: last, limit: limitOf(options) })
  await printAnswer(answer, verificationView, options.format, terminal)
  return verification.ok ? exitCodes.clean : exitCodes.failure
}

function depthOf({ deep }: VerifyOptions): VerificationDepth {
  return deep === true ? 'deep' : 'plain'
}

async function verifyOne(files: AttestedFiles, options: VerifyOptions, terminal: ProcessContext): Promise<number> {
  const location = await locateOptionalHistory(options, terminal)
  const how = { depth: depthOf(options), pathOf: (path: string) => resolve(terminal.cwd(), path) }
  const check = (upkeep?: HistoryUpkeep) => verifyReport(files, upkeep, how)
  const checks = await (location === undefined ? check() : withUpkeep(location, terminal.env, check))
  const ok = checks.every((check) => check.ok !== false) && checks.some((check) => check.ok === true)
  await printAnswer(answerAttestation(ok, checks, limitOf(options)), verificationView, options.format, terminal)
  return ok ? exitCodes.clean : exitCodes.failure
}

/** The history, where one is named or configured: a report can be verified without it. */
async function locateOptionalHistory(
  options: VerifyOptions,
  terminal: ProcessContext,
): Promise<HistoryLocation | undefined> {
  const isNamed = namedHistory(options, terminal) !== undefined
  if (!isNamed && !hasConfiguration(options.config, terminal)) return undefined
  return locateHistory(options, terminal)
}
