import type { JsonObject } from '../model/json.ts'
import type { SimulatedRelease } from './release.ts'
import { renderEndpointStub } from './render-endpoint.ts'
import { renderNoSource, renderSourceStub } from './render-source.ts'
import type { EndpointRow, SourceRow, SubscriptionRow } from './rows.ts'
import { zeroTime } from './timestamp.ts'

/** The resources that a subscription refers to; undefined for none. */
interface SubscriptionTargets {
  readonly endpoint: EndpointRow | undefined
  readonly source: SourceRow | undefined
  readonly ingestUrl: string
}

/** An item of the subscription list. */
export function renderSubscription(
  row: SubscriptionRow,
  { endpoint, source, ingestUrl }: SubscriptionTargets,
  release: SimulatedRelease,
): JsonObject {
  const { filter, event_types } = row.filter_config
  const { is_flattened, headers, body, query = {}, path = {} } = filter
  return {
    uid: row.uid,
    name: row.name,
    type: row.type,
    project_id: row.project_id,
    function: row.function,
    source_metadata: source === undefined ? renderNoSource(ingestUrl, release) : renderSourceStub(source, release),
    endpoint_metadata: endpoint === undefined ? null : renderEndpointStub(endpoint, release),
    device_metadata: release === 'older' ? noDevice : null,
    ...(row.alert_config && { alert_config: row.alert_config }),
    ...(row.retry_config && { retry_config: row.retry_config }),
    filter_config: {
      event_types,
      filter: { is_flattened, headers, body, ...(release === 'later' && { query, path }) },
    },
    ...(row.rate_limit_config && { rate_limit_config: row.rate_limit_config }),
    ...(release !== 'older' && { delivery_mode: row.delivery_mode }),
    created_at: row.created_at,
    updated_at: row.updated_at,
    deleted_at: null,
  }
}

const noDevice = { uid: '', last_seen_at: zeroTime, created_at: zeroTime, updated_at: zeroTime, deleted_at: null }
