import fc from 'fast-check'
import { expect, it } from 'vitest'
import { changeData, changeEndpoint, deleteEndpoint } from '../../src/demo/edits.ts'
import type { EndpointRow } from '../../src/demo/rows.ts'
import type { ReportViolation } from '../../src/model/report.ts'
import { hourMs } from '../../src/model/time.ts'
import { tries } from '../thoroughness.ts'
import { policyOf } from './audit-harness.ts'
import { type FleetFixture, openFleetFixture } from './fleet-fixture.ts'

const policy = policyOf(`
extends: []
rules:
  drift/authentication-lost: {}
  drift/rate-limit-lost: {}
  drift/url-host-changed: { open_for: never }
`)

/** What the three rules read of an endpoint. */
interface Settings {
  readonly host: string
  readonly hasAuthentication: boolean
  readonly isLimited: boolean
}

type Truth = ReadonlyMap<string, Settings>

/** Whether what the rule found at `before` is still so at `now`: decided here from the service's own rows. */
const isStillChanged: Readonly<Record<string, (before: Settings, now: Settings) => boolean>> = {
  'drift/authentication-lost': (before, now) => before.hasAuthentication && !now.hasAuthentication,
  'drift/rate-limit-lost': (before, now) => before.isLimited && !now.isLimited,
  'drift/url-host-changed': (before, now) => before.host !== now.host,
}

function truthOf(fixture: FleetFixture): Truth {
  return new Map(
    fixture.dataOf('payments').endpoints.map(({ uid, url, authentication, rate_limit, rate_limit_duration }) => [
      uid,
      {
        host: new URL(url).host,
        hasAuthentication: authentication !== null,
        isLimited: rate_limit > 0 && rate_limit_duration > 0,
      },
    ]),
  )
}

interface OneChange {
  readonly endpoint: number
  readonly how: 'host' | 'authentication' | 'limit' | 'delete' | 'restore all'
  readonly to: number
}

const change: fc.Arbitrary<OneChange> = fc.record({
  endpoint: fc.nat(2),
  how: fc.constantFrom('host', 'authentication', 'limit', 'delete', 'restore all'),
  to: fc.nat(2),
})
const step = fc.record({
  changes: fc.array(change, { maxLength: 3 }),
  /** The listing of endpoints breaks off. */
  isCut: fc.boolean(),
})

function apply(fixture: FleetFixture, { endpoint, how, to }: OneChange, first: readonly EndpointRow[]): void {
  const project = fixture.uidOf('payments')
  const row = first[endpoint]
  if (row === undefined || !fixture.dataOf('payments').endpoints.some(({ uid }) => uid === row.uid)) return
  const edit = (update: Partial<EndpointRow>) =>
    changeEndpoint(fixture.fleet, { project, uid: row.uid }, (now) => ({ ...now, ...update }))
  if (how === 'delete' && to === 0) deleteEndpoint(fixture.fleet, { project, uid: row.uid })
  if (how === 'host') edit({ url: `https://${['one', 'two', 'three'][to]}.example.com/in` })
  if (how === 'authentication') edit({ authentication: to === 0 ? row.authentication : null })
  if (how === 'limit') edit({ rate_limit: [0, 10, 50][to] ?? 0, rate_limit_duration: 60 })
  if (how === 'restore all') edit(row)
}

const keyOf = ({ rule, uid }: Pick<ReportViolation, 'rule' | 'uid'>) => `${rule} ${uid}`

/** More worlds: HOOKDRIFT_WORLDS=1000. */
const worlds = Number(process.env.HOOKDRIFT_WORLDS ?? tries(60, { locally: 15 }))

it('no violation of a drift rule ends as fixed while the value is the changed one, and none ends otherwise', async () => {
  let [fixed, stillOpen] = [0, 0]
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 7 }), async (steps) => {
      await using fixture = await openFleetFixture({
        fleet: { endpointsPerProject: 3 },
        harness: { limits: { retries: 0 } },
      })
      changeData(fixture.fleet, fixture.uidOf('payments'), (data) => ({ ...data, subscriptions: [] }))
      const first = fixture.dataOf('payments').endpoints
      await fixture.audit({ policy })
      let seen = truthOf(fixture)
      /** The settings before the change that opened each violation. */
      const origins = new Map<string, Settings>()
      for (const { changes, isCut } of steps) {
        for (const one of changes) apply(fixture, one, first)
        if (isCut) fixture.service.failNext({ path: /\/endpoints/, page: 1, how: 'reset' })
        fixture.harness.advance(hourMs)
        const { violations, coverage } = await fixture.audit({ policy })
        const now = truthOf(fixture)
        for (const violation of violations) {
          const key = keyOf(violation)
          const before = seen.get(violation.uid)
          if (violation.state === 'opened' && before !== undefined) origins.set(key, before)
          if (violation.state !== 'resolved') continue
          const [origin, current] = [origins.get(key), now.get(violation.uid)]
          origins.delete(key)
          if (current === undefined) expect(violation.resolution).toBe('removed')
          else {
            expect([violation.resolution, origin && isStillChanged[violation.rule]?.(origin, current)]).toEqual([
              'fixed',
              false,
            ])
            fixed += 1
          }
        }
        if (coverage.some(({ listing, status }) => listing === 'endpoints' && status !== 'complete')) continue
        const active = new Set(violations.filter(({ state }) => state !== 'resolved').map(keyOf))
        for (const [key, origin] of origins) {
          const [rule = '', uid = ''] = key.split(' ')
          const current = now.get(uid)
          if (current === undefined || !isStillChanged[rule]?.(origin, current)) continue
          expect(active).toContain(key)
          stillOpen += 1
        }
        seen = now
      }
    }),
    { numRuns: worlds },
  )
  expect(fixed).toBeGreaterThan(0)
  expect(stillOpen).toBeGreaterThan(0)
}, 900_000)
