import type { Json, JsonObject } from '../model/json.ts'
import type { SimulatedRelease } from './release.ts'
import type { SourceRow, VerifierRow } from './rows.ts'
import { zeroTime } from './timestamp.ts'

/** An item of the source list. */
export function renderSource(row: SourceRow, release: SimulatedRelease): JsonObject {
  const emptyList = (list: readonly string[] | null) => (release === 'older' && list?.length === 0 ? null : list)
  return {
    uid: row.uid,
    project_id: row.project_id,
    mask_id: row.mask_id,
    name: row.name,
    url: row.url,
    type: row.type,
    provider: row.provider,
    is_disabled: row.is_disabled,
    verifier: verifierOf(row.verifier ?? noVerifier, release),
    custom_response: { body: row.custom_response.body, content_type: row.custom_response.content_type },
    provider_config: row.provider_config,
    forward_headers: emptyList(row.forward_headers),
    pub_sub: { ...emptyPubSub, ...row.pub_sub },
    idempotency_keys: emptyList(row.idempotency_keys),
    body_function: row.body_function,
    header_function: row.header_function,
    ...(release === 'later' && { event_type_location: row.event_type_location ?? '' }),
    created_at: row.created_at,
    updated_at: row.updated_at,
    deleted_at: null,
  }
}

/** A subscription's copy of its source: no functions, no provider, no keys, and null for "verifies nothing". */
export function renderSourceStub(row: SourceRow, release: SimulatedRelease): JsonObject {
  const verifier = release !== 'older' && row.verifier === null ? null : verifierOf(row.verifier ?? noVerifier, release)
  const { uid, project_id, mask_id, name, url, type, is_disabled } = row
  return stub({ uid, project_id, mask_id, name, url, type, is_disabled, verifier })
}

/** Older releases show a stub without uid without a source; its url ends where the mask would start. */
export function renderNoSource(ingestUrl: string, release: SimulatedRelease): Json {
  if (release !== 'older') return null
  const { type: _type, ...verifier } = verifierOf(noVerifier, release)
  return stub({
    uid: '',
    project_id: '',
    mask_id: '',
    name: '',
    url: ingestUrl,
    type: '',
    is_disabled: false,
    verifier,
  })
}

const noVerifier = { type: 'noop', hmac: null, basic_auth: null, api_key: null }
const emptyPubSub = { type: '', workers: 0, sqs: null, google: null, kafka: null, amqp: null }

interface StubSource {
  readonly uid: string
  readonly project_id: string
  readonly mask_id: string
  readonly name: string
  readonly url: string
  readonly type: string
  readonly is_disabled: boolean
  readonly verifier: Json
}

function stub({ uid, project_id, mask_id, name, url, type, is_disabled, verifier }: StubSource): JsonObject {
  return {
    uid,
    project_id,
    mask_id,
    name,
    url,
    type,
    provider: '',
    is_disabled,
    verifier,
    custom_response: { body: '', content_type: '' },
    provider_config: null,
    forward_headers: null,
    pub_sub: null,
    idempotency_keys: null,
    body_function: null,
    header_function: null,
    created_at: zeroTime,
    updated_at: zeroTime,
    deleted_at: null,
  }
}

/** Older releases fill unused members with empty texts. */
function verifierOf({ type, hmac, basic_auth, api_key }: VerifierRow, release: SimulatedRelease): JsonObject {
  if (release !== 'older') return { type, hmac, basic_auth, api_key }
  return {
    type,
    hmac: hmac ?? { header: '', hash: '', secret: '', encoding: '' },
    basic_auth: basic_auth ?? { username: '', password: '' },
    api_key: api_key ?? { header_value: '', header_name: '' },
  }
}
