import { describe, expect, it } from 'vitest'
import { recording } from '../demo/recordings.ts'
import { coverageLines, driftLines, openFleetFixture, violationLines } from './fleet-fixture.ts'
import { breakOff, endpointsOf, never, small } from './incomplete-walk-fixture.ts'

describe('an outage of the recorded service', () => {
  const outages = recording('outages').filter(({ response }) => response.status >= 400)

  it.each(outages)('in the middle of a walk hides no change: $name', async ({ request, response }) => {
    await using fixture = await openFleetFixture(small)
    const { headers, ...answer } = response
    const body = { how: 'status', status: answer.status, body: answer.body, headers } as const
    const { broken, after, editedOnPage1, onPage4, onPage5 } = await breakOff(fixture, body)
    expect(request.method).toBe('GET')
    expect(broken.verdict.exit_code).toBe(3)
    expect(endpointsOf(broken)).toMatchObject({ status: 'partial', pages: 2 })
    expect(endpointsOf(broken)?.reason).toMatch(/^page 3: .*the service says ".+" \(GET http:.+, request id .+\)$/)
    expect(driftLines(broken)).toEqual([expect.stringContaining(`modified endpoint ${editedOnPage1}`)])
    expect(violationLines(broken)).toContain(`unknown endpoint/inactive ${onPage4}`)
    expect(driftLines(after)).toContain(`removed endpoint ${onPage5}`)
    expect(driftLines(after)).toHaveLength(2)
  })

  it.each(outages)('within the retries leaves a complete walk: $name', async ({ response }) => {
    await using fixture = await openFleetFixture(small)
    const { status, body, headers } = response
    fixture.service.failNext({ how: 'status', status, body, headers, path: /\/endpoints/, page: 3, times: 2 })
    const report = await fixture.audit({ timeoutAfter: never })
    expect(report.verdict.exit_code).toBe(0)
    expect(endpointsOf(report)).toMatchObject({
      status: 'complete',
      reason: null,
      pages: 5,
      items: 10,
      requests: 7,
      retries: 2,
    })
  })

  it('of the database during a run is reported as such, and the next run is complete', async () => {
    await using fixture = await openFleetFixture({ ...small, fleet: { ...small.fleet, projects: 2, incomingEvery: 0 } })
    await fixture.audit()
    fixture.service.behaviour.outage = 'database-down'
    const during = await fixture.audit()
    fixture.service.behaviour.outage = null
    const after = await fixture.audit()
    expect(during.coverage.map(({ status }) => status)).toEqual(during.coverage.map(() => 'failed'))
    expect(during.coverage[0]?.reason).toMatch(/database is down/)
    expect({ drift: during.drift, exit: during.verdict.exit_code }).toEqual({ drift: [], exit: 3 })
    expect({ drift: after.drift, exit: after.verdict.exit_code }).toEqual({ drift: [], exit: 0 })
  })

  it('at the first page leaves a failed walk', async () => {
    await using fixture = await openFleetFixture(small)
    await fixture.audit()
    fixture.service.failNext({ how: 'status', status: 500, path: /\/endpoints/, times: Number.POSITIVE_INFINITY })
    const report = await fixture.audit()
    expect(coverageLines(report)).toEqual([
      'payments/project complete',
      'payments/endpoints failed',
      'payments/sources complete',
      'payments/subscriptions complete',
    ])
    expect(endpointsOf(report)?.reason).toMatch(/^page 1: /)
    expect({ drift: report.drift, exit: report.verdict.exit_code }).toEqual({ drift: [], exit: 3 })
  })
})
