import type { FaultKind, ServiceFault } from '../gateway/service/service-fault.ts'
import { writeReason } from '../model/coverage.ts'
import type { AuditedProject } from './audited-project.ts'

/** Where the key decides, the reason says where it is configured. */
const dueToKey: readonly FaultKind[] = ['refused_key', 'forbidden', 'not_found', 'foreign']

/** Where another service than the meant one may have answered, or none, the reason says where the URL is configured. */
const dueToUrl: readonly FaultKind[] = [
  'network',
  'unknown_host',
  'tls',
  'wrong_url',
  'timeout',
  'http',
  'in_front',
  'malformed',
  'not_offered',
]

/** The reason of a walk that a fault ended. */
export function describeFault(
  { kind, facts }: ServiceFault,
  { keyOrigin, urlOrigin }: Pick<AuditedProject, 'keyOrigin' | 'urlOrigin'>,
): string {
  return writeReason({
    ...facts,
    key: dueToKey.includes(kind) ? (keyOrigin ?? null) : null,
    urlOrigin: dueToUrl.includes(kind) ? (urlOrigin ?? null) : null,
  })
}
