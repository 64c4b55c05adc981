import { generateFleet } from '../src/demo/generate-fleet.ts'
import { createRandom } from '../src/demo/random.ts'
import { startSimulatedService } from '../src/demo/simulated-service.ts'
import { connect } from '../src/history/postgres/connect.ts'
import { openCuttingProxy } from '../test/history/postgres/cutting-proxy.ts'
import { editAtRandom } from '../test/oracle/random-edits.ts'
import { openDatabases } from '../test/pool/open-databases.ts'
import { faultsOfRun, openWorkerProcesses, untilWorkers } from '../test/pool/worker-processes.ts'
import { conclude } from './conclude.ts'

/**
 * Breaks the connection of two worker processes at each COMMIT that they send while a run is under way: before the
 * server gets it, and with its answer unread. Each run must be committed once and complete. `node prove/cuts.ts`,
 * `--every N` as the only argument leaves commits out. Ends with 1 where a run was not, or the history does not verify.
 */
const every = process.argv[2] === '--every' ? Number(process.argv[3]) : 1

await using databases = await openDatabases()
const place = await databases.make()
const proxy = await openCuttingProxy(place.server)
await using _ = { [Symbol.asyncDispose]: () => proxy.close() }
const fleet = generateFleet({ clean: false, projects: 3, endpointsPerProject: 8, seed: 'cuts' })
const random = createRandom('cuts')
await using service = await startSimulatedService(fleet, { latencyMs: 5, keepsRequests: false })
const url = new URL(place.url)
url.searchParams.set('host', proxy.server.host ?? '')
await using workers = openWorkerProcesses({ service, fleet, url: url.href, slots: 2, walks: 4, lifetimeMs: 86_400_000 })
// Who asks and who verifies does so directly. A run may take long where the machine has other work.
await using direct = openWorkerProcesses({ service, fleet, url: place.url, slots: 2, walks: 4, lifetimeMs: 600_000 })
for (let n = 0; n < 2; n++) workers.start()
await untilWorkers(place, 2)
await direct.audit()

let runs = 1
let violations = 0
for (const cut of ['before', 'after'] as const) {
  for (let commit = 0; ; commit += every) {
    for (let edits = 0; edits < 3; edits++) editAtRandom(fleet, random)
    const { cuts } = proxy
    proxy.arm(cut, commit)
    const startedAt = performance.now()
    const faults = faultsOfRun(await direct.audit())
    const took = `${((performance.now() - startedAt) / 1000).toFixed(1)} s`
    runs++
    violations += faults.length > 0 ? 1 : 0
    process.stdout.write(`${cut}, commit ${commit + 1}: ${[took, ...faults].join('; ')}\n`)
    if (proxy.cuts === cuts) break
  }
}

const { code, stdout } = await direct.say('verify', '--deep')
if (code !== 0) violations++
process.stdout.write(code === 0 ? '' : stdout)
const audited = JSON.parse((await direct.say('audit', '--format', 'json')).stdout)
if (audited.drift.length > 0) violations++
const db = connect(place.server, { connections: 1 })
const committed = await db.value<number>("SELECT count(*) FROM hookdrift.run WHERE state = 'committed'")
await db.close()
// With the one of the single process.
if (committed !== runs + 1) violations++
process.stdout.write(
  `${proxy.cuts} connections cut in ${runs} runs, ${committed} committed, ${violations} violations\n`,
)
conclude({ cases: proxy.cuts, violations: { whole: violations } })
