import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const budgetFile = join(import.meta.dirname, 'budget.json')

/** How many tokens each folder may have. */
export function readBudget(): Readonly<Record<string, number>> {
  return JSON.parse(readFileSync(budgetFile, 'utf8'))
}
