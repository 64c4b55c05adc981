import { createServer } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { breakOne, type CliFixture, openCliFixture } from '../cli/cli-fixture.ts'
import { startHookdrift } from '../cli/start-process.ts'
import { anOtlpReceiver, type Span } from './otlp-receiver.ts'

/** The SDK reads the environment of its process: so each run is a process of its own. */
function audit(cli: CliFixture, env: Readonly<Record<string, string>>, args: readonly string[] = ['--quiet']) {
  return startHookdrift(['audit', ...args], { cwd: cli.directory.path, env: { ...cli.env, ...env } }).ended
}

const childrenOf = (spans: readonly Span[], parent: Span | undefined) =>
  spans.filter(({ parentSpanId }) => parentSpanId === parent?.spanId)

describe('a run with a receiver of OTLP', () => {
  it('is one trace: a span for the run, in it one for each scan, in that one for each walk', async () => {
    await using cli = await openCliFixture()
    const receiver = await anOtlpReceiver()
    breakOne(cli)
    cli.service.failNext({ how: 'bad-json', path: /subscriptions/, page: 1, times: 9 })
    const { code, stderr } = await audit(cli, {
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=acme',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=test',
    })
    expect(code).toBe(3)
    expect(stderr).not.toContain('OpenTelemetry')
    const spans = receiver.spans()
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1)
    expect(spans[0]?.resource).toMatchObject({
      'service.name': 'hookdrift',
      'service.version': expect.stringMatching(/^\d/),
      'deployment.environment': 'test',
    })
    expect(receiver.received.every(({ headers }) => headers['x-tenant'] === 'acme')).toBe(true)

    const [run, ...others] = spans.filter(({ parentSpanId }) => !parentSpanId)
    expect(others).toEqual([])
    expect(run).toMatchObject({ name: 'hookdrift.run', status: { code: 2, message: 'exit code 3' } })
    expect(run?.attributes).toMatchObject({
      'hookdrift.run': 1,
      'hookdrift.exit_code': 3,
      'hookdrift.violations.high': 1,
    })
    const scans = childrenOf(spans, run)
    const projects = cli.fleet.projects().map(({ name }) => `acme/${name}`)
    expect(scans.map(({ attributes }) => attributes['hookdrift.project']).sort()).toEqual(projects.toSorted())
    const walks = scans.flatMap((scan) => childrenOf(spans, scan))
    expect(1 + scans.length + walks.length).toBe(spans.length)
    const listings = ['endpoints', 'event_types', 'filters', 'project', 'sources', 'subscriptions']
    for (const scan of scans) {
      expect(scan.name).toBe('hookdrift.scan')
      const own = childrenOf(spans, scan)
      expect(own.map(({ attributes }) => attributes['hookdrift.listing']).sort()).toEqual(listings)
      for (const walk of own) {
        expect(walk.startedAt >= scan.startedAt && walk.endedAt <= scan.endedAt).toBe(true)
        expect(walk.attributes['hookdrift.project']).toBe(scan.attributes['hookdrift.project'])
      }
    }
    const endpoints = walks.find(({ attributes }) => attributes['hookdrift.listing'] === 'endpoints')
    expect(endpoints).toMatchObject({ name: 'hookdrift.walk', status: { code: 0 } })
    expect(endpoints?.attributes).toEqual({
      'hookdrift.service': 'acme',
      'hookdrift.project': expect.stringMatching(/^acme\//),
      'hookdrift.listing': 'endpoints',
      'hookdrift.status': 'complete',
      'hookdrift.pages': 2,
      'hookdrift.items': 5,
      'hookdrift.requests': 2,
      'hookdrift.retries': 0,
    })
    // Those of filters, which were not read for the same reason, say so without a try of their own.
    const failed = walks.filter(
      ({ status, attributes }) => status.code === 2 && attributes['hookdrift.listing'] !== 'filters',
    )
    expect(failed.length).toBeGreaterThan(0)
    for (const { attributes, status } of failed) {
      expect(attributes).toMatchObject({
        'hookdrift.listing': 'subscriptions',
        'hookdrift.status': 'failed',
        'hookdrift.cause': 'malformed',
        'hookdrift.retries': 1,
      })
      expect(status.message).toBe('malformed')
    }
  })

  it('sends the metrics of the run, under the names of the worker', async () => {
    await using cli = await openCliFixture()
    const receiver = await anOtlpReceiver()
    breakOne(cli)
    expect((await audit(cli, { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: `${receiver.url}/v1/metrics` })).code).toBe(1)
    expect(receiver.received.map(({ path }) => path)).toEqual(['/v1/metrics'])
    const metrics = new Map(receiver.metrics().map(({ name, points }) => [name, points]))
    expect(metrics.get('hookdrift_open_violations')).toContainEqual(
      expect.objectContaining({ attributes: { severity: 'high', rule: 'endpoint/inactive' }, asDouble: 1 }),
    )
    expect(metrics.get('hookdrift_last_run_exit_code')).toMatchObject([{ asDouble: 1 }])
    expect(metrics.get('hookdrift_last_success_timestamp_seconds')).toHaveLength(2)
    expect(metrics.has('hookdrift_run_in_progress')).toBe(false)
  })

  it('sends no key, no address and no text of a service', async () => {
    await using cli = await openCliFixture()
    const receiver = await anOtlpReceiver()
    cli.service.failNext({ how: 'bad-json', path: /subscriptions/, page: 1, times: 9 })
    await audit(cli, { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url })
    const sent = JSON.stringify(receiver.received.map(({ path, body }) => [path, body]))
    expect(receiver.received.map(({ path }) => path).sort()).toEqual(['/v1/metrics', '/v1/traces'])
    for (const never of [cli.fleet.personalKey, cli.service.url, 'http', 'CO.', 'malformed: ', 'JSON'])
      expect(sent).not.toContain(never)
  })

  it('is a trace with the kind of an error that ended it', async () => {
    await using cli = await openCliFixture()
    const receiver = await anOtlpReceiver()
    cli.directory.write('not-a-history', 'x'.repeat(5_000))
    const { code } = await audit(cli, { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${receiver.url}/v1/traces` }, [
      ...['--history', cli.directory.file('not-a-history'), '--quiet'],
    ])
    expect(code).toBe(4)
    expect(receiver.spans()).toMatchObject([{ name: 'hookdrift.run', status: { code: 2, message: 'failure' } }])
  })

  it.each([
    ['OTEL_SDK_DISABLED', 'true', []],
    ['OTEL_TRACES_EXPORTER', 'none', ['/v1/metrics']],
    ['OTEL_METRICS_EXPORTER', 'none', ['/v1/traces']],
    ['OTEL_TRACES_SAMPLER', 'always_off', ['/v1/metrics']],
    ['OTEL_SERVICE_NAME', 'night-audit', ['/v1/metrics', '/v1/traces']],
  ])('follows the standard variable %s=%s', async (variable, value, paths) => {
    await using cli = await openCliFixture({ projects: 1 })
    const receiver = await anOtlpReceiver()
    expect((await audit(cli, { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, [variable]: value })).code).toBe(0)
    expect(receiver.received.map(({ path }) => path).sort()).toEqual(paths)
    const name = variable === 'OTEL_SERVICE_NAME' ? value : 'hookdrift'
    for (const { resource } of receiver.spans()) expect(resource['service.name']).toBe(name)
  })
})

describe('a receiver that does not take what is sent', () => {
  const said = (stderr: string) => stderr.split('\n').filter((line) => line.includes('OpenTelemetry'))
  const secret = 'not-a-real-secret-in-an-address'

  it.each<[string, () => Promise<{ url: string }>, RegExp]>([
    ['refuses connections', async () => ({ url: `http://hookdrift:${secret}@127.0.0.1:1` }), /not sent: ECONNREFUSED$/],
    [
      'refuses what it gets, in words that control a terminal',
      () => anOtlpReceiver((response) => void response.writeHead(401, 'no \x9b entry').end(`\x1b[31m${secret}`)),
      /not sent: it answered with status 401$/,
    ],
    ['never answers', () => anOtlpReceiver(() => {}), /not sent: it did not take them in time$/],
    [
      'answers a byte now and then, without an end',
      () =>
        anOtlpReceiver((response) => {
          response.writeHead(200)
          const timer = setInterval(() => response.write(' '), 100)
          response.on('close', () => clearInterval(timer))
        }),
      /^$/,
    ],
    ['is not HTTP', aWrongProtocol, /not sent: HPE_INVALID_CONSTANT$/],
  ])('changes no exit code and delays little, and is said once for each signal: it %s', async (_title, open, text) => {
    await using cli = await openCliFixture({ projects: 1 })
    const { url } = await open()
    const startedAt = performance.now()
    const { code, stderr } = await audit(cli, { OTEL_EXPORTER_OTLP_ENDPOINT: url })
    const tookMs = performance.now() - startedAt
    expect(code).toBe(0)
    // Starting a process on a busy machine may take as long as what is bounded.
    expect(tookMs).toBeLessThan(25_000)
    expect(stderr).not.toContain(secret)
    for (const line of said(stderr)) expect(line).toMatch(text)
    expect(said(stderr).length).toBeLessThanOrEqual(2)
    if (!text.test('')) expect(said(stderr).length).toBe(2)
  })

  it.each([
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' }, 'OTEL_EXPORTER_OTLP_ENDPOINT is not an http URL'],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4317', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
      'hookdrift sends OTLP over HTTP alone: set OTEL_EXPORTER_OTLP_PROTOCOL=http/json',
    ],
  ])('is not asked where the variables cannot be followed: %j', async (env, why) => {
    await using cli = await openCliFixture({ projects: 1 })
    const { code, stderr } = await audit(cli, env)
    expect(code).toBe(0)
    expect(said(stderr)).toEqual(
      ['traces', 'metrics'].map((signal) => `hookdrift: warning: OpenTelemetry: ${signal} are not sent: ${why}`),
    )
  })
})

describe('a worker with a receiver of OTLP', () => {
  it('sends a trace for each run with its schedule, and its metrics', async () => {
    await using cli = await openCliFixture(
      { projects: 1 },
      'schedules: [{ name: first, cron: "0 3 * * *", timezone: UTC, run_on_start: true }]\n',
    )
    const receiver = await anOtlpReceiver()
    const { child, ended } = startHookdrift(['worker'], {
      cwd: cli.directory.path,
      env: { ...cli.env, OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url },
    })
    while (receiver.spans().length === 0) await new Promise((resolve) => setTimeout(resolve, 50))
    child.kill('SIGTERM')
    expect((await ended).code).toBe(143)
    const [run] = receiver.spans().filter(({ name }) => name === 'hookdrift.run')
    expect(run?.attributes).toMatchObject({ 'hookdrift.schedule': 'first', 'hookdrift.exit_code': 0 })
    const metrics = new Map(receiver.metrics().map(({ name, points }) => [name, points]))
    expect(metrics.get('hookdrift_runs_total')).toMatchObject(
      expect.arrayContaining([
        expect.objectContaining({ attributes: { schedule: 'first', outcome: 'clean' }, asDouble: 1 }),
      ]),
    )
    const [duration] = metrics.get('hookdrift_run_duration_seconds') ?? []
    expect(duration).toMatchObject({ attributes: { schedule: 'first' }, count: 1 })
    expect(duration?.bucketCounts?.map(Number).reduce((sum, count) => sum + count, 0)).toBe(1)
    expect(duration?.bucketCounts).toHaveLength((duration?.explicitBounds?.length ?? 0) + 1)
  })
})

/** A port that answers with something else than HTTP. */
async function aWrongProtocol() {
  const server = createServer((socket) => void socket.on('error', () => {}).end('SSH-2.0-none\r\n'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}` }
}
