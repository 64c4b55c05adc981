import { expect, it } from 'vitest'
import type { RecordedScan } from '../../src/history/sql/scans.ts'
import { findProject } from '../../src/questions/compare.ts'

const run = { number: 1, startedAt: '2026-03-01T00:00:00Z', finishedAt: '2026-03-01T00:00:01Z' }
const scans = ['acme/orders', 'acme/payments', 'globex/payouts'].map(
  (name): RecordedScan => ({
    project: { name, service: name.split('/')[0] ?? '', uid: `01${name.slice(-3)}` },
    run,
    coverage: [],
    incompleteSince: undefined,
  }),
)

it.each([
  ['acme/orders', 'acme/orders'],
  ['orders', 'acme/orders'],
  ['ord', 'acme/orders'],
  ['acme/p', 'acme/payments'],
  ['paym', 'acme/payments'],
  ['01nts', 'acme/payments'],
  ['01u', 'globex/payouts'],
])('%s means the project %s', (text, name) => {
  expect(findProject(scans, text).project.name).toBe(name)
})

it.each([
  ['pay', '"pay" means several projects: acme/payments, globex/payouts'],
  ['01', '"01" means several projects: acme/orders, acme/payments, globex/payouts'],
  ['ordres', 'no run scanned a project "ordres", did you mean orders?'],
])('%s means no single project', (text, message) => {
  expect(() => findProject(scans, text)).toThrow(message)
})
