import { type ViolationState, violationStates } from '../../model/violation.ts'

const active = ['opened', 'continuing', 'unknown', 'waived'] as const satisfies readonly ViolationState[]

/** What a reader may ask for by `state`: with what each means. */
export const askedStates = {
  open: ['opened', 'continuing'],
  active,
  opened: ['opened'],
  continuing: ['continuing'],
  unknown: ['unknown'],
  waived: ['waived'],
  resolved: ['resolved'],
  all: violationStates,
} as const satisfies Readonly<Record<string, readonly ViolationState[]>>
export type AskedState = keyof typeof askedStates
