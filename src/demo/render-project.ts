import type { JsonObject } from '../model/json.ts'
import type { SimulatedRelease } from './release.ts'
import { defaultRequestIdHeader, type ProjectRow } from './rows.ts'

/** A project with its configuration, without its key. */
export function renderProject(row: ProjectRow, release: SimulatedRelease): JsonObject {
  const {
    circuit_breaker,
    request_id_header = defaultRequestIdHeader,
    verify_dynamic_events = false,
    allow_unmatched_dynamic_urls = false,
    ...config
  } = row.config
  return {
    uid: row.uid,
    name: row.name,
    logo_url: '',
    organisation_id: row.organisation_id,
    type: row.type,
    config: {
      ...config,
      ...(release === 'older'
        ? { meta_event: { ...config.meta_event, event_type: null, pub_sub: null } }
        : circuit_breaker && { circuit_breaker }),
      ...(release === 'later' && { request_id_header, verify_dynamic_events, allow_unmatched_dynamic_urls }),
    },
    statistics: null,
    retained_events: 0,
    created_at: row.created_at,
    updated_at: row.updated_at,
    deleted_at: null,
  }
}
