import { isJsonObject, type JsonObject } from '../model/json.ts'

/**
 * How a release activates an endpoint. `switch`: `PUT …/pause` also wakes one that is paused, and nothing activates one
 * that is inactive (up to v26.6.2). `request`: `POST …/activate` wakes both (from v26.6.5 on).
 */
export type Activation = 'switch' | 'request'

/**
 * What stored answers show about it. `project`: its attributes as a whole walk showed them, undefined without one.
 * undefined where they show neither: v26.6.3 and v26.6.4 were not tried.
 */
export function activationOf(project: JsonObject | undefined, endpoint: JsonObject): Activation | undefined {
  // v26.7.3 shows it where it is set.
  if (typeof endpoint.teams_webhook_url === 'string') return 'request'
  const config = project?.config
  if (!isJsonObject(config) || Object.keys(config).length === 0) return undefined
  // v26.6.5 shows the first of them in every project, v26.7.0 and v26.7.1 the others.
  return sinceActivation.some((name) => Object.hasOwn(config, name)) ? 'request' : 'switch'
}

const sinceActivation = [
  ...['request_id_header', 'sync_dynamic_event_ack', 'verify_dynamic_events', 'allow_unmatched_dynamic_urls'],
]
