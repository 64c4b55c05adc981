import { describe, expect, it } from 'vitest'
import { html } from '../../src/report/html.ts'
import { json } from '../../src/report/json.ts'
import { fileRenderOptions } from '../../src/report/report-files.ts'
import { aReport, aTrend } from './sample-reports.ts'

const shown = (trend = aTrend) => html(aReport(), { ...fileRenderOptions, trend })

describe('the trend of an HTML report', () => {
  it('is a line with its first and last value, and a text for those who do not see it', () => {
    const page = shown()
    expect(page).toContain('role="img" aria-label="Open violations over 14 days: 12 at first, 4 at last, 13 at most"')
    expect(page).toContain('Open, 14 days: 4 to 13')
    expect(page).toMatch(/<span>12<\/span><svg [^>]+><polyline points="0\.0,10\.9 .+ 1000\.0,50\.0"\/>.+<b>4<\/b>/)
    expect(page.match(/<path class="end"/g)).toHaveLength(2)
  })

  it('is flat where hardly anything changed: a hundredth does not look like a fall', () => {
    const days = aTrend.days.map((day, at) => ({ ...day, open: { ...day.open, high: 100 - (at % 2) } }))
    const heights = [...shown({ ...aTrend, days }).matchAll(/[\d.]+,([\d.]+)(?=[ "])/g)].map(([, y]) => Number(y))
    expect(Math.max(...heights) - Math.min(...heights)).toBeLessThan(28)
  })

  it('says what came and went, in what time, and that a run was incomplete', () => {
    const page = shown()
    for (const fact of [
      'in the last 7 days: opened 1, fixed 6, removed 1, ended otherwise 2',
      'mean time to fix: 4 d (2 h of critical, 5 d of high)',
      '1 of 7 runs incomplete',
    ]) {
      expect(page).toContain(`<li>${fact}</li>`)
    }
    const bySeverity = aTrend.bySeverity.map((one) => ({ ...one, fixed: 0, meanTimeToFixMs: null }))
    expect(shown({ ...aTrend, bySeverity })).toContain('<li>nothing was fixed in 14 days</li>')
  })

  it('is not drawn of a single day, and is in no other format', () => {
    expect(shown({ ...aTrend, days: aTrend.days.slice(-1) })).not.toContain('<polyline')
    expect(html(aReport(), fileRenderOptions)).not.toContain('<polyline')
    expect(json(aReport(), { ...fileRenderOptions, trend: aTrend })).toBe(json(aReport(), fileRenderOptions))
  })
})
