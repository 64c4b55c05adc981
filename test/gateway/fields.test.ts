import { describe, expect, it } from 'vitest'
import { type Field, type Members, wireSchema } from '../../src/gateway/fields.ts'

/**
 * The fields that the service's API documents, listed apart from the schema, which must have them all.
 */
const contract = {
  endpoint: `uid project_id owner_id name description url status content_type advanced_signatures events failure_rate
    http_timeout rate_limit rate_limit_duration support_email slack_webhook_url created_at updated_at deleted_at
    secrets.uid secrets.value secrets.created_at secrets.updated_at secrets.expires_at secrets.deleted_at
    mtls_client_cert.client_cert mtls_client_cert.client_key authentication.type authentication.api_key.header_name
    authentication.api_key.header_value authentication.basic_auth.username authentication.basic_auth.password
    authentication.oauth2.url authentication.oauth2.client_id authentication.oauth2.client_secret
    authentication.oauth2.grant_type authentication.oauth2.scope authentication.oauth2.audience
    authentication.oauth2.issuer authentication.oauth2.subject authentication.oauth2.authentication_type
    authentication.oauth2.expiry_time_unit authentication.oauth2.signing_algorithm
    authentication.oauth2.field_mapping.access_token authentication.oauth2.field_mapping.expires_in
    authentication.oauth2.field_mapping.token_type authentication.oauth2.signing_key.crv
    authentication.oauth2.signing_key.d authentication.oauth2.signing_key.dp authentication.oauth2.signing_key.dq
    authentication.oauth2.signing_key.e authentication.oauth2.signing_key.kid authentication.oauth2.signing_key.kty
    authentication.oauth2.signing_key.n authentication.oauth2.signing_key.p authentication.oauth2.signing_key.q
    authentication.oauth2.signing_key.qi authentication.oauth2.signing_key.x authentication.oauth2.signing_key.y`,
  subscription: `uid project_id name type delivery_mode function created_at updated_at deleted_at alert_config.count
    alert_config.threshold rate_limit_config.count rate_limit_config.duration retry_config.type retry_config.duration
    retry_config.retry_count filter_config.event_types filter_config.filter.body filter_config.filter.headers
    filter_config.filter.is_flattened endpoint_metadata device_metadata source_metadata`,
  device: 'uid project_id endpoint_id host_name status last_seen_at created_at updated_at deleted_at',
  source: `uid project_id name type provider url mask_id is_disabled body_function header_function forward_headers
    idempotency_keys custom_response.body custom_response.content_type provider_config created_at updated_at deleted_at
    pub_sub.type pub_sub.workers pub_sub.amqp.host pub_sub.amqp.port pub_sub.amqp.schema pub_sub.amqp.vhost
    pub_sub.amqp.queue pub_sub.amqp.routingKey pub_sub.amqp.bindedExchange pub_sub.amqp.deadLetterExchange
    pub_sub.amqp.auth.user pub_sub.amqp.auth.password pub_sub.kafka.brokers pub_sub.kafka.consumer_group_id
    pub_sub.kafka.topic_name pub_sub.kafka.auth.type pub_sub.kafka.auth.username pub_sub.kafka.auth.password
    pub_sub.kafka.auth.hash pub_sub.kafka.auth.tls pub_sub.google.project_id pub_sub.google.subscription_id
    pub_sub.google.service_account pub_sub.sqs.access_key_id pub_sub.sqs.secret_key pub_sub.sqs.default_region
    pub_sub.sqs.endpoint pub_sub.sqs.queue_name verifier.type verifier.api_key.header_name
    verifier.api_key.header_value verifier.basic_auth.username verifier.basic_auth.password verifier.hmac.encoding
    verifier.hmac.hash verifier.hmac.header verifier.hmac.secret`,
} as const

function* leavesOf(members: Members, prefix = ''): Generator<[path: string, field: Field]> {
  for (const [name, field] of Object.entries(members)) {
    if ('members' in field) yield* leavesOf(field.members, `${prefix}${name}.`)
    else yield [prefix + name, field]
  }
}

describe('the wire schema', () => {
  it.each(Object.entries(contract))('has every field of the contract: %s', (kind, fields) => {
    const known = new Set([...leavesOf(wireSchema[kind as keyof typeof contract])].map(([path]) => path))
    expect(fields.split(/\s+/).filter((path) => !known.has(path))).toEqual([])
  })

  it('decides for every field with a secret-like name whether it is one', () => {
    const sealed = new Set(['secret', 'secret-url', 'url'])
    // Fields that sound secret and are not: names of headers and keys, public halves, references.
    const harmless =
      /header_name|token_type|access_token|expires_in|routingKey|idempotency_keys|signing_key\.(crv|e|kid|kty|n|x|y)$|secrets\.(uid|created_at|updated_at|expires_at|deleted_at)|signature\./
    const open = Object.values(wireSchema).flatMap((members) =>
      [...leavesOf(members)]
        .filter(
          ([path, field]) =>
            /secret|passw|key|token|credential|service_account|value$/i.test(path) && !sealed.has(field.type),
        )
        .map(([path]) => path)
        .filter((path) => !harmless.test(path)),
    )
    expect(open).toEqual([])
  })

  it('keeps unread only what docs/explanation/secrets.md lists as an identifier', () => {
    const identifiers =
      /^(?:uid|project_id|owner_id|mask_id|organisation_id|endpoint_id|(?:endpoint|source|device)_uid)$|oauth2\.client_id$|signing_key\.(?:e|kid|n|x|y)$/
    const { probe: _, ...ofService } = wireSchema
    const others = Object.values(ofService).flatMap((members) =>
      [...leavesOf(members)].filter(([path, field]) => field.type === 'text' && !identifiers.test(path)),
    )
    expect(others).toEqual([])
  })
})
