import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { Report } from '../../src/model/report.ts'
import { sarif } from '../../src/report/sarif.ts'
import { aReport, aViolation, options } from './sample-reports.ts'

interface Result {
  readonly properties: { readonly state: string }
}

const runOf = (report: Report) => JSON.parse(sarif(report, options)).runs[0]

describe('the limit of code scanning', () => {
  const many = (number: number, message: string) =>
    aReport({
      violations: Array.from({ length: number }, (_, at) =>
        aViolation({ uid: `${at}`, severity: at < 10 ? 'critical' : 'low', message: `${message}${at}` }),
      ),
    })

  it('is 25,000 results: the most severe are kept, the others counted', () => {
    const { results, invocations, properties } = runOf(many(25_003, 'm'))
    expect(results).toHaveLength(25_000)
    expect(results.slice(0, 10).every(({ level }: { level: string }) => level === 'error')).toBe(true)
    expect(invocations[0].toolExecutionNotifications[0]).toMatchObject({
      descriptor: { id: 'results-cut' },
      message: { text: expect.stringMatching(/^3 results of 25003 omitted, what is not open and the least severe: /) },
    })
    expect(properties).toMatchObject({ omitted: 3 })
    const report = many(25_003, 'm')
    const ended = report.violations.map((one, at) => (at < 3 ? { ...one, state: 'resolved' as const } : one))
    const kept = runOf({ ...report, violations: ended }).results
    expect(kept.filter(({ properties: { state } }: Result) => state === 'resolved')).toEqual([])
  })

  it('is 10 MB when compressed', () => {
    let seed = 1
    const noise = () => {
      seed = (seed * 48271) % 2147483647
      return String.fromCharCode(0x4e00 + (seed % 20_000))
    }
    const report = many(4000, '')
    const violations = report.violations.map((violation) => ({
      ...violation,
      message: Array.from({ length: 1500 }, noise).join(''),
    }))
    const text = sarif({ ...report, violations }, options)
    const packed = gzipSync(text).length
    expect(packed).toBeLessThan(10_000_000)
    expect(packed).toBeGreaterThan(7_000_000)
    const { results, properties } = JSON.parse(text).runs[0]
    expect(results.length + properties.omitted).toBe(4000)
  })
})
