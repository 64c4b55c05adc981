import { hash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AuditError } from '../model/errors.ts'

/** A step to a schema, as this program knows it. */
export interface SchemaStep extends Step {
  readonly name: string
  readonly sql: string
}

/** A step as a history recorded it. PostgreSQL has the number of the SQLite schema that has the same tables. */
interface Step {
  readonly version: number
  readonly sha256: string
}

/** The steps in a directory, from an empty database to the newest schema, in order. */
export function stepsIn(directory: string): SchemaStep[] {
  const names = readdirSync(directory).filter((name) => name.endsWith('.sql'))
  return names.sort().map((name) => {
    const sql = readFileSync(join(directory, name), 'utf8')
    return { version: Number(name.slice(0, 4)), name, sql, sha256: hash('sha256', sql) }
  })
}

/**
 * Refuses a history that was made with other steps than this program's. The first step changes until the first release,
 * and no step leads from one text of it to another.
 * @param applied what the history recorded, oldest first
 * @throws AuditError.failure
 */
export function refuseOtherSteps(displayName: string, applied: readonly Step[], steps: readonly Step[]): void {
  const [first] = steps
  if (first !== undefined && !applied.some(({ version, sha256 }) => version === 1 && sha256 === first.sha256)) {
    throw AuditError.failure(`the history ${displayName} was made by a checkout from before the first release`, {
      advice: 'read it with that checkout; audits need a new history: move this one away, or name another',
    })
  }
  for (const { version, sha256 } of applied) {
    const step = steps.find((one) => one.version === version)
    if (step === undefined || step.sha256 === sha256) continue
    throw AuditError.failure(`the history ${displayName} was made with another text of migration ${version}`, {
      advice: 'use the hookdrift that made the history: a released migration never changes',
    })
  }
}
