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
  { rules = (one) => one, projects = (one) => one }: DocumentChanges,
): void {
  const change = (column: 'rules_document' | 'projects_document', changed: (body: string) => string) => {
    const ofRun = `FROM document WHERE sha256 = (SELECT ${column} FROM run WHERE number = ?)`
    const { sha256, body } = db.prepare<[number], { sha256: string; body: string }>(`SELECT * ${ofRun}`).get(run) ?? {
      sha256: '',
      body: '{}',
    }
    db.prepare('UPDATE document SET body = ? WHERE sha256 = ?').run(changed(body), sha256)
  }
  change('rules_document', (body) => {
    const stored = JSON.parse(body)
    return JSON.stringify({ ...stored, rules: rules(stored.rules) })
  })
  change('projects_document', (body) => JSON.stringify(projects(JSON.parse(body))))
}

interface DocumentChanges {
  rules?(rules: readonly EvaluatedRule[]): readonly EvaluatedRule[]
  projects?(projects: readonly ProjectEvaluation[]): readonly ProjectEvaluation[]
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
  const { ask, snapshot } = history
  vi.spyOn(history, 'ask').mockImplementation((question) => ask((session) => question(watched(session))))
  vi.spyOn(history, 'snapshot').mockImplementation((question) =>
    snapshot((transaction) => question(watched(transaction))),
  )
  return statements
}
