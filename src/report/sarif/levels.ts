import type { Severity } from '../../model/violation.ts'

export const levels = {
  critical: 'error',
  high: 'error',
  medium: 'warning',
  low: 'note',
  info: 'note',
} as const satisfies Record<Severity, string>

/** CVSS scores in the middle of its ranges, which code scanning reads as critical, high, medium, low; 0.0 is none. */
export const scores = {
  critical: '9.5',
  high: '8.0',
  medium: '5.5',
  low: '2.0',
  info: '0.0',
} as const satisfies Record<Severity, string>
