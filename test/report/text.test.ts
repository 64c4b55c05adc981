import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ReportViolation } from '../../src/model/report.ts'
import { widthOf } from '../../src/model/text/columns.ts'
import { severities } from '../../src/model/violation.ts'
import { groupings } from '../../src/report/group-by.ts'
import { text } from '../../src/report/text.ts'
import { tries } from '../thoroughness.ts'
import { arbitraryReport } from './arbitrary-report.ts'
import { aChange, aProject, aReport, aViolation, aWalk, fleetReport, samples } from './sample-reports.ts'

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

  describe.each([60, 80, 120])('on a terminal of %i columns', (width) => {
    it.each([5, 40, 1300])(
      'has the verdict and what is new and worst whole on the first screen, among %i',
      (number) => {
        const known = Array.from({ length: number - 2 }, (_, at) =>
          aViolation({
            uid: `01M7Z${String(at).padStart(21, '0')}`,
            rule: `endpoint/rule-${at % 40}`,
            severity: severities[at % severities.length] ?? 'info',
            state: 'continuing',
          }),
        )
        const message =
          'has no authentication; the baseline had an API key in X-Api-Key, and receivers refuse what comes'
        const worst = aViolation({ rule: 'drift/authentication-lost', severity: 'critical', message })
        const less = aViolation({ uid: 'less', severity: 'low', state: 'opened' })
        const shown = text(aReport({ violations: [...known, less, worst] }), { ...plain, isScreen: true, width })
        const lines = shown.split('\n')
        expect(lines.filter((line) => widthOf(line) > width && !line.includes('hookdrift '))).toEqual([])
        const screen = lines.slice(0, 24).join(' ').replaceAll(/\s+/g, ' ')
        expect(screen).toContain(`${number} open violations`)
        expect(screen).toContain(message)
        for (const fact of [worst.name, worst.uid, `owner ${worst.owner}`, worst.fingerprint.slice(0, 8)]) {
          expect(screen).toContain(fact)
        }
        expect(screen.indexOf(message)).toBeLessThan(screen.indexOf('LOW') === -1 ? Infinity : screen.indexOf('LOW'))
        // However much was known, the report ends soon.
        expect(lines.length).toBeLessThan(70)
      },
    )
  })

  it('never wraps when the width is infinite', () => {
    const shown = text(samples.small, { ...plain, width: Number.POSITIVE_INFINITY })
    expect(shown).toContain('receivers can no longer rely on any of them\n')
  })

  it('begins with what was audited and the verdict, which mentions an incomplete walk', () => {
    for (const status of ['partial', 'failed', 'suspect'] as const) {
      const shown = text(aReport({ coverage: [aWalk(), aWalk({ status, reason: 'page 2 was cut' })] }), plain)
      expect(shown.slice(0, shown.indexOf('\nNothing was removed')).replaceAll('\n', ' ')).toBe(
        'acme: payments: run 17, 2026-11-21 03:04 UTC, took 12 s ' +
          '1 of 2 listings incomplete; no open violation in what was scanned; no drift in what was scanned. ' +
          'Exit code 3. INCOMPLETE SCAN: 1 of 2 listings is not complete.',
      )
    }
  })

  it('never claims that nothing is wrong or changed where coverage is incomplete', () => {
    const shown = text(aReport({ coverage: [aWalk({ status: 'partial', reason: 'the key was refused' })] }), plain)
    expect(shown).toContain('Nothing changed since the last complete scan, in what was scanned.')
    expect(shown).toContain('no open violation in what was scanned')
  })

  it('counts what an incomplete scan read without filter rows, whose subscriptions are counted already', () => {
    const filters = aWalk({ listing: 'filters', pages: 0, items: 2, of: 3 })
    const failed = aWalk({ listing: 'sources', status: 'failed', reason: 'connection refused', pages: 0, items: 0 })
    const coverage = [aWalk(), aWalk({ listing: 'subscriptions' }), filters, failed]
    expect(text(aReport({ coverage }), plain)).toContain('Complete: 3 listings, 6 resources in 2 pages.')
  })

  it('says in one line that nothing was scanned', () => {
    const coverage = [aWalk({ status: 'failed', reason: 'connection refused', pages: 0, items: 0 })]
    const shown = text(aReport({ coverage }), plain)
    expect(shown).toContain('1 of 1 listing incomplete; nothing was scanned. Exit code 3.')
    expect(shown).not.toMatch(/no drift|nothing changed|no open|\b0\b/i)
  })

  it('says that a first scan is the first, and calls nothing new there', () => {
    const shown = text(
      aReport({ projects: [{ ...aProject(), not_compared: ['endpoints'] }], violations: [aViolation()] }),
      plain,
    )
    expect(shown).toContain('First scan: 44 resources recorded. From now on changes are reported.')
    expect(shown).toContain('Open: 1 (1 high)')
    expect(shown).not.toMatch(/^New|Nothing changed/m)
  })

  it('names a project that is scanned for the first time among known ones', () => {
    const shop = { ...aProject(), project: 'acme/shop', not_compared: ['endpoints'] } as const
    const coverage = [aWalk(), aWalk({ project: 'acme/shop' })]
    const violations = [aViolation(), aViolation({ project: 'acme/shop', uid: 'S1', name: 'shop' })]
    const shown = text(aReport({ coverage, projects: [aProject(), shop], violations }), { ...plain, width: 120 })
    expect(shown).toContain('First scan of acme/shop: 44 resources recorded. From now on changes are reported.')
    expect(shown).toContain('New: 1 (1 high)')
    expect(shown).toContain('Also open: 1 (1 high)')
  })

  it('is at most 60 lines for 6,500 violations, however they are grouped', () => {
    for (const groupBy of groupings) {
      for (const [width, isFirst] of [
        [100, true],
        [80, false],
      ] as const) {
        const shown = text(fleetReport(isFirst), { ...plain, isScreen: true, width, groupBy })
        expect(shown.split('\n').length - 1).toBeLessThanOrEqual(60)
        expect(shown).toContain('6500 open violations')
      }
    }
  })

  it('has a row for each rule where a list would not fit, and the first steps of its remediation where it does', () => {
    const shown = text(fleetReport(false), { ...plain, isScreen: true, width: 100 })
    expect(shown).toMatch(/^severity {2}rule +violations {2}projects {2}oldest$/m)
    expect(shown).toMatch(/^… and \d+ more rules; hookdrift violations --open --severity high shows all$/m)
    const remediation = `Ask the sender\nfirst.\n\n1. Switch it on.\n2. Send what was\n   refused.\n3. ${'Wait. '.repeat(60)}\n`
    const fleet = fleetReport(true)
    const rules = fleet.rules.map((rule) => ({ ...rule, remediation }))
    const one = { ...fleet, rules, violations: fleet.violations.slice(0, 1) }
    const inLine = '  Fix: Ask the sender first. 1. Switch it on. 2. Send what was refused. '
    expect(text(one, { ...plain, width: 200 })).toContain(`${inLine}…\n`)
    expect(text(one, { ...plain, width: 200, full: true })).toContain(`${inLine}3. Wait. Wait.`)
  })

  it.each([
    [true, 30],
    [false, 600],
  ])(
    'lists each new violation that is high or critical before all others (on a screen: %s): %i',
    (isScreen, length) => {
      const urgent = Array.from({ length }, (_, at) => aViolation({ uid: `U${at}`, name: `urgent ${at}` }))
      const others = Array.from({ length: 1300 }, (_, at) =>
        aViolation({ uid: `O${at}`, severity: 'low', state: at % 2 === 0 ? 'opened' : 'continuing' }),
      )
      const shown = text(aReport({ violations: [...others, ...urgent] }), { ...plain, isScreen })
      for (const { name, fingerprint } of urgent) {
        expect(shown).toContain(`"${name}"`)
        expect(shown).toContain(fingerprint.slice(0, 8))
      }
      expect(shown.indexOf(`urgent ${length - 1}`)).toBeLessThan(shown.indexOf('severity  rule'))
    },
  )

  it.each(groupings)('has each violation that fits with its resource, grouped by %s', (groupBy) => {
    const shown = text(samples.small, { ...plain, width: 220, groupBy }).split('\n')
    for (const { name, state, message } of samples.small.violations) {
      if (state === 'resolved' || state === 'waived') continue
      const lines = shown.flatMap((line, at) => (line.endsWith(message) ? [at] : []))
      expect(lines).toHaveLength(1)
      expect(shown[(lines[0] ?? 0) + 1]).toContain(`"${name}"`)
    }
    if (groupBy !== 'rule')
      expect(shown.join('\n')).toMatch(/^(Project acme\/payments|Owner tenant-01|Resource acme\/)/m)
  })

  it('ends with commands that can be copied, and none where no command reads the history', () => {
    const shown = text(samples.small, { ...plain, width: 120, locating: { history: 'other.db' } })
    const commands = shown.slice(shown.indexOf('What next')).match(/hookdrift .+?(?= {2}|$)/gm)
    expect(commands).toEqual([
      'hookdrift rules drift/verification-weakened',
      'hookdrift timeline 01M7XWB1K3M5Q7S9V2X4Z6B8D0 --history other.db',
      'hookdrift restore 01M7XWB1K3M5Q7S9V2X4Z6B8D0 --history other.db',
      'hookdrift accept 2384d8c2 --reason TEXT --history other.db',
      'hookdrift violations --open --severity high --history other.db',
    ])
    expect(text(samples.small, { ...plain, locating: null })).not.toContain('hookdrift')
    expect(text(samples.clean, plain)).not.toContain('What next')
  })

  it('offers the fix of a violation, and the repair where the resource drifted too', () => {
    const suggested = (...rules: readonly string[]) => {
      const violations = rules.map((rule) => aViolation({ rule, uid: 'E1' }))
      return text(aReport({ violations }), { ...plain, width: 120 }).match(/hookdrift restore .*$/m)?.[0]
    }
    expect(suggested('endpoint/timeout-high')).toMatch(
      /^hookdrift restore E1 +prints the fix of endpoint\/timeout-high$/,
    )
    expect(suggested('endpoint/timeout-high', 'drift/rate-limit-lost')).toMatch(
      /E1 +prints the requests that put it back$/,
    )
    expect(suggested('endpoint/orphan')).toBeUndefined()
    // Most releases have no request that activates it.
    expect(suggested('endpoint/inactive')).toBeUndefined()
  })

  it('is about the worst new violation, and names what else it speaks of', () => {
    const next = (violations: readonly ReportViolation[]) => {
      const drift = [aChange({ change: 'modified', uid: 'CHANGED', name: 'changed' })]
      const shown = text(aReport({ violations, drift }), { ...plain, width: 140 })
      return shown.match(/hookdrift (?:timeline|restore|accept) .*$/gm)?.map((line) => line.replace(/ {2,}/, '  '))
    }
    const worst = aViolation({ uid: 'WORST', name: 'worst', severity: 'critical', rule: 'endpoint/orphan' })
    const another = aViolation({ uid: 'OTHER', name: 'other', severity: 'low', rule: 'endpoint/timeout-high' })
    const older = aViolation({ uid: 'OLDER', severity: 'critical', state: 'continuing', rule: 'endpoint/timeout-high' })
    const timeline = 'hookdrift timeline WORST  the history of "worst"'
    expect(next([older, another, worst])).toEqual([timeline, 'hookdrift restore OTHER  prints a fix for "other"'])
    const ofWorst = aViolation({ uid: 'WORST', name: 'worst', severity: 'info', rule: 'endpoint/timeout-high' })
    expect(next([another, worst, ofWorst])).toEqual([
      timeline,
      'hookdrift restore WORST  prints the fix of endpoint/timeout-high',
    ])
    expect(next([])).toEqual(['hookdrift timeline CHANGED  the history of "changed"'])
  })

  it('offers no command with a uid or an owner that a shell would read as more', () => {
    const violations = Array.from({ length: 12 }, (_, at) => aViolation({ uid: `$(reboot) ${at}`, owner: '; reboot' }))
    for (const groupBy of groupings) {
      const shown = text(aReport({ violations }), { ...plain, groupBy, width: 200 })
      expect(shown.split('\n').filter((line) => /hookdrift .*reboot/.test(line))).toEqual([])
    }
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
    expect(shown).toContain('/value "sealed:3fa1c2d49b00…" → "sealed:3fa1c2d49c00…"')
  })

  it('shows a masked seal as it is', () => {
    expect(lineOf('sealed:masked', 'x')).toContain('"sealed:masked" → "x"')
  })

  it('keeps the difference of long values visible', () => {
    const shown = lineOf(`${'a'.repeat(300)}X${'b'.repeat(300)}`, `${'a'.repeat(300)}Y${'b'.repeat(300)}`)
    expect(shown).toMatch(/…"a+Xb+"… \(601 characters\) →\s+…"a+Yb+"…\s+\(601 characters\)/)
  })

  it('distinguishes an empty value from the word', () => {
    const shown = text(aReport({ drift: [aChange({ fields: [{ path: '/v', before: null, after: 'none' }] })] }), plain)
    expect(shown).toContain('/v none → "none"')
  })
})

describe('hostile text', () => {
  const forbidden = /[^\P{Cc}\n]|[\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u

  it('has no effect on the terminal, the direction of the line or what is visible', () => {
    const name = 'a\x1b[2J\u202e\u200b\n\u009b\ud800\u{e0041}"'
    const shown = text(aReport({ violations: [aViolation({ name })] }), { ...plain, width: 100 })
    expect(shown).toContain(String.raw`"a\x1b[2J\u202e\u200b\n\x9b\ud800\u{e0041}\""`)
  })

  it('never leaves a control or bidi character in the report', () => {
    fc.assert(
      fc.property(arbitraryReport, fc.boolean(), fc.constantFrom(40, 80, 120), (report, full, width) => {
        const shown = text(report, { colour: false, full, width })
        expect(forbidden.exec(shown)).toBeNull()
      }),
      { numRuns: tries(100, { locally: 30 }) },
    )
  })

  it('cannot begin a line at the margin', () => {
    const fake = `x\nExit code 0.\rExit code 0.\u2028Exit code 0.`
    const shown = text(aReport({ violations: [aViolation({ name: fake, message: fake, path: `/${fake}` })] }), plain)
    expect(shown.split('\n').filter((line) => line.startsWith('Exit'))).toEqual([])
  })
})
