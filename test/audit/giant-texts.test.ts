import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Json } from '../../src/model/json.ts'
import { policyOf } from './audit-harness.ts'
import { type FleetFixture, openFleetFixture } from './fleet-fixture.ts'

/** Without a blank, and longer than what V8's expressions match before they run out of stack. */
const length = 5.4 * 1024 * 1024
const texts = {
  letters: 'x'.repeat(length),
  'letters and digits': 'aB3_'.repeat(length / 4),
  'an address': `https://a.example/in?token=${'aB3_'.repeat(length / 4)}`,
  'code without an end': `function transform(p) { return "${'\\"'.repeat(length / 2)}`,
}

/** Places for a text: the members on the way to it; a number is an index of a list, `*` a member's name. */
const places = {
  endpoints: `
    name description url status owner_id support_email slack_webhook_url content_type http_timeout rate_limit
    created_at deleted_at secrets/0/value secrets/0/uid secrets/0/expires_at authentication/type
    authentication/api_key/header_name authentication/api_key/header_value authentication/basic_auth/username
    mtls_client_cert/client_cert mtls_client_cert/client_key unknown unknown/list/0 unknown/* * uid project_id
  `,
  subscriptions: `
    name type function delivery_mode alert_config/threshold retry_config/type filter_config/event_types/0
    filter_config/filter/body/amount filter_config/filter/body/amount/$regex filter_config/filter/body/*
    filter_config/filter/headers/x-key filter_config/filter/headers/* source_metadata/name source_metadata/url
    source_metadata/verifier/hmac/secret endpoint_metadata/uid
  `,
  sources: `
    name type provider url mask_id body_function header_function forward_headers/0 idempotency_keys/0
    custom_response/body verifier/type verifier/hmac/header verifier/hmac/secret verifier/api_key/header_value
    pub_sub/kafka/brokers/0 pub_sub/google/service_account provider_config/any
  `,
  project: `
    name logo_url organisation_id type config/search_policy config/signature/header config/signature/versions/0/hash
    config/signature/versions/0/uid config/meta_event/url config/meta_event/secret config/meta_event/event_type/0
    config/strategy/type config/unknown
  `,
}

type Members = { [key: string]: Json | Members }

/** The first item of a list, or the project, with a text in one place. */
function withText(body: string, listing: string, place: string, text: string): string {
  const { data, ...envelope } = JSON.parse(body)
  const steps = place.split('/')
  const last = steps.pop() ?? ''
  let current: Members = listing === 'project' ? data : data.content[0]
  for (const [index, step] of steps.entries()) {
    const next = current[step]
    const isList = /^\d+$/.test(steps[index + 1] ?? last)
    const inside: Json | Members =
      typeof next === 'object' && next !== null && Array.isArray(next) === isList ? next : isList ? [] : {}
    current[step] = inside
    current = inside as Members
  }
  current[last === '*' ? text : last] = last === '*' ? 1 : text
  return JSON.stringify({ ...envelope, data })
}

function openFixture(): Promise<FleetFixture> {
  return openFleetFixture({
    fleet: { projects: 3, incomingEvery: 3, endpointsPerProject: 2, sourcesPerProject: 2 },
    harness: { limits: { retries: 0 } },
  })
}

const probed = policyOf(
  `
extends: [all]
probes: [{ name: body, match: { name: "*" }, function: body, payload: ./payload.json, type: body }]
`,
  { '/etc/payload.json': '{"a":1}' },
)

/** Each place gets one of the texts, in turn. */
const casesOf = (places: string) =>
  (places.match(/\S+/g) ?? []).map(
    (place, index) => [place, Object.keys(texts)[index % Object.keys(texts).length] as keyof typeof texts] as const,
  )

describe.each(Object.entries(places))('a text of 5.4 MiB without a blank in %s', (listing, inListing) => {
  let fixture: FleetFixture
  beforeAll(async () => {
    fixture = await openFixture()
    await fixture.audit({ policy: probed })
  })
  afterAll(() => fixture[Symbol.asyncDispose]())

  it.each(casesOf(inListing))('ends no run and causes no bug report: %s, of %s', async (place, form) => {
    const uid = fixture.uidOf('partner-intake')
    const path = new RegExp(listing === 'project' ? `/projects/${uid}$` : `/projects/${uid}/${listing}`)
    const body = (answer: string) => withText(answer, listing, place, texts[form])
    fixture.service.faults.length = 0
    fixture.service.failNext({ path, times: Number.POSITIVE_INFINITY, how: 'rewrite', body })
    const bugs: string[] = []
    const { coverage, verdict } = await fixture.audit({
      policy: probed,
      onBug: (_, error) => bugs.push(String(error).slice(0, 100)),
    })
    expect(bugs).toEqual([])
    expect(verdict.exit_code).not.toBe(4)
    const others = coverage.filter(({ project }) => project !== 'acme/partner-intake')
    expect(others.filter(({ status }) => status !== 'complete')).toEqual([])
    for (const { status, reason } of coverage) if (status !== 'complete') expect(reason).toMatch(/^(page 1|project): /)
  })
})

describe('a service that sends 5.4 MiB', () => {
  const text = texts['letters and digits']
  it.each([
    ['in its error', 500, { status: false, message: text }, {}],
    ['in an error that says that a function failed', 400, { status: false, message: text }, {}],
    ['in 60 KiB of an error', 422, { status: false, message: text.slice(0, 60_000) }, {}],
    ['of credentials in an error', 422, { status: false, message: 'password: '.repeat(6_000) }, {}],
    ['in its request id', 200, { status: true }, { 'x-request-id': text.slice(0, 15_000) }],
    ['in its content type', 200, '{}', { 'content-type': `application/${text.slice(0, 15_000)}` }],
    ['in a Retry-After', 429, { status: false }, { 'retry-after': '9'.repeat(15_000) }],
    ['in the place of a redirect', 302, '', { location: `https://${text.slice(0, 15_000)}` }],
    ['in a header beyond what is read', 200, { status: true }, { 'x-request-id': text.slice(0, 60_000) }],
  ])('as %s fails that walk alone', async (_title, status, body, headers) => {
    await using fixture = await openFixture()
    const path = new RegExp(`${fixture.uidOf('partner-intake')}/(endpoints|sources/test_function)`)
    fixture.service.failNext({ path, times: Number.POSITIVE_INFINITY, how: 'status', status, body, headers })
    const { coverage, verdict } = await fixture.audit({ policy: probed })
    expect(verdict.exit_code).toBe(3)
    const gaps = coverage.filter((walk) => walk.status !== 'complete')
    expect(gaps.map(({ project, listing }) => `${project} ${listing}`)).toEqual(['acme/partner-intake endpoints'])
    expect(gaps[0]?.reason?.length).toBeLessThan(600)
  })
})
