import type { HistoryUpkeep, Verification } from '../history/upkeep.ts'
import { AuditError } from '../model/errors.ts'

/**
 * A run and the digest of the chain as of it, kept where the writers of a history cannot reach it. A history that was
 * replaced as a whole, or lost its last runs, verifies by itself; next to its anchor it does not.
 */
export interface Anchor {
  readonly run: number
  /** SHA-256 in hex. */
  readonly digest: string
}

/**
 * Reads `17:9f86d081…`.
 * @throws AuditError.usage for anything else
 */
export function readAnchor(text: string): Anchor {
  const { run, digest } = /^(?<run>[1-9]\d{0,14}):(?<digest>[\da-f]{64})$/.exec(text)?.groups ?? {}
  if (run === undefined || digest === undefined) {
    throw AuditError.usage(`--anchor is "${text}", expected the number of a run, a colon, and 64 hexadecimal digits`, {
      advice: '`hookdrift verify` prints it; in a JSON report it is run.number and digests.chain',
    })
  }
  return { run: Number(run), digest }
}

/** The anchor to keep of a history that verifies: `17:9f86d081…`, of its last run; null without any. */
export async function anchorOf({ ok, run }: Verification, upkeep: HistoryUpkeep): Promise<string | null> {
  if (!ok || run === null) return null
  const digest = await upkeep.chainOf(run.number)
  return digest === undefined ? null : `${run.number}:${digest}`
}

/** Adds the check of an anchor. What cannot be compared fails it: a pruned run no longer has a digest. */
export async function checkAnchor(
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
