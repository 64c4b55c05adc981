import { openDatabase } from '../src/history/sqlite/open-database.ts'

const projects = 10
const runs = 100

/** A new history of `rows` violations in ten projects and a hundred runs: one in ten is active. */
export function fillViolations(file: string, rows: number): void {
  const time = (run: number) => new Date(Date.UTC(2026, 0, 1) + run * 3_600_000).toISOString()
  const db = openDatabase(file, time(0))
  try {
    db.transaction(() => {
      const addRun = db.prepare(
        `INSERT INTO run (number, state, started_at, finished_at, exit_code, fail_on, tool_version, policy_digest,
           configuration_digest, seal_key_id, normal_form_version, version_floor, violation_floor)
         VALUES (?, 'committed', ?, ?, 0, 'high', '', '', '', '', 1, 0, 0)`,
      )
      const addProject = db.prepare("INSERT INTO project (id, service, uid) VALUES (?, 'bench', ?)")
      const addScan = db.prepare('INSERT INTO scan (run, project_id, name) VALUES (?, ?, ?)')
      for (let project = 1; project <= projects; project++) addProject.run(project, `p${project}`)
      for (let run = 1; run <= runs; run++) {
        addRun.run(run, time(run), time(run))
        for (let project = 1; project <= projects; project++) addScan.run(run, project, `bench/p${project}`)
      }
      const add = db.prepare(
        `INSERT INTO violation (fingerprint, project_id, kind, uid, rule, path, state, severity, name, message, from_run,
           to_run, first_run, last_run, resolution) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      const severities = ['critical', 'high', 'medium', 'low', 'info']
      for (let row = 0; row < rows; row++) {
        // A step without a common factor spreads what follows each other over all projects and uids.
        const place = (row * 7919) % 1_000_003
        const uid = `ep_${place.toString(36).padStart(12, '0')}`
        const isActive = row % 10 === 0
        const from = 1 + (place % (runs - 1))
        const to = isActive ? null : from + 1 + (place % (runs - from))
        const rule = `endpoint/rule-${place % 23}`
        add.run(
          ...[
            place.toString(16).padStart(32, '0'),
            1 + (place % projects),
            place % 3 === 0 ? 'subscription' : 'endpoint',
          ],
          ...[uid, rule, '/url', place % 31 === 0 ? 'unknown' : 'open', severities[place % 5] ?? 'info'],
          ...[`Orders ${place}`, `${uid} is reached without TLS, and its certificate is not checked`],
          ...[from, to, from, null, isActive ? null : 'fixed'],
        )
      }
    })()
  } finally {
    db.close()
  }
}
