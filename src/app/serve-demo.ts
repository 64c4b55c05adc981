import { type ListenAddress, listenAddress } from '../config/serve-schema.ts'
import { afternoonOf } from '../demo/colleague.ts'
import type { SimulatedFleet } from '../demo/fleet.ts'
import { type SimulatedService, startSimulatedService } from '../demo/simulated-service.ts'
import { AuditError, reasonOf } from '../model/errors.ts'
import type { Clock } from '../model/time.ts'

/**
 * Reads the address of `--serve`: as with `worker.listen`, a port alone listens on the loopback address only.
 * @throws AuditError.usage when it is not an address
 */
export function demoAddress(text: string): ListenAddress {
  const address = listenAddress(text)
  if (address !== undefined) return address
  throw AuditError.usage(`--serve ${text}: expected a port, or an address and a port`, {
    advice: 'such as 8080, 0.0.0.0:8080 or [::1]:8080',
  })
}

/**
 * Serves a fleet until the signal aborts, while a simulated colleague makes one edit a minute until all are made.
 * @throws AuditError.failure when it cannot listen on the address
 */
export async function serveDemo(options: DemoServiceOptions, signal: AbortSignal): Promise<void> {
  const { address, fleet, changes, clock, ready, print } = options
  const afternoon = changes ? afternoonOf(fleet) : []
  await using service = await start(fleet, address)
  print(`The simulated service listens on ${service.url}. Its key is made up, like all of its data:`)
  print(`  export DEMO_KEY=${fleet.personalKey}`)
  print('To set hookdrift up for it, as for a gateway of your own:')
  print(
    `  hookdrift init --url ${reachable(service.url)} --key-from-env DEMO_KEY --organisation ${fleet.organisationId} --projects all`,
  )
  ready(demoConfiguration(reachable(service.url), fleet))
  try {
    for (const edit of afternoon) {
      await clock.sleep(paceMs, signal)
      edit.apply()
      print(`A colleague ${edit.description} (${edit.project}).`)
    }
    if (changes) print('All edits are made: nothing changes from here on.')
    while (!signal.aborted) await clock.sleep(paceMs, signal)
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

/** The simulated fleet uses example.com, which a recommended rule would report for every endpoint. */
export const demoPolicy = 'extends: [recommended]\nrules: { endpoint/url-test-host: off }\n'

/** Writes `hookdrift.yaml` for all projects of a simulated service at a URL; the key comes from `DEMO_KEY`. */
export function demoConfiguration(url: string, fleet: SimulatedFleet): string {
  const projects = fleet.projects().map(({ uid, name }) => `      - { id: ${uid}, name: ${name} }`)
  return `policy: ./policy.yaml
services:
  - name: demo
    url: ${url}
    key: \${DEMO_KEY}
    projects:
${projects.join('\n')}
`
}

interface DemoServiceOptions {
  readonly address: ListenAddress
  readonly fleet: SimulatedFleet
  /** Whether the simulated colleague makes edits. */
  readonly changes: boolean
  readonly clock: Clock
  /** Called once, when the service answers, with the configuration for it. */
  readonly ready: (configuration: string) => void
  /** Called with one line for each thing that happens. */
  readonly print: (text: string) => void
}

/** Between two edits of the colleague: long enough for a worker's run on every minute to show them one by one. */
const paceMs = 60_000

async function start(fleet: SimulatedFleet, { host, port }: ListenAddress): Promise<SimulatedService> {
  try {
    return await startSimulatedService(fleet, { host, port, keepsRequests: false })
  } catch (error) {
    throw AuditError.failure(`cannot listen on ${host}:${port}: ${reasonOf(error)}`, {
      advice: 'use a free port and an address of this machine',
      cause: error,
    })
  }
}

/** A service that listens on every address is reached on the loopback one. */
function reachable(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')
}
