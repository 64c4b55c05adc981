import { existsSync } from 'node:fs'
import { type Command, Option } from 'commander'
import type { CheckResult, Verification } from '../history/sqlite/verify/verify-history.ts'
import { AuditError, exitCodes } from '../model/errors.ts'
import type { Execute } from './execute.ts'
import { type HistoryOptions, historyOf } from './history-of.ts'
import { pathFrom } from './path-from.ts'
import type { Terminal } from './terminal.ts'
import type { AttestedFiles } from './verify-report.ts'

interface VerifyOptions extends HistoryOptions {
  readonly deep?: true
  readonly report?: string
  readonly attestation?: string
  readonly key?: string
  readonly format: 'text' | 'json'
}

export function defineVerify(program: Command, execute: Execute): void {
  program
    .command('verify')
    .description('examine the history: the file, its invariants, and that every run is as it was sealed')
    .option(
      '--deep',
      'also examine what is sealed, and hold the exit code of every run, not the last only, against its record',
    )
    .option(
      '--report <file>',
      'with --attestation and --key: examine a report instead, and the history that it came from',
    )
    .option('--attestation <file>', 'what was written beside the report, FILE.intoto.json')
    .option('--key <file>', 'the public key of whoever attested to it')
    .option('--config <file>', 'configuration, for the path of the history', 'hookdrift.yaml')
    .option('--history <file>', 'history; then no configuration is read')
    .addOption(new Option('--format <format>', 'of the answer').choices(['text', 'json']).default('text'))
    .action((options: VerifyOptions) => execute((terminal) => verify(options, terminal)))
}

async function verify(options: VerifyOptions, terminal: Terminal): Promise<number> {
  const { report, attestation, key } = options
  if (report !== undefined && attestation !== undefined && key !== undefined) {
    return verifyOne({ report, attestation, key, history: await knownHistory(options, terminal) }, options, terminal)
  }
  if ([report, attestation, key].some((given) => given !== undefined)) {
    throw new AuditError(2, '--report, --attestation and --key go together')
  }
  const { openToExamine } = await import('../history/sqlite/open-to-examine.ts')
  const { verifyHistory } = await import('../history/sqlite/verify/verify-history.ts')
  const { composeReport } = await import('../audit/compose-report.ts')
  const { openSecrets } = await import('../inventory/open-secrets.ts')

  const file = await historyOf(options, terminal)
  const db = openToExamine(file)
  try {
    const verification = verifyHistory(db, {
      depth: options.deep === true ? 'deep' : 'plain',
      exitCodeOf: (record) => composeReport(record).verdict.exit_code,
      openSecrets,
    })
    terminal.stdout.write(options.format === 'json' ? await asJson(verification) : await asText(verification, file))
    return verification.ok ? exitCodes.clean : exitCodes.failure
  } finally {
    db.close()
  }
}

async function verifyOne(files: AttestedFiles, { format }: VerifyOptions, { cwd, stdout }: Terminal): Promise<number> {
  const { verifyReport } = await import('./verify-report.ts')
  const { neutralise } = await import('../text/neutralise.ts')
  const checks = verifyReport(files, (path) => pathFrom(cwd(), path))
  const ok = checks.every((check) => check.ok !== false) && checks.some((check) => check.ok === true)
  const answer = { schema: 'hookdrift.verify/1', run: null, ok, checks }
  const words = new Map([
    [true, 'ok     '],
    [false, 'FAILED '],
    [null, 'unknown'],
  ])
  const lines = checks.map((check) => `${words.get(check.ok)}  ${check.id.padEnd(11)}  ${neutralise(check.detail)}`)
  stdout.write(format === 'json' ? `${JSON.stringify(answer, null, 2)}\n` : `${lines.join('\n')}\n`)
  return ok ? exitCodes.clean : exitCodes.failure
}

/** The history, where one is named or configured: a report can be examined without. */
async function knownHistory(options: HistoryOptions, terminal: Terminal): Promise<string | undefined> {
  const isNamed = (options.history ?? terminal.env.HOOKDRIFT_HISTORY ?? '') !== ''
  if (!isNamed && !existsSync(pathFrom(terminal.cwd(), options.config))) return undefined
  return historyOf(options, terminal)
}

async function asJson({ ok, run: newest, checks }: Verification): Promise<string> {
  const { toAnswerRun } = await import('../reading/as-of.ts')
  const run = newest === null ? null : toAnswerRun(newest)
  return `${JSON.stringify({ schema: 'hookdrift.verify/1', run, ok, checks }, null, 2)}\n`
}

async function asText({ ok, checks }: Verification, file: string): Promise<string> {
  const { neutralise } = await import('../text/neutralise.ts')
  const wide = Math.max(...checks.map(({ id }) => id.length))
  const lines = checks.map((check) => lineOf(check, wide))
  const verdict = ok ? `${file} verifies.` : whatToDo(checks, file)
  return `${lines.map(neutralise).join('\n')}\n\n${neutralise(verdict)}\n`
}

function lineOf({ id, ok, detail, means }: CheckResult, wide: number): string {
  const line = `${ok ? 'ok    ' : 'FAILED'}  ${id.padEnd(wide)}  ${detail}`
  return means === undefined ? line : `${line}. That means: ${means}`
}

function whatToDo(checks: readonly CheckResult[], file: string): string {
  const failed = checks.filter(({ ok }) => !ok).map(({ id }) => id)
  return `${file} does not verify (${failed.join(', ')}). Keep a copy of it as it is, restore the last backup that verifies, and audit again: docs/keeping.md.`
}
