import { createHmac } from 'node:crypto'
import { isJsonObject } from '../../../src/model/json.ts'
import type { ReceivedRequest } from './receiver.ts'
import {
  arrives,
  broadcast,
  configure,
  deliveryIs,
  dynamic,
  endpoint,
  endpointsAnswer,
  event,
  ingest,
  lists,
  request,
  type Step,
  shows,
  source,
  subscription,
} from './steps.ts'

/** Of endpoints in trials, so that a trial can compute what they sign with. */
export const trialSecret = 'whsec_not-a-real-key-6a3f'
const nextSecret = 'whsec_not-a-real-key-9d04'

const header = 'x-convoy-signature'
const hangs: readonly Step[] = [event(), arrives(0), deliveryIs('Processing', 0)]
const isDelivered: readonly Step[] = [event(), arrives(1), deliveryIs('Success')]
const refusesSigned: readonly Step[] = [ingest(400, { message: 'verification failed' }), arrives(0)]
const acceptsSigned: readonly Step[] = [ingest(400, { isUnsigned: true }), ingest(200), arrives(1)]

const whole = { strategy: { type: 'linear', duration: 10, retry_count: 3 }, ratelimit: { count: 1, duration: 60 } }

/** What a trial does, and what must be observed. By the name that claims have. */
export const trials = {
  delivers: isDelivered,
  'delivers nothing, hangs in Processing': hangs,
  'signs with a time': [event(), arrives(1, isSignedInFull)],
  'signs with the newest secret alone': [
    event(),
    arrives(1, isSignedSimply(trialSecret)),
    request('PUT', (project) => endpoint(project, '/expire_secret'), 200, {
      body: () => ({ expiration: 24, secret: nextSecret }),
    }),
    event(),
    arrives(2, (sent, project) => (sent === project.received[0] ? undefined : isSignedSimply(nextSecret)(sent))),
  ],
  'signs with all secrets': [
    request('PUT', (project) => endpoint(project, '/expire_secret'), 200, {
      body: () => ({ expiration: 24, secret: nextSecret }),
    }),
    event(),
    arrives(1, ({ headers }) =>
      expect(String(headers[header]).match(/v1=/g)?.length === 2, 'one signature for each secret', headers[header]),
    ),
  ],
  'signs JSON and sends a form': [
    event(),
    arrives(
      1,
      (sent) =>
        expect(sent.body === 'amount=13&order=A-7', 'a form with a rounded number', sent.body) ??
        isSignedSimply(trialSecret, '{"amount":12.99,"order":"A-7"}')(sent),
    ),
  ],
  'accepts what is signed': acceptsSigned,
  'refuses what is signed': refusesSigned,
  'accepts what the provider signs': [
    ingest(400, { isUnsigned: true }),
    ingest(200, {
      signedBy: {
        header: 'X-Hub-Signature-256',
        hash: 'SHA256',
        encoding: 'hex',
        secret: trialSecret,
        prefix: 'sha256=',
      },
    }),
    arrives(1),
  ],
  'accepts what is signed, though disabled': [shows(source, '/is_disabled', true), ...acceptsSigned],
  'stops at 1 attempt': [endpointsAnswer(500), event(), arrives(1), deliveryIs('Failure', 1)],
  'stops at 3 attempts': [endpointsAnswer(500), event(), arrives(3), deliveryIs('Failure', 3)],
  'makes the endpoint inactive after a success': [
    ...isDelivered,
    shows(endpoint, '/status', 'inactive'),
    event(),
    arrives(1),
    deliveryIs('Discarded'),
  ],
  'keeps the endpoint active after a success': [...isDelivered, shows(endpoint, '/status', 'active')],
  'keeps the endpoint active after a failure': [
    endpointsAnswer(500),
    event(),
    arrives(1),
    deliveryIs('Failure'),
    shows(endpoint, '/status', 'active'),
  ],
  'activates endpoints by an update of the project': [
    ...isDelivered,
    shows(endpoint, '/status', 'inactive'),
    configure({ disable_endpoint: false }),
    shows(endpoint, '/status', 'active'),
  ],
  'takes the second event for a duplicate': [
    ingest(200, { message: 'Event received' }),
    arrives(1),
    ingest(200, { body: { event: 'another' }, message: 'Duplicate event received' }),
    arrives(1),
  ],
  'distinguishes events by a header': [
    ingest(200, { headers: { 'X-Event-Id': 'a' } }),
    ingest(200, { headers: { 'X-Event-Id': 'b' } }),
    arrives(2),
    ingest(200, { headers: { 'X-Event-Id': 'b' }, message: 'Duplicate event received' }),
    arrives(2),
  ],
  'refuses events of any kind': [ingest(400, { message: 'Failed to process request' }), arrives(0)],
  'names events after the mask of the source': [
    ingest(200, { body: { type: 'order.paid' } }),
    arrives(1),
    async (project) => {
      const [event] = await project.list('/events')
      return expect(event?.event_type === project.sources[0]?.mask, 'the mask of the source', event?.event_type)
    },
  ],
  'passes the query and headers on': [
    ingest(200, { query: '?role=admin', headers: { 'X-Forwarded-User': 'root' } }),
    arrives(1, ({ path, headers }) =>
      expect(path.includes('role=admin') && headers['x-forwarded-user'] === 'root', 'both', path),
    ),
  ],
  'refuses long events': [ingest(413, { message: 'too large' }), arrives(0)],
  'does not run the function': [
    ingest(200),
    arrives(1, ({ body }) => expect(body === '{"event":"sale"}', 'the event as it came', body)),
  ],
  'broadcasts past missing rows': [
    async (project) => {
      const path = subscription(project, '/filters')
      const { data } = await project.send('GET', path)
      const rows = Array.isArray(data) ? data.filter(isJsonObject) : []
      for (const { uid } of rows) await project.send('DELETE', `${path}/${uid}`)
      return rows.length > 0 ? undefined : 'the subscription has no filter rows'
    },
    event(),
    arrives(0),
    broadcast,
    arrives(1),
  ],
  'makes an endpoint for any address': [
    lists('/endpoints', 1),
    dynamic('/new'),
    arrives(1),
    lists('/endpoints', 2),
    lists('/subscriptions', 2),
  ],
  'delivers to the URL as it is written': [
    event(),
    arrives(1, ({ path }) => expect(decodeURIComponent(path) === '/0/{tenant}', 'a URL with braces', path)),
  ],
  'refuses a signature without a header': [
    request('PUT', () => '', 400, {
      body: () => ({
        name: 'trial',
        config: { ...whole, signature: { header: '', versions: [{ hash: 'SHA256', encoding: 'hex' }] } },
      }),
    }),
  ],
  'sends retries to a paused endpoint': [
    endpointsAnswer(500),
    event(),
    arrivesSoon(1),
    request('PUT', (project) => endpoint(project, '/pause'), 202),
    arrives(3),
    shows(endpoint, '/status', 'paused'),
    event(),
    arrives(3),
    deliveryIs('Discarded'),
  ],
  'subscribes the endpoint to everything': [
    lists('/subscriptions', 0),
    event(),
    arrives(1),
    lists('/subscriptions', 1),
    async (project) => {
      const [made] = await project.list('/subscriptions')
      const types = isJsonObject(made?.filter_config) ? made.filter_config.event_types : undefined
      return expect(JSON.stringify(types) === '["*"]', 'a subscription to *', types)
    },
  ],
  'expires the secret at once': [
    request('PUT', (project) => endpoint(project, '/expire_secret'), 200, { body: () => ({}) }),
    shows(endpoint, '/secrets', (secrets) => Array.isArray(secrets) && secrets.length === 2),
  ],
  'refuses to turn verification on': [
    request('PUT', source, 500, {
      body: () => ({
        name: 'source-0',
        type: 'http',
        verifier: {
          type: 'hmac',
          hmac: { header: 'X-Signature', hash: 'SHA256', secret: trialSecret, encoding: 'hex' },
        },
      }),
    }),
    ingest(200, { isUnsigned: true }),
    arrives(1),
  ],
  'keeps verification on': [
    request('PUT', source, 202, { body: () => ({ name: 'source-0', type: 'http', verifier: { type: 'noop' } }) }),
    ...acceptsSigned,
  ],
  'sends five of five': [event(), event(), event(), event(), event(), arrives(5)],
  'wipes what an update leaves out': [
    request('PUT', endpoint, 202, { body: (project) => ({ name: 'endpoint-0', url: project.endpointUrl(0) }) }),
    shows(endpoint, '/authentication/type', null),
    shows(endpoint, '/description', ''),
    shows(endpoint, '/rate_limit', 0),
    shows(endpoint, '/content_type', 'application/json'),
    shows(endpoint, '/owner_id', 'tenant-7'),
  ],
  'ignores a secret in an update': [
    request('PUT', endpoint, 202, {
      body: (project) => ({ name: 'endpoint-0', url: project.endpointUrl(0), secret: nextSecret }),
    }),
    shows(endpoint, '/secrets', (secrets) => JSON.stringify(secrets).includes(trialSecret)),
  ],
  'activates by no request': [
    ...isDelivered,
    shows(endpoint, '/status', 'inactive'),
    request('POST', (project) => endpoint(project, '/activate'), 404),
    request('PUT', (project) => endpoint(project, '/pause'), 400),
    shows(endpoint, '/status', 'inactive'),
  ],
  'refuses plain addresses': [
    request('POST', () => '/endpoints', 400, {
      body: (project) => ({ name: 'plain', url: project.endpointUrl(1) }),
      message: 'https',
    }),
  ],
  'ignores two settings': [
    configure({ add_event_id_trace_headers: true, multiple_endpoint_subscriptions: true }),
    shows(() => '', '/config/add_event_id_trace_headers', false),
    shows(() => '', '/config/multiple_endpoint_subscriptions', false),
  ],
} as const satisfies Readonly<Record<string, readonly Step[]>>

/** Where more requests follow. */
function arrivesSoon(count: number): Step {
  return async (project) => {
    const until = Date.now() + 10_000
    while (project.received.length < count && Date.now() < until)
      await new Promise((resolve) => setTimeout(resolve, 20))
    return expect(project.received.length === count, `${count} requests`, project.received.length)
  }
}

function isSignedSimply(secret: string, text?: string) {
  return ({ headers, body }: ReceivedRequest): string | undefined => {
    const signature = createHmac('sha256', secret)
      .update(text ?? body)
      .digest('hex')
    return expect(headers[header] === signature, 'the signature', headers[header])
  }
}

function isSignedInFull({ headers, body }: ReceivedRequest): string | undefined {
  const [, time, signature] = /^t=(\d+),v1=(\w+)$/.exec(String(headers[header])) ?? []
  const expected = createHmac('sha256', trialSecret).update(`${time},${body}`).digest('hex')
  return expect(signature === expected, 'a time and a signature', headers[header])
}

function expect(isSo: boolean, what: string, is: unknown): string | undefined {
  return isSo ? undefined : `${JSON.stringify(is)} came instead of ${what}`
}
