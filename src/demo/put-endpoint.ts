import { enveloped } from './answers.ts'
import { updateEndpoint } from './edits.ts'
import type { SimulatedAnswer } from './fault.ts'
import type { SimulatedFleet } from './fleet.ts'
import type { SimulatedRelease } from './release.ts'
import { renderEndpoint } from './render-endpoint.ts'

type Update = Parameters<typeof updateEndpoint>[2]

/**
 * Answers `PUT endpoints/{uid}`, so that a person can correct what an audit finds in the simulated fleet.
 * Only the types of `name` and `url` are checked; what the body omits is wiped, as by the real service.
 */
export function putEndpoint(
  fleet: SimulatedFleet,
  place: { readonly project: string; readonly uid: string },
  body: string,
  release: SimulatedRelease,
): SimulatedAnswer {
  const update = readUpdate(body)
  if (update === undefined) return enveloped(release, 400, 'Invalid request body')
  const find = () => fleet.open(place.project).endpoints.find(({ uid }) => uid === place.uid)
  if (find() === undefined) return enveloped(release, 404, 'endpoint not found')
  updateEndpoint(fleet, place, update)
  const changed = find()
  return enveloped(release, 202, 'Endpoint updated successfully', changed && renderEndpoint(changed, release))
}

const members = ['name', 'url', 'description', 'authentication', 'rate_limit', 'rate_limit_duration', 'http_timeout']

function readUpdate(body: string): Update | undefined {
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    return undefined
  }
  const given = Object.entries(typeof value === 'object' && value !== null ? value : {})
  // as: the types of all but these two are as the person wrote them, and the audit finds what is wrong.
  const update = Object.fromEntries(given.filter(([name]) => members.includes(name))) as unknown as Update
  return typeof update.name === 'string' && typeof update.url === 'string' ? update : undefined
}
