import { expect, it } from 'vitest'
import { readBudget } from '../scripts/count/budget.ts'
import { countTokens } from '../scripts/count/count-tokens.ts'

it('no folder has more tokens than its budget: `npm run count` shows both', () => {
  const budget = readBudget()
  const counts = countTokens('.')
  const above = [...counts].filter(([folder, number]) => number > (budget[folder] ?? 0))
  const advice = 'delete as much, or raise it in a commit of its own: npm run count -- --raise'
  expect(
    above.map(([folder, number]) => `${folder}: ${number - (budget[folder] ?? 0)} tokens over its budget; ${advice}`),
  ).toEqual([])
  expect(Object.keys(budget).filter((folder) => !counts.has(folder))).toEqual([])
}, 120_000)
