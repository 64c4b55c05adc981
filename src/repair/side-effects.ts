import { isJsonObject, type JsonObject } from '../model/json.ts'
import type { RepairableKind } from './repair.ts'

/** What a request that creates or updates a resource does besides writing its body: a sentence each. */
export function sideEffectsOf(kind: RepairableKind, body: JsonObject, changed: readonly string[]): readonly string[] {
  if (kind === 'endpoint') {
    const isHttps = typeof body.url === 'string' && /^https:/i.test(body.url)
    const isLicensed = changed.some((path) => /^\/(?:http_timeout|support_email|\w+_webhook_url)$/.test(path))
    return [...(isHttps ? [pinged] : []), ...(isLicensed ? [unlicensedEndpoint] : [])]
  }
  if (kind !== 'project') return []
  const { disable_endpoint, meta_event } = isJsonObject(body.config) ? body.config : {}
  const { is_enabled, url } = isJsonObject(meta_event) ? meta_event : {}
  const isPinged = is_enabled === true && typeof url === 'string' && /^https:/i.test(url)
  return [ownProject, ...(disable_endpoint === true ? [] : [activated]), ...(isPinged ? [metaPinged] : [])]
}

// services/update_endpoint.go, net/dispatcher.go (Ping); v25.9.2 ignores what comes back.
const pinged =
  'From v25.11.1 on, Convoy first requests the URL, without its API key, and answers 400 unless that succeeds within 10 s.'
// Tried on v26.3.6, as all below.
const unlicensedEndpoint =
  'Without a licence, Convoy answers 202 and keeps the contacts of an endpoint, and its timeout is 10 s.'
const ownProject = 'A key of another project changes that one instead, no matter what the address says.'
const activated = 'As `disable_endpoint` is off, the update also activates every inactive endpoint of the project.'
const metaPinged = 'Meta events are on: Convoy first requests their URL, and answers 400 while it cannot be reached.'
