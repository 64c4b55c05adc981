import { writeReason } from '../model/failure-reason.ts'
import type { FaultKind, ServiceFault } from '../service/service-fault.ts'
import type { AuditedProject } from './project-scan.ts'

/** Where the key decides, the reason says where it is configured. */
const dueToKey: readonly FaultKind[] = ['refused_key', 'forbidden', 'not_found', 'foreign']

/** The reason of a walk that a fault ended. */
export function describeFault({ kind, facts }: ServiceFault, { keyOrigin }: Pick<AuditedProject, 'keyOrigin'>): string {
  return writeReason({ ...facts, key: dueToKey.includes(kind) ? (keyOrigin ?? null) : null })
}
