import { describe, expect, it } from 'vitest'
import { missedTick } from '../../src/worker/next-audit-due.ts'

const hourly = { name: 'hourly', cron: '0 * * * *', timezone: 'UTC', projects: [], slackMs: 600_000 }
const at = (time: string) => Date.parse(`2026-11-20T${time}:00Z`)

describe('a run that was due', () => {
  it('is missed from its tick on', () => {
    expect(missedTick(hourly, at('03:05'), at('03:59'))).toBeUndefined()
    expect(missedTick(hourly, at('03:05'), at('04:00'))).toEqual({ due: at('04:00'), until: at('04:10') })
  })

  it('is the first one since the scan, however many were due since then', () => {
    expect(missedTick(hourly, at('03:05'), at('09:30'))?.due).toBe(at('04:00'))
  })

  it('is not one whose tick came while the scan went on', () => {
    expect(missedTick(hourly, at('04:20'), at('04:30'))).toBeUndefined()
  })
})
