import { generateFleet } from '../src/demo/generate-fleet.ts'
import { startSimulatedService } from '../src/demo/simulated-service.ts'
import { editFleet } from './edit-fleet.ts'
import type { FleetSizes } from './start-service.ts'

// A simulated service whose fleet lives from day to day. Given a day, it makes all edits up to it, renders the pages that
// went stale, and says so: what an audit of that day costs is the audit's.
const [given = '{}'] = process.argv.slice(2)
const { changesPerDay, ...sizes } = JSON.parse(given) as FleetSizes & { readonly changesPerDay: number }
const fleet = generateFleet({ ...sizes, incomingEvery: 0, clean: true })
const service = await startSimulatedService(fleet, { prerender: true })
const { url } = service
const projects = fleet.projects().map(({ uid }) => uid)
let day = 1

process.on('message', async (wanted: number) => {
  while (day < wanted) editFleet(fleet, ++day, changesPerDay)
  for (const uid of projects) {
    for (const list of ['endpoints', 'subscriptions']) await render(`${url}/api/v1/projects/${uid}/${list}`)
  }
  service.requests.splice(0)
  process.send?.({ day })
})
process.on('disconnect', () => process.exit())
process.send?.({ url, key: fleet.personalKey, projects })

async function render(list: string): Promise<void> {
  const answer = await fetch(`${list}?perPage=1000`, { headers: { authorization: `Bearer ${fleet.personalKey}` } })
  await answer.arrayBuffer()
}
