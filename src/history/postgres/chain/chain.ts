import { canonicalJson } from '../../../model/canonical-json.ts'
import { attributionsToRun, type Checkpoint, carriedDigestOf, linkOf } from '../../chain/links.ts'
import type { KnownParts } from '../../chain/parts.ts'
import type { Session, Transaction } from '../connect.ts'
import { partsCarried, partsOfRun, sqlNames } from './digest-rows.ts'

/** Attributes what was written between two runs to the run that is being committed. */
export async function attributeToRun(session: Session, run: number): Promise<void> {
  for (const sql of attributionsToRun(sqlNames)) await session.run(sql, [run])
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
  const id = await transaction.value<number>(
    `INSERT INTO hookdrift.checkpoint (id, made_at, tool_version, options, runs, state_digest)
     VALUES ((SELECT coalesce(max(id), 0) + 1 FROM hookdrift.checkpoint), $1, $2, $3, $4, '') RETURNING id`,
    [madeAt, toolVersion, JSON.stringify(options), JSON.stringify(runs)],
  )
  const digest = carriedDigestOf(await partsCarried(transaction, id ?? 0))
  await transaction.run('UPDATE hookdrift.checkpoint SET state_digest = $2 WHERE id = $1', [id ?? 0, digest])
}
