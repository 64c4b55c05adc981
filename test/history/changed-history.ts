import Database from 'better-sqlite3'
import { vi } from 'vitest'
import type { History } from '../../src/history/history.ts'
import type { HistoryReader } from '../../src/history/reader.ts'
import type { Session } from '../../src/history/sql/session.ts'
import { openSqliteHistory } from '../../src/history/sqlite/sqlite-history.ts'
import type { EvaluatedRule, ProjectEvaluation } from '../../src/model/evaluation.ts'
import { Machines } from './processes.ts'

/** Opens a copy of a history, in a new file, in which some rows are others. */
export function openChanged(file: string, copy: string, change: (db: Database.Database) => void): History {
  const original = new Database(file, { readonly: true })
  original.prepare('VACUUM INTO ?').run(copy)
  original.close()
  const changed = new Database(copy)
  changed.pragma('foreign_keys = OFF')
  change(changed)
  changed.close()
  return openSqliteHistory(copy, new Machines().process(101))
}

/** Changes the documents of a run: what it recorded of its rules, and of its projects. */
export function changeDocuments(
  db: Database.Database,
  run: number,
  { rules = (one) => one, project = (one) => one }: DocumentChanges,
): void {
  const change = (table: string, ofRun: string, changed: (body: string) => string) => {
    const rows = db.prepare<[number], { id: number; body: string }>(`SELECT id, body FROM ${table} WHERE ${ofRun}`)
    for (const { id, body } of rows.all(run))
      db.prepare(`UPDATE ${table} SET body = ? WHERE id = ?`).run(changed(body), id)
  }
  change('document', 'sha256 = (SELECT rules_document FROM run WHERE number = ?)', (body) => {
    const stored = JSON.parse(body)
    return JSON.stringify({ ...stored, rules: rules(stored.rules) })
  })
  change('evaluation', 'id IN (SELECT evaluation FROM scan WHERE run = ?)', (body) =>
    JSON.stringify(project(JSON.parse(body))),
  )
}

interface DocumentChanges {
  rules?(rules: readonly EvaluatedRule[]): readonly EvaluatedRule[]
  project?(project: ProjectEvaluation): ProjectEvaluation
}

/** The statements that readers of a history execute from now on. */
export function watchStatements(history: HistoryReader): readonly string[] {
  const statements: string[] = []
  const watched = <Of extends Session>(session: Of) =>
    new Proxy(session, {
      get(target, name) {
        const member = Reflect.get(target, name, target)
        if (typeof member !== 'function') return member
        return (...values: unknown[]) => {
          if (typeof values[0] === 'string') statements.push(values[0])
          return member.apply(target, values)
        }
      },
    })
  const watch = (reader: HistoryReader) => {
    const { ask, snapshot, within } = reader
    vi.spyOn(reader, 'ask').mockImplementation((question) => ask((session) => question(watched(session))))
    vi.spyOn(reader, 'snapshot').mockImplementation((question) =>
      snapshot((transaction) => question(watched(transaction))),
    )
    vi.spyOn(reader, 'within').mockImplementation((scope) => watch(within(scope)))
    return reader
  }
  watch(history)
  return statements
}
