import { canonicalJson } from '../../model/canonical-json.ts'
import type { Session, Transaction } from '../sql/session.ts'
import {
  type BrokenLink,
  checkCheckpoint,
  hasLink,
  type LastCheckpoint,
  type LinkedRun,
  linkChecker,
} from './check-links.ts'
import { partsCarried, partsOfRun } from './digest-run.ts'
import { type Checkpoint, carriedDigestOf, linkOf } from './links.ts'
import type { KnownParts } from './parts.ts'
import { inRanges } from './pruned-runs.ts'

/** Attributes what was written between two runs to the run that is being committed. */
export async function attributeToRun(session: Session, run: number): Promise<void> {
  await session.run('UPDATE hookdrift.checkpoint SET run = $1 WHERE run IS NULL', [run])
  await session.run(signedSql('approval', 'approved_in'), [run])
  await session.run(signedSql('acceptance', 'accepted_in'), [run])
}

function signedSql(table: string, column: string): string {
  return `UPDATE hookdrift.${table} SET ${column} = coalesce(${column}, $1),
      revoked_in = CASE WHEN revoked_at IS NULL THEN revoked_in ELSE coalesce(revoked_in, $1) END
    WHERE ${column} IS NULL OR (revoked_at IS NOT NULL AND revoked_in IS NULL)`
}

/** Links a run that is being committed, with all that it wrote, to the one before it. Returns the link. */
export async function appendLink(transaction: Transaction, run: number, known: KnownParts): Promise<string> {
  const previous =
    (await transaction.value<string | null>(
      "SELECT chain FROM hookdrift.run WHERE number < $1 AND state = 'committed' ORDER BY number DESC LIMIT 1",
      [run],
    )) ?? null
  const parts = await partsOfRun(transaction, run, known)
  const chain = linkOf(previous, parts)
  await transaction.run('UPDATE hookdrift.run SET previous = $2, part_digests = $3, chain = $4 WHERE number = $1', [
    run,
    previous,
    canonicalJson(parts),
    chain,
  ])
  return chain
}

/** Records a digest of all rows that no link covers. The link of the next committed run covers the checkpoint. */
export async function makeCheckpoint(
  transaction: Transaction,
  { madeAt, toolVersion, options, runs }: Checkpoint,
): Promise<void> {
  const id = ((await transaction.value<number | null>('SELECT max(id) FROM hookdrift.checkpoint')) ?? 0) + 1
  await transaction.run(
    `INSERT INTO hookdrift.checkpoint (id, made_at, tool_version, options, runs, state_digest)
     VALUES ($1, $2, $3, $4, $5, '')`,
    [id, madeAt, toolVersion, JSON.stringify(options), JSON.stringify(runs)],
  )
  const digest = carriedDigestOf(await partsCarried(transaction, id))
  await transaction.run('UPDATE hookdrift.checkpoint SET state_digest = $2 WHERE id = $1', [id, digest])
}

/** Links that do not verify, oldest first; then a checkpoint that does not. */
export async function* findBrokenLinks(transaction: Transaction): AsyncGenerator<BrokenLink> {
  const runs = await transaction.all<LinkedRun>(
    `SELECT number, state, previous, part_digests AS "partDigests", chain
     FROM hookdrift.run WHERE state IN ('committed', 'pruned') ORDER BY number`,
  )
  const check = linkChecker(await prunedRuns(transaction))
  for (const run of runs) yield* check(run, hasLink(run) ? await partsOfRun(transaction, run.number) : undefined)
  const last = await transaction.get<LastCheckpoint>(
    `SELECT id, made_at AS "madeAt", state_digest AS digest, run FROM hookdrift.checkpoint ORDER BY id DESC LIMIT 1`,
  )
  if (last === undefined) return
  yield* checkCheckpoint(last, carriedDigestOf(await partsCarried(transaction, last.id)))
}

/** The oldest of them; undefined when all verify. */
export async function findBrokenLink(transaction: Transaction): Promise<BrokenLink | undefined> {
  for await (const broken of findBrokenLinks(transaction)) return broken
  return undefined
}

/** Whether a run was pruned, according to the checkpoints. */
export async function prunedRuns(session: Session): Promise<(run: number) => boolean> {
  const checkpoints = await session.all<{ readonly runs: string }>('SELECT runs FROM hookdrift.checkpoint ORDER BY id')
  return inRanges(checkpoints.map(({ runs }) => runs))
}
