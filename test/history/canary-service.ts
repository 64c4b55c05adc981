import { hash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

// Configuration with a made-up secret in every place where an earlier hookdrift kept one in clear, and a service that
// answers with it. Imports nothing of hookdrift: older checkouts make histories with it too.

export const projectUid = '01CANARYPROJECT00000000000'

const letters = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const planted = new Map<string, string>()

/** A made-up secret: random, with two digits only, and the same for the same place every time. */
function canary(place: string): string {
  const digest = hash('sha256', place, 'buffer')
  const random = [...digest.subarray(0, 24)].map((byte) => letters[byte % letters.length]).join('')
  const value = `CANARY${random.slice(0, 9)}${(digest[24] ?? 0) % 10}${random.slice(9, 17)}${(digest[25] ?? 0) % 10}${random.slice(17)}`
  planted.set(place, value)
  return value
}

/** A number that is a secret. */
function digits(place: string): string {
  const value = `9${[...hash('sha256', place, 'buffer').subarray(0, 13)].map((byte) => byte % 10).join('')}`
  planted.set(place, value)
  return value
}

/** The body of a private key in DER, which is binary. */
function derKey(place: string): string {
  const value = Buffer.concat([Buffer.from('CANARY of a key '), hash('sha256', place, 'buffer')]).toString('base64')
  planted.set(place, value)
  return value
}

/** What was planted, by its place. */
export function canaries(): Readonly<Record<string, string>> {
  for (const step of [1, 2, 3] as const) stateAt(step)
  outage()
  policyYaml()
  for (const place of ['approval note', 'imported note', 'imported description', 'delivery error', 'killed draft'])
    canary(place)
  return Object.fromEntries([...planted].sort(([a], [b]) => (a < b ? -1 : 1)))
}

export { canary }

/** Program text in the forms that formatters and minifiers make. `step` changes what is in it. */
function program(step: number): string {
  const c = (place: string) => canary(`code ${place} ${step}`)
  return [
    `const clientSecret =\n  '${c('on the next line')}'`,
    `const apiKey =\r\n  "${c('on the next line CRLF')}"`,
    `const signingSecret = payload.live\n  ? '${c('ternary live')}'\n  : '${c('ternary test')}'`,
    `const accessToken =\n  'Zm9v' +\n  '${c('concatenated')}'`,
    `const re = /'/; const authToken = '${c('behind a quote in a regex')}'; const other = /'/`,
    `const password = ${digits(`code number ${step}`)}`,
    `const mac = createHmac('sha256', '${c('createHmac')}')`,
    `if ('${c('compared from the left')}' !== payload.token) throw 1`,
    `if (!timingSafeEqual(payload.token, '${c('timingSafeEqual')}')) throw 1`,
    `const secrets = ['a', '${c('second element')}']`,
    `const tenants = { secrets: { acme: '${c('member of a map')}' } }`,
    `const basic = btoa('user:${c('btoa')}')`,
    `const unnamed = \`${c('template')}\``,
    'function transform(payload) { return payload }',
  ].join('\n')
}

/** A regular expression holds what opens a literal or a comment elsewhere. */
function programs() {
  return {
    body_function: `const tick = /\`/\nif (payload.token !== '${canary('code behind a backtick in a regex')}') throw /\`/`,
    header_function: `const slashes = /[/*]/\nif (payload.token !== '${canary('code behind a comment in a regex')}') throw 1`,
  }
}

/** The configuration after so many steps; each changes something in it. */
export function stateAt(step: 1 | 2 | 3) {
  const created_at = '2026-01-01T00:00:00Z'
  const of = (place: string) => canary(place)
  const changing = (place: string) => canary(`${place} ${step}`)
  const endpoint = (uid: string, more: object) => ({
    uid,
    project_id: projectUid,
    name: uid,
    description: '',
    url: `https://in.example.com/${uid.toLowerCase()}`,
    status: 'active',
    content_type: 'application/json',
    advanced_signatures: true,
    http_timeout: 10,
    rate_limit: 0,
    rate_limit_duration: 0,
    secrets: [],
    authentication: {},
    created_at,
    ...more,
  })
  const endpoints = [
    endpoint('EP-URLS', {
      url: `https://in.example.com/hooks/${changing('url path')}`,
      description: `see https://${of('url user alone')}@in.example.com/`,
      matrix_url: `https://in.example.com/a;token=${of('url matrix parameter')}`,
      logo: `https://in.example.com/token/${of('url word before')}`,
      callback: `https://in.example.com/?${of('url query alone')}`,
      settings_url: `https://in.example.com/?cfg={"token":"${of('url JSON in query')}"}`,
      nested_url: `https://in.example.com/?to=${encodeURIComponent(`https://x.example/?token=${of('url nested')}`)}`,
    }),
    ...[
      'https://hooks.slack.com:443/services/',
      'https://hooks.slack.com./services/',
      'https://hooks.slack-gov.com/services/',
      'https://canary.discord.com/api/webhooks/1/',
    ].map((address, index) => endpoint(`EP-CHAT-${index}`, { url: address + of(`chat host ${index}`) })),
    endpoint('EP-SCALARS', {
      created_at: `ghp_${of('time field')}`,
      http_timeout: `ghp_${of('seconds field')}`,
      rate_limit: `ghp_${of('integer field')}`,
      advanced_signatures: `ghp_${of('flag field')}`,
      content_type: `application/json; token=${of('content type')}`,
      support_email: `${changing('support email')}`,
      status: step === 1 ? 'active' : of('status'),
    }),
    endpoint('EP-PROSE', {
      name: `orders, API key (prod): ${of('name')}`,
      description: [
        `API key:\n${of('prose next line')}`,
        `password: "two ${of('prose quoted')}"`,
        `password is ${changing('prose is')}`,
        `secret -> ${of('prose arrow')}`,
      ].join('\n'),
    }),
    endpoint('EP-MAP', { secrets: { main: of('secrets as a map') } }),
    endpoint('EP-SECRETS', {
      secrets: [
        {
          uid: 'S1',
          value: 'not-a-real-secret',
          previous: of('previous secret'),
          old_value: of('old value'),
          created_at,
        },
        {
          uid: of('uid that is the value'),
          value: of('uid that is the value'),
          created_at,
          expires_at: '2026-02-01T00:00:00Z',
        },
      ],
      authentication: {
        type: 'bearer',
        bearer: { value: of('authentication bearer') },
        digest: { value: of('authentication digest') },
        basic_auth: { username: of('user name'), password: 'not-a-real-password' },
        oauth2: { url: 'https://id.example.com', signing_key: { kty: 'OKP', private: of('signing key private') } },
      },
      mtls_client_cert: { client_cert: derKey('DER key as certificate'), client_key: '' },
    }),
    endpoint('EP-UNKNOWN', {
      custom_headers: [{ name: 'X-Api-Key', value: changing('header list') }],
      hmac_key: of('hmac_key'),
      master_key: of('master_key'),
      ssh_key: of('ssh_key'),
      bearer: of('bearer'),
      auth_header: of('auth_header'),
      encryption: { key: of('encryption.key') },
      otp_seed: of('otp_seed'),
      discord_webhook_url: `https://chat.example.com/api/${of('unknown webhook url')}`,
      tokens: { [of('name of a member')]: true },
      remark: of('unknown text'),
    }),
  ]
  const subscription = (uid: string, more: object) => ({
    uid,
    project_id: projectUid,
    name: uid,
    type: 'api',
    delivery_mode: 'at_least_once',
    endpoint_metadata: { uid: 'EP-URLS' },
    source_metadata: null,
    device_metadata: null,
    function: null,
    filter_config: { event_types: ['*'], filter: { body: {}, headers: {}, is_flattened: false } },
    created_at,
    ...more,
  })
  const subscriptions = [
    subscription('SUB-CODE', { function: program(step) }),
    subscription('SUB-FILTER', {
      filter_config: {
        event_types: ['orders.created'],
        filter: {
          body: { note: changing('filter body') },
          headers: {},
          query: { sig: of('filter query sig'), key: of('filter query key') },
          is_flattened: false,
        },
      },
    }),
  ]
  const source = (uid: string, more: object) => ({
    uid,
    project_id: projectUid,
    name: uid,
    type: 'http',
    provider: '',
    url: `https://in.example.com/ingest/${uid.toLowerCase()}`,
    is_disabled: false,
    verifier: { type: 'noop' },
    created_at,
    ...more,
  })
  const sources = [
    source('SRC-CODE', { body_function: program(1) }),
    source('SRC-REGEX', programs()),
    source('SRC-VERIFIER', { verifier: { type: 'ed25519', ed25519: { key: of('verifier key') } } }),
    source('SRC-QUEUE', { type: 'pub_sub', pub_sub: { type: 'nats', nats: { creds: of('queue credentials') } } }),
  ]
  const project = { uid: projectUid, name: 'canaries', type: 'outgoing', created_at, config: {} }
  return { project, endpoints, subscriptions, sources }
}

/** What the service says while it is out of order. */
export function outage(): string {
  return `upstream refused ${canary('error of the service')}`
}

/** A policy that says a secret itself; `isClean`: without it. */
export function policyYaml(isClean = false): string {
  const secret = isClean ? '' : ` (https://user:${canary('policy')}@in.example.com)`
  return `
extends: []
rules:
  endpoint/alert-contact-invalid: {}
  endpoint/name-convention: { name: "^EP-" }
  endpoint/secret-expired-active: {}
  endpoint/status-unknown: {}
  drift/unexpected: {}
custom:
  - { id: acme/owner, kind: endpoint, severity: low, assert: "resource.uid != 'EP-MAP'", message: "no owner${secret}" }
`
}

/** A service that answers with a state; `isOut`: with an error. */
export async function startCanaryService() {
  let state = stateAt(1)
  let isOut = false
  const server = createServer((request, response) => {
    const listing = new URL(request.url ?? '', 'http://localhost').pathname.split('/')[5]
    const { project, ...listings } = state
    const items: Readonly<Record<string, readonly object[]>> = listings
    response.writeHead(isOut ? 400 : 200, { 'content-type': 'application/json' })
    const content = listing === undefined ? undefined : items[listing]
    const pagination = { per_page: 1000, has_next_page: false, next_page_cursor: '', prev_page_cursor: '' }
    const data = content === undefined ? project : { content, pagination }
    response.end(JSON.stringify(isOut ? { status: false, message: outage() } : { status: true, message: 'ok', data }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    show(next: { readonly step?: 1 | 2 | 3; readonly isOut?: boolean }) {
      if (next.step !== undefined) state = stateAt(next.step)
      isOut = next.isOut ?? false
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
