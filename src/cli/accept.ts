import type { Command } from 'commander'
import { openMasking } from '../app/locate-history.ts'
import type { ProcessContext } from '../app/process-context.ts'
import { sealWords } from '../gateway/inventory/seal-text.ts'
import { type Acceptance, isInForce } from '../history/acceptances.ts'
import type { HistoryReader } from '../history/reader.ts'
import { listAcceptances } from '../history/sql/acceptances.ts'
import { readCause } from '../history/sql/causes.ts'
import { findLastRun } from '../history/sql/runs.ts'
import { AuditError } from '../model/errors.ts'
import { acceptancesView, answerAcceptances, readAcceptable } from '../questions/acceptances.ts'
import { chooseAcceptable, composeAcceptances, findByFingerprint } from '../questions/choose-acceptable.ts'
import { uidOrName } from '../questions/question.ts'
import { addSignature, signature } from './baseline-options.ts'
import { answerFromHistory } from './print-answer.ts'
import { addReadingOptions, limitOf, type ReadingOptions } from './query-options.ts'

interface AcceptOptions extends ReadingOptions {
  readonly reason?: string
  readonly by?: string
  readonly cause?: string
  readonly revoke?: readonly string[]
}

export function defineAccept(command: Command) {
  command
    .argument(
      '[violation...]',
      `fingerprints, as reports and \`hookdrift violations\` show them, or a rule and a resource: ${uidOrName}`,
    )
    .option(
      '--cause <id>',
      'accept all violations that follow from a cause; `hookdrift violations --by-cause` lists them',
    )
    .option('--reason <text>', 'why they are accepted; reports show it')
    .option('--revoke <fingerprint...>', 'revoke acceptances; the next run opens again what it still finds')
  addReadingOptions(addSignature(command))
  return accept
}

async function accept(options: AcceptOptions, terminal: ProcessContext, words: readonly string[]): Promise<number> {
  const { reason, by, cause, revoke = [] } = options
  refuseUnclear(words, options)
  return answerFromHistory(options, terminal, acceptancesView, async (history) => {
    const before = await listAcceptances(history)
    const masking = await openMasking(options, terminal)
    const signed = signature(by, masking)
    if (revoke.length > 0) {
      const inForce = before.filter(isInForce)
      const naming = { what: 'active acceptance', list: 'hookdrift waivers list --acceptances' }
      const chosen = new Set(revoke.map((text) => findByFingerprint(inForce, text, naming).fingerprint))
      const ids = inForce.filter(({ fingerprint }) => chosen.has(fingerprint)).map(({ id }) => id)
      await history.revokeAcceptances(ids, signed)
      const changed = (await listAcceptances(history)).filter(({ id }) => ids.includes(id))
      return answerAcceptances(changed, limitOf(options))
    }
    const active = await readAcceptable(history)
    const run = (await findLastRun(history))?.number ?? 0
    const named = cause === undefined ? words : notYetAccepted(await violationsOfCause(history, cause, run), before)
    const chosen = chooseAcceptable(active, named, before)
    const stated = { reason: sealWords(reason ?? '', masking), ...signed }
    await history.accept(await composeAcceptances(history, run, chosen, stated))
    return answerAcceptances((await listAcceptances(history)).slice(before.length), limitOf(options))
  })
}

/** @throws AuditError.usage when no violation follows from a cause of that id */
async function violationsOfCause(history: HistoryReader, id: string, run: number): Promise<readonly string[]> {
  const cause = await readCause(history, id, run)
  if (cause !== undefined && cause !== 'over') {
    return [...new Set(cause.resources.flatMap(({ violations }) => violations.map(({ fingerprint }) => fingerprint)))]
  }
  throw AuditError.usage(`no open violation follows from a cause ${JSON.stringify(id)}`, {
    advice: '`hookdrift violations --by-cause` lists the causes of what is open',
  })
}

/** Those that were not accepted before; all where each was: then the first one says by whom. */
function notYetAccepted(fingerprints: readonly string[], acceptances: readonly Acceptance[]): readonly string[] {
  const inForce = new Set(acceptances.filter(isInForce).map(({ fingerprint }) => fingerprint))
  const others = fingerprints.filter((fingerprint) => !inForce.has(fingerprint))
  return others.length === 0 ? fingerprints : others
}

/** One thing at a time: accept with a reason, or revoke. */
function refuseUnclear(words: readonly string[], { reason, cause, revoke }: AcceptOptions): void {
  const actions = [words.length > 0, cause !== undefined, revoke !== undefined].filter(Boolean).length
  if (actions !== 1) {
    throw AuditError.usage('expected violations to accept, --cause, or --revoke', {
      advice: '`hookdrift violations` shows them with their fingerprints',
    })
  }
  const isAccepting = words.length + Number(cause !== undefined) > 0
  if (isAccepting && (reason ?? '').trim() === '') {
    throw AuditError.usage('an acceptance needs a reason', { advice: 'pass --reason TEXT, such as a ticket' })
  }
  if (!isAccepting && reason !== undefined) {
    throw AuditError.usage('--reason says why violations are accepted: --revoke keeps none', {
      advice: '`hookdrift note TEXT` records why they are revoked',
    })
  }
}
