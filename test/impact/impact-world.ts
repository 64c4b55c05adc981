import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import type { ProcessContext } from '../../src/app/process-context.ts'
import type { Report } from '../../src/model/report.ts'
import { impact } from '../../src/questions/impact.ts'
import { writeAnswer } from '../../src/report/show-answer.ts'
import { type AuditHarnessOptions, openAuditHarness } from '../audit/audit-harness.ts'
import { openTraffic, type TrafficWorld } from '../demo/traffic-world.ts'
import { checkDocument } from '../documents.ts'

/** A request as `impact` prints it. */
export interface PrintedRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

// biome-ignore lint/suspicious/noExplicitAny: answers are read as they come
type Row = any

export interface ImpactAnswer {
  readonly rows: readonly Row[]
  readonly text: string
  readonly exitCode: number
}

/**
 * A gateway with traffic, a history of its audits on the same clock, and a proxy in between that keeps what is asked. The
 * first event is older than every window.
 */
export async function openImpactWorld(
  names: readonly string[] = ['billing', 'crm'],
  options: Parameters<typeof openTraffic>[1] = {},
  harnessOptions: Partial<AuditHarnessOptions> = {},
) {
  const world = await openTraffic(names, options)
  const harness = openAuditHarness({
    projects: { outgoing: world.outgoing, incoming: world.incoming },
    key: world.service.fleet.personalKey,
    listings: { filters: 'auto' },
    ...harnessOptions,
  })
  const asked: string[] = []
  const proxy = createServer(async (request, response) => {
    const { method = '', url = '' } = request
    asked.push(`${method} ${url}`)
    const { authorization = '' } = request.headers
    const answer = await fetch(`${world.service.url}${url}`, { method, headers: { authorization } })
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
    response.end(Buffer.from(await answer.arrayBuffer()))
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  const config = join(harness.directory, 'hookdrift.yaml')
  const configuration = (more = '') => `services:
  - name: acme
    url: ${url}
    key: \${ACME_KEY}
    limits: { retries: 0${more} }
    projects: [{ id: ${world.outgoing}, name: outgoing }, { id: ${world.incoming}, name: incoming }]
`
  writeFileSync(config, configuration())
  const terminal: ProcessContext = {
    stdout: new PassThrough() as never,
    stderr: new PassThrough() as never,
    env: { ACME_KEY: world.service.fleet.personalKey },
    cwd: () => harness.directory,
  }
  for (const way of [{ to: 'all' }, { to: 'source', mask: world.source.mask }] as const) await world.send(way, { n: 0 })
  world.pass(3600)
  return {
    ...world,
    asked,
    harness,
    terminal,
    configure: (more: string) => writeFileSync(config, configuration(more)),
    /** Audits at the gateway's time; it takes a second. */
    async audit(): Promise<Report> {
      harness.advance(world.now() - harness.clock.now() - 60_000)
      world.pass(1)
      return harness.audit({ url: world.service.url })
    },
    async impact(target: string, more: { readonly from?: string; readonly to?: string } = {}): Promise<ImpactAnswer> {
      return harness.withHistory(async (history) => {
        const values = { target, from: undefined, to: undefined, project: [], kind: undefined, ...more }
        const inquiry = {
          format: 'json',
          limit: Number.POSITIVE_INFINITY,
          now: world.now(),
          options: { config },
          terminal,
        }
        const { answer, view, exitCode = 0 } = await impact.read(history, values, inquiry)
        const plain = { colour: false, width: 100, tableWidth: 100 }
        const json = JSON.parse(writeAnswer('json', answer, view, plain))
        checkDocument(json)
        return { rows: json.rows, text: writeAnswer('text', answer, view, plain), exitCode }
      })
    },
    /** Sends a printed request as a person does, at the gateway itself. */
    async sendPrinted(
      { method, url: printed, headers }: PrintedRequest,
      filled: Readonly<Record<string, string>> = {},
    ) {
      const fill = (text: string) =>
        text.replace(
          /\$\{(\w+)\}/g,
          (_, name: string) => ({ ACME_KEY: world.service.fleet.personalKey, ...filled })[name] ?? '',
        )
      const shown = Object.entries(headers).map(([name, value]) => [name, fill(value)] as const)
      const answer = await fetch(fill(printed).replace(url, world.service.url), {
        method,
        headers: Object.fromEntries(shown),
      })
      world.pass(0)
      return answer.status
    },
    /** Sends all that rows print, in their order, each batch after the one before. */
    async sendAll(rows: readonly Row[]): Promise<void> {
      for (const { first, retry, replay } of rows) {
        for (const request of first) await this.sendPrinted(request)
        if (retry !== null) await this.sendPrinted(retry)
        world.pass(60)
        for (const EVENT_ID of replay?.events ?? []) await this.sendPrinted(replay, { EVENT_ID })
        world.pass(600)
      }
    },
    async [Symbol.asyncDispose]() {
      proxy.closeAllConnections()
      proxy.close()
      await harness[Symbol.asyncDispose]()
      await (world as TrafficWorld)[Symbol.asyncDispose]()
    },
  }
}

export type ImpactWorld = Awaited<ReturnType<typeof openImpactWorld>>
