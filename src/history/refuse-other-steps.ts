import { AuditError } from '../model/errors.ts'

/** A step to a schema, as a history recorded it or as this program knows it. */
interface Step {
  readonly version: number
  readonly sha256: string
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
