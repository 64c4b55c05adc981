import { describe, expect, it } from 'vitest'
import { at, driftLines, violationLines } from './fleet-fixture.ts'
import { bad, good, held, type Intake, intake, orders, posts, probing } from './probes-fixture.ts'

describe('a probe that cannot run', () => {
  const couldNot: readonly [string, (fixture: Intake) => unknown, RegExp][] = [
    [
      'no licence',
      ({ service }) => Object.assign(service.behaviour, { hasLicence: false }),
      /does not have access to transformations/,
    ],
    [
      'an outage',
      ({ service }) => service.failNext({ how: 'status', status: 502, path: /test_function/, times: 9 }),
      /502/,
    ],
    ['a reset', ({ service }) => service.failNext({ how: 'reset', path: /test_function/, times: 9 }), /did not run/],
    ['no such operation', ({ service }) => Object.assign(service.behaviour.offers, { testFunction: false }), /404/],
    [
      'a source that was not seen',
      ({ service }) => service.failNext({ how: 'status', status: 502, path: /sources\?/, times: 9 }),
      /not shown|not seen|does not show/,
    ],
  ]

  it.each(couldNot)('is unknown, carried over and noted, without an exit code: %s', async (_title, trouble, reason) => {
    await using fixture = await intake(bad)
    const policy = orders()
    await fixture.audit({ policy })
    const before = held(fixture)
    trouble(fixture)
    const report = await fixture.audit({ policy })
    expect(violationLines(report)).toEqual([
      'unknown probe/failed orders',
      `unknown source/function-broken ${fixture.first}`,
    ])
    expect(report.notices.map(({ text }) => text)).toEqual([expect.stringMatching(/^the probe orders did not run: /)])
    expect(at(report.notices, 0).text).toMatch(reason)
    expect(driftLines(report)).toEqual([])
    expect(held(fixture)).toEqual(before)
    const isSeen = report.coverage.every(({ status }) => status === 'complete')
    expect(report.verdict.exit_code).toBe(isSeen ? 0 : 3)
  })

  it('does not fail by its function where a later release refuses the project', async () => {
    await using fixture = await intake(bad, { release: 'later' })
    const policy = orders()
    const lines = async () => {
      const { violations, notices } = await fixture.audit({ policy })
      return [violations.map(({ state, rule }) => `${state} ${rule}`), notices.map(({ text }) => text)]
    }
    fixture.service.behaviour.disabledProjects.add(fixture.project)
    const disabled = expect.stringMatching(/^the probe orders did not run: .*disabled for write operations/)
    expect(await lines()).toEqual([[], [disabled]])
    fixture.service.behaviour.disabledProjects.clear()
    const opened = ['opened probe/failed', 'opened source/function-broken']
    expect(await lines()).toEqual([opened, []])
    fixture.service.failNext({
      how: 'status',
      status: 400,
      path: /test_function/,
      body: { status: false, message: 'failed to retrieve project' },
    })
    const unknown = ['unknown probe/failed', 'unknown source/function-broken']
    expect(await lines()).toEqual([unknown, [expect.stringContaining('failed to retrieve project')]])
  })

  it('discards both runs when the second one breaks off', async () => {
    await using fixture = await intake(good)
    fixture.service.failNext({ how: 'reset', path: /test_function/, skip: 1 })
    const report = await fixture.audit({ policy: orders() })
    expect([held(fixture), posts(fixture), report.notices.length]).toEqual([[], 2, 1])
  })

  it('times out after 15 seconds, even if a page may take longer', async () => {
    await using fixture = await intake(good)
    const limits: number[] = []
    const timeoutAfter = (ms: number) => {
      limits.push(ms)
      return ms === 15_000 ? AbortSignal.abort() : new AbortController().signal
    }
    const report = await fixture.audit({ policy: orders(), timeoutAfter })
    expect(new Set(limits)).toEqual(new Set([30_000, 15_000]))
    expect(at(report.notices, 0).text).toMatch(/no whole answer within 15000 ms/)
    expect(report.verdict.exit_code).toBe(0)
  })

  it('stops all others after three failures in a row, without a request for each', async () => {
    await using fixture = await intake(good)
    const probes = ['a', 'b', 'c', 'd', 'e'].map(
      (name) => `{ name: ${name}, match: { uid: ${fixture.first} }, function: body, payload: p.json }`,
    )
    fixture.service.behaviour.hasLicence = false
    const report = await fixture.audit({ policy: probing(probes.join(', ')) })
    expect(posts(fixture)).toBe(3)
    expect(report.notices.map(({ text }) => text)).toEqual([
      expect.stringMatching(/^the probes a, b, c did not run: .* access to transformations/),
      'the probes d, e did not run: those before could not run, so it was not tried',
    ])
  })

  it('returns when it can run again', async () => {
    await using fixture = await intake(bad)
    await fixture.audit({ policy: orders() })
    fixture.service.behaviour.hasLicence = false
    await fixture.audit({ policy: orders() })
    fixture.service.behaviour.hasLicence = true
    const report = await fixture.audit({ policy: orders() })
    expect(report.violations.map(({ state, rule }) => `${state} ${rule}`)).toEqual([
      'continuing probe/failed',
      'continuing source/function-broken',
    ])
  })
})
