import type { PostgresSession } from '../history/postgres/connect.ts'
import type { Clock } from '../model/time.ts'
import { createRateGate, type RateGate } from '../service/rate-gate.ts'

/** How old what is known of other workers may be. */
const refreshMs = 1_000

export interface SharedGates {
  gateOf(service: string): RateGate
  /** Learns which services limit other workers, at most once a second. Never throws. */
  refresh(): Promise<void>
  /** Milliseconds for which each service is held, 0 excluded. */
  held(): ReadonlyMap<string, number>
}

/** Gates that close for all workers when one of them is answered 429: a service has one limit for all of them. */
export function openSharedGates(session: PostgresSession, clock: Clock): SharedGates {
  const gates = new Map<string, RateGate>()
  let refreshedAt = Number.NEGATIVE_INFINITY
  const localGate = (service: string) => {
    const gate = gates.get(service) ?? createRateGate(clock)
    gates.set(service, gate)
    return gate
  }
  return {
    gateOf(service) {
      const gate = localGate(service)
      return {
        waitMs: gate.waitMs,
        holdFor(ms) {
          gate.holdFor(ms)
          // Where the server does not take it, the other workers meet the limit by themselves.
          session
            .run(
              `INSERT INTO hookdrift.service_gate AS g (service, opens_at)
               VALUES ($1, clock_timestamp() + make_interval(secs => $2::float8 / 1000))
               ON CONFLICT (service) DO UPDATE SET opens_at = greatest(g.opens_at, excluded.opens_at)`,
              [service, ms],
            )
            .catch(() => {})
        },
      }
    },
    async refresh() {
      if (clock.now() - refreshedAt < refreshMs) return
      refreshedAt = clock.now()
      const held = await session
        .all<{ service: string; ms: number }>(
          `SELECT service, (extract(epoch FROM opens_at - clock_timestamp()) * 1000)::float8 AS ms
           FROM hookdrift.service_gate WHERE opens_at > clock_timestamp()`,
        )
        .catch(() => [])
      for (const { service, ms } of held) localGate(service).holdFor(ms)
    },
    held() {
      const waits = [...gates].map(([service, gate]) => [service, gate.waitMs()] as const)
      return new Map(waits.filter(([, ms]) => ms > 0))
    },
  }
}
