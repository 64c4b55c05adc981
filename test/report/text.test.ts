import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { text } from '../../src/report/text.ts'
import { widthOf } from '../../src/text/columns.ts'
import { arbitraryReport } from './arbitrary-report.ts'
import { aChange, aReport, aViolation, aWalk, samples } from './sample-reports.ts'

const plain = { colour: false, width: 80, full: false }

describe('the text report', () => {
  it.each([
    ['small', 80],
    ['small', 120],
    ['clean', 80],
    ['incomplete', 80],
    ['large', 80],
  ] as const)('matches its reviewed snapshot: %s at %i columns', async (sample, width) => {
    const shown = text(samples[sample], { ...plain, width })
    await expect(shown).toMatchFileSnapshot(`../golden/report-${sample}-${width}.txt`)
  })

  it('is the same without its colours', () => {
    for (const sample of Object.values(samples)) {
      const coloured = text(sample, { ...plain, colour: true })
      expect(coloured).not.toBe(text(sample, plain))
      expect(coloured.replace(/\x1b\[\d+m/g, '')).toBe(text(sample, plain))
    }
  })

  it.each([80, 120])('is at most %i columns wide', (width) => {
    for (const sample of Object.values(samples)) {
      const lines = text(sample, { ...plain, width }).split('\n')
      expect(lines.filter((line) => widthOf(line) > width || line !== line.trimEnd())).toEqual([])
    }
  })

  it('never wraps when the width is infinite', () => {
    const shown = text(samples.small, { ...plain, width: Number.POSITIVE_INFINITY })
    expect(shown).toContain('receivers can no longer rely on any of them\n')
  })

  it('mentions an incomplete walk in the first line', () => {
    for (const status of ['partial', 'failed', 'suspect'] as const) {
      const shown = text(aReport({ coverage: [aWalk(), aWalk({ status, reason: 'page 2 was cut' })] }), plain)
      expect(shown.split('\n')[0]).toBe('INCOMPLETE SCAN: 1 of 2 walks is not complete.')
    }
  })

  it('never claims that nothing is wrong or changed where coverage is incomplete', () => {
    const shown = text(aReport({ coverage: [aWalk({ status: 'failed', reason: 'the key was refused' })] }), plain)
    expect(shown).toContain('Nothing changed since the last complete scan, in what was seen.')
    expect(shown).toContain('No open violation in what was seen.')
  })

  it('omits nothing on request', () => {
    const shown = text(samples.large, { ...plain, full: true })
    expect(shown).not.toContain('more;')
    for (const { uid } of samples.large.violations) expect(shown).toContain(uid)
  })
})

describe('a changed field', () => {
  const lineOf = (before: string, after: string) =>
    text(aReport({ drift: [aChange({ fields: [{ path: '/value', before, after }] })] }), plain)

  it('shows as much of two seals as distinguishes them', () => {
    const shown = lineOf(`sealed:3fa1c2d49b${'0'.repeat(22)}`, `sealed:3fa1c2d49c${'0'.repeat(22)}`)
    expect(shown).toContain('/value  "sealed:3fa1c2d49b00…" → "sealed:3fa1c2d49c00…"')
  })

  it('shows a masked seal as it is', () => {
    expect(lineOf('sealed:masked', 'x')).toContain('"sealed:masked" → "x"')
  })

  it('keeps the difference of long values visible', () => {
    const shown = lineOf(`${'a'.repeat(300)}X${'b'.repeat(300)}`, `${'a'.repeat(300)}Y${'b'.repeat(300)}`)
    expect(shown).toMatch(/ {8}…"a+Xb+"… \(601 characters\)\n {6}→ …"a+Yb+"… \(601 characters\)/)
  })

  it('distinguishes an empty value from the word', () => {
    const shown = text(aReport({ drift: [aChange({ fields: [{ path: '/v', before: null, after: 'none' }] })] }), plain)
    expect(shown).toContain('/v  none → "none"')
  })
})

describe('hostile text', () => {
  const forbidden = /[^\P{Cc}\n]|[\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u

  it('has no effect on the terminal, the direction of the line or what is visible', () => {
    const name = 'a\x1b[2J\u202e\u200b\n\u009b\ud800\u{e0041}"'
    const shown = text(aReport({ violations: [aViolation({ name })] }), plain)
    expect(shown).toContain(String.raw`"a\x1b[2J\u202e\u200b\n\x9b\ud800\u{e0041}\""`)
  })

  it('never leaves a control or bidi character in the report', () => {
    fc.assert(
      fc.property(arbitraryReport, fc.boolean(), fc.constantFrom(40, 80, 120), (report, full, width) => {
        const shown = text(report, { colour: false, full, width })
        expect(forbidden.exec(shown)).toBeNull()
      }),
    )
  })

  it('cannot begin a line at the margin', () => {
    const fake = `x\nExit code 0.\rExit code 0.\u2028Exit code 0.`
    const shown = text(aReport({ violations: [aViolation({ name: fake, message: fake, path: `/${fake}` })] }), plain)
    expect(shown.split('\n').filter((line) => line.startsWith('Exit'))).toEqual([])
  })
})
