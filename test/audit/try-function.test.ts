import { expect, it } from 'vitest'
import { tryFunction } from '../../src/audit/probes/run-function.ts'
import { createServiceClient } from '../../src/gateway/service/create-service-client.ts'
import { defaultDialect } from '../../src/gateway/service/dialect.ts'
import { defaultLimits } from '../../src/gateway/service/settings.ts'
import { isJsonObject, type JsonObject } from '../../src/model/json.ts'
import { recording } from '../demo/recordings.ts'
import { type RecordedExchange, startReplay } from '../service/replay-server.ts'

const order = { a: 1, email: 'x@example.com' }

/** What comes of every recorded test of a function, by its name. */
const outcomes: Readonly<Record<string, unknown>> = {
  ok: { output: { data: order, event_type: 'order.created' }, log: [] },
  'ok with log': { output: { data: order, event_type: 'x', owner_id: 't1' }, log: ['seen 1 [object Object]'] },
  throws: 'Error: boom: 1 at transform (<eval>:1:37(6))',
  'syntax error': 'SyntaxError: SyntaxError: (anonymous): Line 1:39 Unexpected end of input (and 2 more errors)',
  'no transform': 'the transform function is not found, please define it or rename the existing function',
  'returns nothing': "the output payload doesn't include an event type",
  'wrong shape for body': 'json: unknown field "hello"',
  'returns a string': expect.stringMatching(/^json: cannot unmarshal string into Go value .*…$/),
  'header type': { output: { 'X-Id': '1', 'x-extra': '1' }, log: [] },
  'unknown type': { output: order, log: [] },
  'no type': { output: order, log: [] },
  'no function': 'the transform function is not found, please define it or rename the existing function',
  'endless loop': 'script execution time elapsed 10 seconds at transform (<eval>:1:1(1))',
  unserialisable: 'json: unsupported type: func(goja.FunctionCall) goja.Value',
  circular: 'json: unsupported value: encountered a cycle via map[string]interface {}',
  'big int and date': 'json: unsupported value: NaN',
  random: { output: { data: 0.6783147787187949, event_type: 'x' }, log: [] },
  unicode: { output: { data: { k: 'żółć \u202e' }, event_type: 'é🚀' }, log: [] },
  'unknown project': "the output payload doesn't include an event type",
  // Requests that a client of ours cannot make; should they come about, the function is not to blame.
  'malformed body': null,
  'payload not an object': null,
}

it('the table covers every recording', () => {
  const names = recording('test-function').map(({ name }) => name.replace('test_function: ', ''))
  expect(Object.keys(outcomes).sort()).toEqual(names.sort())
})

it.each(
  recording('test-function').map((exchange) => [exchange.name.replace('test_function: ', ''), exchange] as const),
)('the outcome of the recorded %s is as listed', async (name, exchange) => {
  const expected = outcomes[name]
  const tried = await replayed(exchange)
  if (expected === null) expect(tried).toMatchObject({ outcome: 'unknown', message: expect.stringMatching(/\S/) })
  else if (isJsonObject(expected) && 'output' in expected) {
    expect(tried).toEqual({ outcome: 'ok', ...expected, complaint: null })
  } else expect(tried).toEqual({ outcome: 'failed', message: expected })
})

async function replayed({ request, ...exchange }: RecordedExchange) {
  const asked = isJsonObject(request.body) && isJsonObject(request.body.payload) ? request.body : undefined
  const body: JsonObject = asked ?? { payload: order, function: 'function transform() {}', type: 'body' }
  await using replay = await startReplay([{ ...exchange, request: { ...request, body } }])
  const client = createServiceClient(
    {
      name: 'acme',
      url: replay.url,
      pageSize: 20,
      limits: defaultLimits,
      dialect: defaultDialect,
      ca: undefined,
      connections: 1,
    },
    { clock: { now: () => 0, sleep: async () => {} }, random: () => 0.5, env: {} },
  )
  try {
    return await tryFunction({
      client,
      access: {
        projectUid: request.path.split('/')[4] ?? '',
        key: '<personal-key>',
        filters: {},
        signal: new AbortController().signal,
        traffic: { requests: 0, retries: 0 },
        budget: { waitedMs: 0 },
      },
      functionText: String(body.function),
      probe: {
        payload: isJsonObject(body.payload) ? body.payload : {},
        type: String(body.type),
        expectation: undefined,
      },
      now: 0,
    })
  } finally {
    await client.close()
  }
}
