import type { Acceptances } from './acceptances.ts'
import type { Approvals } from './approvals.ts'
import type { RunDraft } from './draft/run-draft.ts'
import type { SqlScanDraft } from './draft/scan-draft.ts'
import type { Notes } from './notes.ts'
import type { Outbox } from './outbox.ts'
import type { HistoryReader } from './reader.ts'
import type { RunStart } from './staged.ts'
import type { PastVersion, StoredBody } from './stored-body.ts'

/**
 * The record of past runs; a run is one audit of the configured projects. It only stores: callers decide what counts as
 * a change or as resolved. Asynchronous, because the database may be on a server. Questions to it are functions with
 * their statements in `history/sql`, for SQLite and PostgreSQL alike.
 *
 * A run is drafted in memory and written by one commit. Readers see the history before it or after it.
 */
export interface History extends HistoryReader, Approvals, Acceptances, Notes, Outbox {
  /**
   * Starts a run. It owns the lease, the right to write, until it is committed or abandoned. First records killed runs as
   * interrupted.
   * @throws AuditError.busy when another live run owns the lease
   */
  begin(start: RunStart): Promise<Draft>
  close(): Promise<void>
}

/** All of a history but the writing of runs. */
export type OpenHistory = Omit<History, 'begin'>

/**
 * One run being drafted. Nothing of it is written before `commit`, which throws AuditError.busy once the lease is lost or
 * the run has ended. The run covers the projects whose scan it stages. Uids are well-formed text. Every method throws
 * AuditError.failure when the history cannot be read or written.
 */
export type Draft = Omit<RunDraft, 'token' | 'release' | 'exportProject' | 'importProject'>

/** What the scan of one project drafts, in a run that is begun and committed elsewhere. */
export type ScanDraft = Omit<SqlScanDraft, 'exportProject' | 'importProject'>

/** A stored state (version) of a resource, and how the resource is named in it. */
export type NamedVersion = PastVersion & Pick<StoredBody, 'name' | 'facts'>
