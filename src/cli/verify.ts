import type { Command } from 'commander'
import { locateHistory } from '../app/locate-history.ts'
import { withUpkeep } from '../app/open-history.ts'
import type { Execute, ProcessContext } from '../app/process-context.ts'
import { verificationOf } from '../app/verification-request.ts'
import { type Anchor, anchorOf, checkAnchor, readAnchor } from '../app/verify-anchor.ts'
import { exitCodes } from '../model/errors.ts'
import { answerVerification, verificationView } from '../questions/answer-verification.ts'
import { printAnswer } from './print-answer.ts'
import { addReadingOptions, limitOf, type ReadingOptions } from './query-options.ts'

interface VerifyOptions extends ReadingOptions {
  readonly deep?: true
  readonly anchor?: Anchor
}

export function defineVerify(command: Command, execute: Execute): void {
  command
    .option('--deep', 'also check the sealed secrets, and the exit code of every run instead of the last one only')
    .option(
      '--anchor <run:digest>',
      'also check that the run still has the digest that was kept elsewhere, as an earlier `verify` printed both',
      readAnchor,
    )
  addReadingOptions(command).action((options: VerifyOptions) => execute((terminal) => verify(options, terminal)))
}

async function verify(options: VerifyOptions, terminal: ProcessContext): Promise<number> {
  const { anchor, deep } = options
  const location = await locateHistory(options, terminal)
  const request = verificationOf(deep === true ? 'deep' : 'plain')
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
