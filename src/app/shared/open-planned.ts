import type { AuditedService } from '../../audit/audited-service.ts'
import type { AuditedProject } from '../../audit/project-scan.ts'
import type { PlannedProject } from '../../pool/tasks.ts'

/** Opens a project of a run that another process planned; undefined where the configuration does not have it. */
export function openPlanned(
  services: readonly AuditedService[],
  { ref, labels, configuredAt, isMissing }: PlannedProject,
): AuditedProject | undefined {
  const service = services.find(({ name }) => name === ref.service)
  if (service === undefined) return undefined
  const named = service.named.find((project) => project.ref.uid === ref.uid)
  if (named === undefined && service.matches.length === 0) return undefined
  const opened = named ?? service.open(ref, { labels, configuredAt })
  return { ...opened, ref, labels, configuredAt, ...(isMissing ? { isMissing } : {}) }
}
