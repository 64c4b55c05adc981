import Database from 'better-sqlite3'
import { KnownItem } from '../../src/model/raw-page.ts'
import type { Report } from '../../src/model/report.ts'
import type { ServiceClient } from '../../src/service/service-client.ts'
import { type AuditHarnessOptions, type AuditTurn, openAuditHarness } from '../audit/audit-harness.ts'

export interface TwinRun {
  readonly report: Report
  /** How many items the run with marks recognised. */
  readonly recognised: number
  /** Where the run with marks differs from the one without; empty when nothing does. */
  readonly differences: readonly string[]
}

/**
 * Two histories of one service: the runs of the first recognise what did not change, those of the second read
 * everything. `beforeSecond`: called between the two audits, to give both the same service.
 */
export function openTwins(options: Omit<AuditHarnessOptions, 'concurrency'>) {
  // One project at a time: rows get their ids in the order in which answers arrive.
  const marked = openAuditHarness({ ...options, concurrency: 1 })
  const plain = openAuditHarness({ ...options, concurrency: 1 })
  return {
    both: [marked, plain] as const,
    async audit(turn: AuditTurn, beforeSecond: () => void = () => {}): Promise<TwinRun> {
      let recognised = 0
      const between = countKnown((count) => {
        recognised += count
      })
      const report = await marked.audit({ ...turn, between })
      beforeSecond()
      const expected = await plain.audit({ ...turn, usesMarks: false })
      const differences = differencesOf(
        { report, rows: rowsOf(marked.file) },
        { report: expected, rows: rowsOf(plain.file) },
      )
      return { report, recognised, differences }
    },
    advance(ms: number) {
      for (const harness of [marked, plain]) harness.advance(ms)
    },
    [Symbol.dispose]() {
      try {
        marked[Symbol.dispose]()
      } finally {
        plain[Symbol.dispose]()
      }
    },
  }
}

/** Counts the items that a run recognises. */
function countKnown(add: (count: number) => void): NonNullable<AuditTurn['between']> {
  return (_, client) => {
    const pages = async function* (...asked: Parameters<ServiceClient['pages']>) {
      for await (const page of client.pages(...asked)) {
        const items: readonly unknown[] = page.items
        add(items.filter((item) => item instanceof KnownItem).length)
        yield page
      }
    }
    return { ...client, pages: pages as unknown as ServiceClient['pages'] }
  }
}

interface Shown {
  readonly report: Report
  /** By table, as JSON. */
  readonly rows: ReadonlyMap<string, readonly string[]>
}

/** What both would say of the same, but for the numbers of requests, and digests over them. */
function comparable(text: string): string {
  return text.replace(/simulated-\d+/g, 'simulated').replace(digests, '')
}

const digests = /"(?:chain|previous|part_digests|sha256|projects_document|state_digest)": ?"(?:[^"\\]|\\.)*"/g

/** What a run left, but for marks. */
function rowsOf(file: string): Shown['rows'] {
  const db = new Database(file, { readonly: true })
  try {
    const tables = db
      .prepare<[], string>(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'mark\\_%' ESCAPE '\\'",
      )
      .pluck()
      .all()
    return new Map(
      tables.map((table) => [
        table,
        db
          .prepare(`SELECT * FROM "${table}"`)
          .all()
          .map((row) => comparable(JSON.stringify(row))),
      ]),
    )
  } finally {
    db.close()
  }
}

function differencesOf(marked: Shown, plain: Shown): string[] {
  const lines = (report: Report) => comparable(JSON.stringify(report, null, 1)).split('\n')
  type Compared = readonly [what: string, marked: readonly string[], plain: readonly string[]]
  const compared: Compared[] = [
    ['report', lines(marked.report), lines(plain.report)],
    ...[...plain.rows].map(([table, rows]): Compared => [table, marked.rows.get(table) ?? [], rows]),
  ]
  return compared.flatMap(([what, a, b]) => {
    const at = b.findIndex((line, place) => line !== a[place])
    if (at < 0 && a.length === b.length) return []
    const place = at < 0 ? b.length : at
    return [`${what}: with marks ${a[place] ?? 'nothing'}, without ${b[place] ?? 'nothing'}`]
  })
}
