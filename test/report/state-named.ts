import { violationStates } from '../../src/model/violation.ts'

/** The state that a word of a report means: a word that names none says how a violation ended. */
export function stateNamed(word: string): string {
  return violationStates.some((state) => state === word) ? word : 'resolved'
}
