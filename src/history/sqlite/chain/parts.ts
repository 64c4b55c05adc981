import type { Database } from 'better-sqlite3'
import { type DigestedRows, digestRows } from './digest-rows.ts'

/** Digests of what was recorded, by what it is. Parts without rows are absent. */
export type Parts = Readonly<Record<string, string>>

/** Columns of a run that hold its link, and so cannot be in it. */
const linkColumns = ['previous', 'parts', 'chain']

/**
 * Everything that a run writes, found by a condition on the run. What ends later (`to_run`) is covered where it ends;
 * a body by its digest, which stands beside it.
 */
function partsBy(run: string): Readonly<Record<string, DigestedRows>> {
  const began = { where: `from_run ${run}`, without: ['to_run'] }
  const ended = { where: `to_run ${run}` }
  return {
    projects: { table: 'project', where: `id IN (SELECT project_id FROM walk WHERE run ${run})`, order: 'id' },
    walks: { table: 'walk', where: `run ${run}`, order: 'run, project_id, listing' },
    versions: { table: 'version', ...began, without: ['to_run', 'body', 'facts'], order: 'id' },
    ended_versions: { table: 'version', ...ended, only: ['id', 'to_run'], order: 'id' },
    unreferenced: { table: 'unreferenced', ...began, order: 'project_id, kind, uid, from_run' },
    referenced_again: { table: 'unreferenced', ...ended, order: 'project_id, kind, uid, from_run' },
    changes: { table: 'change', where: `run ${run}`, order: 'id' },
    violations: { table: 'violation', ...began, order: 'id' },
    ended_violations: { table: 'violation', ...ended, only: ['id', 'to_run'], order: 'id' },
    notices: { table: 'notice', where: `run ${run}`, order: 'run, rowid' },
    held: { table: 'held', where: `run ${run}`, order: 'run, project_id, listing' },
  }
}

/** What people approved and revoked between runs, found by the run sealed after it. */
function approvalsBy(isBy: (column: string) => string): Readonly<Record<string, DigestedRows>> {
  const approved = isBy('approved_in')
  return {
    approvals: { table: 'approval', where: approved, without: revocation, order: 'id' },
    approved_resources: {
      table: 'approved_resource',
      where: `approval_id IN (SELECT id FROM approval WHERE ${approved})`,
      order: 'approval_id, kind, uid',
    },
    revocations: { table: 'approval', where: isBy('revoked_in'), only: ['id', ...revocation], order: 'id' },
  }
}

const revocation = ['revoked_at', 'revoked_by', 'revoked_in']

/** What the link of one run covers: also the interrupted runs since the sealed one before it, and checkpoints. */
const ofRun: Readonly<Record<string, DigestedRows>> = {
  run: {
    table: 'run',
    without: linkColumns,
    where: `number = @run OR (state = 'interrupted' AND number < @run AND number >
      (SELECT ifnull(max(number), 0) FROM run WHERE number < @run AND state IN ('sealed', 'pruned')))`,
    order: 'number',
  },
  ...partsBy('= @run'),
  ...approvalsBy((column) => `${column} = @run`),
  checkpoints: { table: 'checkpoint', without: ['rewritten_at'], where: 'run = @run', order: 'id' },
}

/** Runs whose rows no link covers: pruned and resealed ones, and those sealed before there was a chain. */
const unlinked = "(SELECT number FROM run WHERE state = 'pruned' OR (state = 'sealed' AND chain IS NULL))"

const outsideTheChain: Readonly<Record<string, DigestedRows>> = {
  runs: {
    table: 'run',
    without: linkColumns,
    where: `number IN ${unlinked} OR (state = 'interrupted' AND number < (SELECT max(number) FROM run
      WHERE state = 'sealed' AND chain IS NULL))`,
    order: 'number',
  },
  ...partsBy(`IN ${unlinked}`),
  // Rows of approvals need no row of a run, so the run may be gone altogether. Those since the last run are not covered yet.
  ...approvalsBy(
    (column) =>
      `${column} IS NOT NULL AND ${column} NOT IN (SELECT number FROM run WHERE state = 'sealed' AND chain IS NOT NULL)`,
  ),
  // The run that covers a checkpoint is sealed later, and a digest cannot be in itself.
  checkpoints: {
    table: 'checkpoint',
    where: 'id <= @checkpoint',
    without: ['run', 'carried', 'rewritten_at'],
    order: 'id',
  },
  earlier: { table: 'checkpoint', where: 'id < @checkpoint', only: ['id', 'carried'], order: 'id' },
}

/** What a run recorded, as it stands. */
export function partsOfRun(db: Database, run: number): Parts {
  return digestsOf(db, ofRun, { run })
}

/** What a checkpoint carries, as it stands: all that no link covers. */
export function partsCarried(db: Database, checkpoint: number): Parts {
  return digestsOf(db, outsideTheChain, { checkpoint })
}

function digestsOf(
  db: Database,
  parts: Readonly<Record<string, DigestedRows>>,
  parameters: Readonly<Record<string, number>>,
): Parts {
  const digests = Object.entries(parts).flatMap(([name, rows]): [string, string][] => {
    const digest = digestRows(db, rows, parameters)
    return digest === undefined ? [] : [[name, digest]]
  })
  return Object.fromEntries(digests)
}
