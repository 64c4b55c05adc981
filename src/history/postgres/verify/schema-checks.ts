import { type SchemaFault, schemaFaults } from '../../schema-faults.ts'
import type { PostgresSession } from '../connect.ts'
import { readSteps } from '../migrate.ts'
import { readSchemas } from './read-schemas.ts'

/** How the schema differs from the one that hookdrift makes. Within a transaction that may write. */
export async function findSchemaFaults(session: PostgresSession, schema: string): Promise<readonly SchemaFault[]> {
  const { expected, actual } = await readSchemas(session, schema)
  return schemaFaults(expected, actual)
}

export const schemaWords = {
  id: 'schema',
  invariant: 'tables, constraints, indexes and views are as hookdrift made them, and there is no trigger and no rule',
  means:
    'another program altered the database: a view may show invented rows, and a trigger would change what a run writes',
}

/** How the record of migrations differs from those of this program. */
export async function findMigrationFaults(session: PostgresSession): Promise<readonly string[]> {
  const rows = await session.all<{ version: number; name: string; sha256: string; applied_at: string }>(
    'SELECT version, name, sha256, applied_at FROM hookdrift.migration ORDER BY version',
  )
  const steps = readSteps()
  const faults = rows
    .filter(({ applied_at: time }) => !isTime(time))
    .map(({ version }) => `migration ${version} has an invalid time`)
  for (const { version, name, sha256 } of steps) {
    const row = rows.find((each) => each.version === version)
    if (row === undefined) faults.push(`migration ${version} is missing`)
    else if (row.name !== name || row.sha256 !== sha256) faults.push(`migration ${version} differs from ${name}`)
  }
  for (const { version } of rows) {
    if (!steps.some((step) => step.version === version)) faults.push(`migration ${version} is unknown`)
  }
  return faults
}

/** As hookdrift writes times. */
function isTime(text: string): boolean {
  const time = Date.parse(text)
  return !Number.isNaN(time) && new Date(time).toISOString() === text
}

export const migrationWords = {
  id: 'migration',
  invariant: 'the migrations that made the schema are those of this hookdrift',
  means: 'another program altered the record of migrations',
}
