import { expect, it } from 'vitest'
import { compileWindow, describeChangeWindow } from '../../src/policy/change-window.ts'

it('a change window repeats no credential of its ticket, which the history would keep', () => {
  const ticket = 'https://bot:not-a-real-key@tracker.example/7'
  const window = compileWindow({ name: 'nightly', cron: '0 22 * * *', duration: '2h', ticket })
  const [after, before] = [Date.parse('2026-11-21T22:10:00Z'), Date.parse('2026-11-21T22:20:00Z')]
  expect(window.timeWithin(after, before)?.ticket).toBe('https://sealed:masked@tracker.example/7')
  expect(describeChangeWindow(window)).toMatch(/\(https:\/\/sealed:masked@tracker\.example\/7\)$/)
})
