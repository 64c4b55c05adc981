import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { type Command, InvalidArgumentError } from 'commander'
import { copyHistory, verificationOf } from '../app/copy-database.ts'
import { locateHistory } from '../app/locate-history.ts'
import { openMovable, withUpkeep } from '../app/open-history.ts'
import type { ProcessContext } from '../app/process-context.ts'
import { withProgress } from '../app/watch-run.ts'
import { type HistoryLocation, readLocation } from '../history/location.ts'
import { keepNothing, type RetentionRules, readSpan } from '../history/retention.ts'
import type { HistoryUpkeep, Verification } from '../history/upkeep.ts'
import { AuditError, exitCodes } from '../model/errors.ts'
import { toolVersion } from '../model/package-files.ts'
import { neutralise } from '../model/text/neutralise.ts'
import { answerCopy, answerUpgrade, copyView, upgradeView } from '../questions/answer-history.ts'
import { answerPruning, pruningView } from '../questions/answer-pruning.ts'
import { answerVerification, verificationView } from '../questions/answer-verification.ts'
import { answerBackup, backupView } from '../questions/answer-writes.ts'
import { limited } from '../report/answer.ts'
import { type Block, text, verbatim } from '../report/document/blocks.ts'
import { shellWord } from '../report/text/commands.ts'
import { findNeededFiles, refuseNeeded } from './deliver-report.ts'
import { printAnswer } from './print-answer.ts'
import {
  type AnswerOptions,
  addAnswerOptions,
  addReadingOptions,
  limitOf,
  type ReadingOptions,
} from './query-options.ts'

interface VerifyOptions extends ReadingOptions {
  readonly deep?: true
  readonly anchor?: Anchor
}

export function defineVerify(command: Command) {
  command
    .option('--deep', 'also check the sealed secrets, and the exit code of every run instead of the last one only')
    .option(
      '--anchor <run:digest>',
      'also check that the run still has the digest that was kept elsewhere, as an earlier `verify` printed both',
      readAnchor,
    )
  addReadingOptions(command)
  return verify
}

async function verify(options: VerifyOptions, terminal: ProcessContext): Promise<number> {
  const { anchor, deep } = options
  const location = await locateHistory(options, terminal)
  const { verification, last } = await withProgress(terminal, 'verifying the history', (progress) =>
    withUpkeep(location, terminal.env, async (upkeep) => {
      const verified = await upkeep.verify(verificationOf(deep === true ? 'deep' : 'plain', progress))
      return {
        verification: anchor === undefined ? verified : await checkAnchor(verified, anchor, upkeep),
        last: await anchorOf(verified, upkeep),
      }
    }),
  )
  const answer = answerVerification(verification, { file: location.displayName, anchor: last, limit: limitOf(options) })
  await printAnswer(answer, verificationView, options.format, terminal)
  return verification.ok ? exitCodes.clean : exitCodes.failure
}

interface BackupOptions extends ReadingOptions {
  readonly force?: true
}

export function defineBackup(command: Command) {
  command.argument('<file>', 'file for the copy').option('--force', 'replace an existing file')
  addReadingOptions(command)
  return backup
}

async function backup(options: BackupOptions, terminal: ProcessContext, file: string): Promise<number> {
  const target = resolve(terminal.cwd(), file)
  refuseNeeded('backup', target, await findNeededFiles(options, terminal))
  const location = await locateHistory(options, terminal)
  const made = await withProgress(terminal, 'copying the history', (progress) => {
    const request = { ...verificationOf('plain', progress), replace: options.force === true }
    return withUpkeep(location, terminal.env, (upkeep) => upkeep.backUp(target, request))
  })
  return printAnswer(answerBackup(target, made), backupView, options.format, terminal)
}

/** Option and meaning of each count of runs to keep. */
const counts = {
  last: ['keepLast', 'keep the last n runs; n is a number or "unlimited"'],
  hourly: ['keepHourly', 'keep the last run of each of the last n hours that have one'],
  daily: ['keepDaily', 'keep the last run of each of the last n days that have one'],
  weekly: ['keepWeekly', 'keep the last run of each of the last n weeks that have one'],
  monthly: ['keepMonthly', 'keep the last run of each of the last n months that have one'],
  yearly: ['keepYearly', 'keep the last run of each of the last n years that have one'],
} as const satisfies Record<keyof Omit<RetentionRules, 'within'>, readonly [option: string, meaning: string]>

interface PruneOptions extends ReadingOptions, Partial<Record<(typeof counts)[keyof typeof counts][0], number>> {
  readonly keepWithin?: string
  readonly dryRun?: true
}

export function definePrune(command: Command) {
  for (const [name, [, meaning]] of Object.entries(counts)) command.option(`--keep-${name} <n>`, meaning, countOf)
  command
    .option('--keep-within <span>', 'keep all runs within this span before the newest run, such as 14d or 1y6m', spanOf)
    .option('--dry-run', 'only show which runs would be kept and removed')
  addReadingOptions(command)
  return prune
}

function countOf(text: string): number {
  if (text === 'unlimited') return Number.POSITIVE_INFINITY
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Expected a number or "unlimited".')
}

function spanOf(text: string): string {
  if (readSpan(text) !== undefined) return text
  throw new InvalidArgumentError('Expected years, months, days and hours, such as 14d or 1y6m.')
}

async function prune(options: PruneOptions, terminal: ProcessContext): Promise<number> {
  const request = { keep: keepOf(options), options: asGiven(options), toolVersion: toolVersion() }
  const isDry = options.dryRun === true
  const location = await locateHistory(options, terminal)
  const { plan, freed } = await withProgress(terminal, 'pruning the history', () =>
    withUpkeep(location, terminal.env, async (upkeep) =>
      isDry ? { plan: await upkeep.planPruning(request.keep), freed: nothingFreed } : upkeep.prune(request),
    ),
  )
  const answer = answerPruning(plan, freed, isDry)
  // The whole plan is shown, unless a limit is given.
  const limit = options.limit ?? Number.POSITIVE_INFINITY
  return printAnswer({ ...answer, ...limited(answer.rows, limit) }, pruningView, options.format, terminal)
}

const nothingFreed = { bytes: 0, freeBytes: 0 }

function keepOf(options: PruneOptions): RetentionRules {
  const given = Object.entries(counts).flatMap(([name, [option]]) => {
    const count = options[option]
    return count === undefined ? [] : [[name, count] as const]
  })
  const within = options.keepWithin === undefined ? undefined : readSpan(options.keepWithin)
  return { ...keepNothing, ...Object.fromEntries(given), within }
}

function asGiven(options: PruneOptions): Readonly<Record<string, number | string>> {
  const { keepWithin: within } = options
  const given = Object.keys(counts).flatMap((name): [string, number | string][] => {
    const count = options[counts[name as keyof typeof counts][0]]
    return count === undefined ? [] : [[`keep_${name}`, count === Number.POSITIVE_INFINITY ? 'unlimited' : count]]
  })
  return Object.fromEntries(within === undefined ? given : [...given, ['keep_within', within]])
}

interface CopyOptions extends AnswerOptions {
  readonly snapshot?: boolean
}

export function defineHistoryCopy(command: Command) {
  command
    .argument('<from>', 'history to copy: a file or postgres://…')
    .argument('<to>', 'new place, empty or absent: a file or postgres://…')
    .option('--snapshot', 'copy while runs go on, and leave the original in use')
  addAnswerOptions(command)
  return copyBetween
}

async function copyBetween(
  { snapshot = false, format }: CopyOptions,
  terminal: ProcessContext,
  fromName: string,
  toName: string,
): Promise<number> {
  const from = readLocation(fromName, terminal.cwd())
  const to = readLocation(toName, terminal.cwd())
  if (from.kind === 'file' && to.kind === 'file') {
    refuseNeeded('history copy', to.path, [{ file: from.path, what: 'the history to copy' }])
  }
  await using original = await openMovable(from, terminal.env)
  await using target = await openMovable(to, terminal.env)
  const { run, rows } = await withProgress(terminal, 'copying the history', (progress) =>
    copyHistory(original, target, { ...verificationOf('plain', progress), isSnapshot: snapshot }),
  )
  const keyFile = from.kind === 'file' && existsSync(from.keyFile) ? from.keyFile : null
  const row = { from: from.displayName, to: to.displayName, rows, moved: !snapshot, key_file: keyFile }
  const view = copyView(adviseOnKey({ from, to, keyFile }, terminal.env))
  return printAnswer(answerCopy(row, run), view, format, terminal)
}

/** With another key, changed secrets go undetected. Empty where the target has the same key as it is. */
function adviseOnKey(
  {
    from,
    to,
    keyFile,
  }: { readonly from: HistoryLocation; readonly to: HistoryLocation; readonly keyFile: string | null },
  env: ProcessContext['env'],
): readonly Block[] {
  const isGiven = (env.HOOKDRIFT_SEAL_KEY ?? '') !== ''
  if (isGiven || keyFile === null) {
    return from.kind === to.kind ? [] : [text('The installation key is not copied: give the new place the same one.')]
  }
  if (to.kind === 'postgres') {
    return [
      text('The installation key is not copied. On every machine:'),
      verbatim([neutralise(`export HOOKDRIFT_SEAL_KEY="hex:$(cat ${shellWord(keyFile)})"`)]),
    ]
  }
  if (to.keyFile === keyFile) return []
  return [text(`The installation key is not copied: copy ${keyFile} to ${dirname(to.keyFile)}.`)]
}

interface UpgradeOptions extends ReadingOptions {
  readonly yes?: true
}

export function defineHistoryUpgrade(command: Command) {
  command.option('--yes', 'confirm that you have a dump of the history on the server')
  addReadingOptions(command)
  return upgradeHistory
}

async function upgradeHistory(options: UpgradeOptions, terminal: ProcessContext): Promise<number> {
  const location = await locateHistory(options, terminal)
  await using history = await openMovable(location, terminal.env)
  const upgraded = await history.upgrade(options.yes === true)
  if (location.kind === 'postgres') {
    const { installPool } = await import('../app/pool/open-pool.ts')
    await installPool(location.server)
  }
  return printAnswer(answerUpgrade(location.displayName, upgraded), upgradeView, options.format, terminal)
}

/**
 * A run and the digest of the chain as of it, kept where the writers of a history cannot reach it. A history that was
 * replaced as a whole, or lost its last runs, verifies by itself; next to its anchor it does not.
 */
interface Anchor {
  readonly run: number
  /** SHA-256 in hex. */
  readonly digest: string
}

/**
 * Reads `17:9f86d081…`.
 * @throws AuditError.usage for anything else
 */
function readAnchor(text: string): Anchor {
  const { run, digest } = /^(?<run>[1-9]\d{0,14}):(?<digest>[\da-f]{64})$/.exec(text)?.groups ?? {}
  if (run === undefined || digest === undefined) {
    throw AuditError.usage(`--anchor is "${text}", expected the number of a run, a colon, and 64 hexadecimal digits`, {
      advice: '`hookdrift verify` prints it; in a JSON report it is run.number and digests.chain',
    })
  }
  return { run: Number(run), digest }
}

/** The anchor to keep of a history that verifies: `17:9f86d081…`, of its last run; null without any. */
async function anchorOf({ ok, run }: Verification, upkeep: HistoryUpkeep): Promise<string | null> {
  if (!ok || run === null) return null
  const digest = await upkeep.chainOf(run.number)
  return digest === undefined ? null : `${run.number}:${digest}`
}

/** Adds the check of an anchor. What cannot be compared fails it: a pruned run no longer has a digest. */
async function checkAnchor(
  verification: Verification,
  { run, digest }: Anchor,
  upkeep: HistoryUpkeep,
): Promise<Verification> {
  const { ok, checks } = verification
  const check = (result: boolean | null, detail: string, means?: string): Verification => ({
    run: verification.run,
    ok: ok && result === true,
    checks: [...checks, { id: 'anchor', ok: result, detail, ...(means !== undefined && { means }) }],
  })
  if (!ok) return check(null, 'not checked: the history does not verify')
  const chain = await upkeep.chainOf(run)
  if (chain === digest) return check(true, `run ${run} and all runs before it are those of the anchor`)
  if (chain !== undefined)
    return check(false, `run ${run} has the digest ${chain}`, 'the history was replaced or rewritten')
  const detail = `the history has no digest of run ${run}`
  return check(
    false,
    detail,
    'it was replaced, its last runs were removed, or the run was pruned: anchor a run that stays',
  )
}
