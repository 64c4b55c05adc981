import { describe, expect, it } from 'vitest'
import { type Field, isAttribute, type Members, resourceFields } from '../../src/gateway/fields.ts'

/** How the service's update takes each field, as it was seen to do. Listed apart from the schema, which must say so. */
const contract = {
  endpoint: {
    wiped: 'name url description content_type rate_limit rate_limit_duration authentication',
    keptIfOmitted: 'support_email slack_webhook_url teams_webhook_url advanced_signatures mtls_client_cert',
    keptIfEmpty: 'owner_id http_timeout',
    onlyCreated: '',
    unwritten: 'created_at deleted_at uid project_id status secrets',
  },
  subscription: {
    wiped: '',
    keptIfOmitted: 'filter_config',
    keptIfEmpty: `name delivery_mode function alert_config rate_limit_config retry_config endpoint_uid source_uid`,
    onlyCreated: '',
    unwritten: 'created_at deleted_at uid project_id type filters device_uid',
  },
  source: {
    wiped: 'name type',
    keptIfOmitted: `is_disabled event_type_location body_function header_function forward_headers idempotency_keys
      custom_response verifier`,
    keptIfEmpty: 'pub_sub',
    onlyCreated: 'provider',
    unwritten: 'created_at deleted_at uid project_id url mask_id provider_config',
  },
  project: {
    wiped: '',
    keptIfOmitted: 'config',
    keptIfEmpty: 'name logo_url',
    onlyCreated: 'type',
    unwritten: 'created_at deleted_at uid organisation_id',
  },
} as const

function takenAs({ unwritten, onlyCreate, keeps }: Field): keyof (typeof contract)['endpoint'] {
  if (unwritten !== undefined) return 'unwritten'
  if (onlyCreate) return 'onlyCreated'
  return keeps === undefined ? 'wiped' : keeps === 'empty' ? 'keptIfEmpty' : 'keptIfOmitted'
}

function attributesIn(members: Members): [name: string, field: Field][] {
  return Object.entries(members).filter(([, field]) => isAttribute(field))
}

/** What is odd about fields as requests have them, as sentences. */
function faults(members: Members, path: string): string[] {
  return attributesIn(members).flatMap(([name, field]) => {
    const here = `${path}/${name}`
    if (field.unwritten !== undefined) return /\.$/.test(field.unwritten) ? [] : [`${here} gives no reason`]
    const { added = 'added.', removed = 'removed.' } = field.changesOnly ?? {}
    if (![added, removed].every((reason) => /\.$/.test(reason))) return [`${here} gives no reason`]
    if (field.formerly !== undefined && !Object.hasOwn(members, field.formerly.until))
      return [`${here} has its former name until a release that shows no field of its object`]
    return 'members' in field ? faults(field.members, here) : []
  })
}

describe('requests', () => {
  const kinds = Object.keys(contract) as (keyof typeof contract)[]

  it.each(kinds)('take every field of a %s, and keep what the service was seen to keep', (kind) => {
    const taken = Map.groupBy(attributesIn(resourceFields[kind]), ([, field]) => takenAs(field))
    for (const [how, names] of Object.entries(contract[kind]))
      expect(taken.get(how as keyof (typeof contract)['endpoint'])?.map(([name]) => name) ?? []).toEqual(
        names.split(/\s+/).filter((name) => name !== ''),
      )
  })

  it.each(kinds)('give a reason for each field of a %s that none writes', (kind) => {
    expect(faults(resourceFields[kind], '')).toEqual([])
  })
})

describe('the check of these fields', () => {
  it('finds a field without a reason, and a former name that no release ends', () => {
    const text = { type: 'text' } as const
    const odd: Members = {
      inner: { type: 'struct', members: { id: { ...text, unwritten: '' } } },
      only: { ...text, changesOnly: { added: '', removed: 'It is there.' } },
      old: { ...text, formerly: { name: 'older', until: 'newer' } },
    }
    expect(faults(odd, '')).toEqual([
      '/inner/id gives no reason',
      '/only gives no reason',
      '/old has its former name until a release that shows no field of its object',
    ])
  })
})
