import { openDatabase } from '../src/history/sqlite/open-database.ts'

/** Adds `resources` endpoints of a thousand owners to the ten projects of a filled history, each about a kilobyte. */
export function fillResources(file: string, resources: number): void {
  const db = openDatabase(file, new Date(0).toISOString())
  try {
    db.transaction(() => {
      const add = db.prepare(
        `INSERT INTO version (project_id, kind, uid, from_run, to_run, replaces, normal_form_version, name, digest, body,
           facts, owner_id) VALUES (?, 'endpoint', ?, 1, NULL, NULL, 1, ?, '', ?, '', ?)`,
      )
      for (let row = 0; row < resources; row++) {
        const uid = `ep_${row.toString(36).padStart(12, '0')}`
        const owner = `tenant-${row % 1000}`
        const body = JSON.stringify({ description: 'x'.repeat(900), owner_id: owner })
        add.run(1 + (row % 10), uid, `Orders ${row}`, body, owner)
      }
    })()
  } finally {
    db.close()
  }
}
