import { isJsonObject, type JsonObject } from '../model/json.ts'

/**
 * How a release activates an endpoint. `switch`: `PUT …/pause` also wakes one that is paused, and nothing activates one
 * that is inactive (up to v26.6.2). `request`: `POST …/activate` wakes both (from v26.6.5 on).
 */
export type Activation = 'switch' | 'request'

/**
 * What stored answers show about it; undefined where they show neither. `project`: its attributes as a whole walk showed
 * them, undefined without one. v26.6.3 and v26.6.4, which were not tried, pass for older ones.
 */
export function activationOf(project: JsonObject | undefined, endpoint: JsonObject): Activation | undefined {
  // v26.7.3 shows it where it is set.
  if (typeof endpoint.teams_webhook_url === 'string') return 'request'
  const config = project?.config
  if (!isJsonObject(config)) return undefined
  const shows = (name: string) => Object.hasOwn(config, name)
  if (sinceActivation.some(shows)) return 'request'
  return ofEveryRelease.every(shows) ? 'switch' : undefined
}

/** Without them, an answer does not show all settings. */
const ofEveryRelease = ['ratelimit', 'signature', 'ssl', 'strategy']
/** v26.6.5 shows the first in every project, v26.7.0 and v26.7.1 the others. */
const sinceActivation = [
  'request_id_header',
  'sync_dynamic_event_ack',
  'verify_dynamic_events',
  'allow_unmatched_dynamic_urls',
]
