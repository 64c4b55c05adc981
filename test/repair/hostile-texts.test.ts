import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { changeData } from '../../src/demo/edits.ts'
import type { EndpointRow, ProjectData, ProjectRow, SourceRow, SubscriptionRow } from '../../src/demo/rows.ts'
import { readRequest } from '../../src/gateway/repair/read-request.ts'
import { anyCharacter } from '../any-character.ts'
import { at } from '../audit/fleet-fixture.ts'
import { openSiteOver } from '../pages/story-site.ts'
import { type HistoryFixture, openHistoryFixture } from '../questions/history-fixture.ts'
import { fillBody, type PrintedRow, valuesFrom } from './send-rows.ts'

const run = promisify(execFile)
const secret = (word: string) => `not-a-real-key-${word}-8f41c09be2d7a365`
const reference = (name: string) => `\${${name}}`

/** Templates of the language spell placeholders, too. */
const program = `function transform(headers) { return [${['ACME_KEY', 'ACME_URL', 'SOURCE_VERIFIER_HMAC_SECRET']
  .map((name) => `\`of ${reference(name)}\``)
  .join()}] }`

/** Every free text of each kind is `text`, also names of members. */
function rowsWith(text: string) {
  const endpoint: Partial<EndpointRow> = {
    name: text,
    description: text,
    owner_id: text,
    support_email: text,
    url: `https://hooks.example.com/in?token=${secret('url')}&n=${reference('ACME_KEY')}`,
    authentication: { type: 'api_key', api_key: { header_name: text, header_value: secret('header') } },
  }
  const subscription: Partial<SubscriptionRow> = {
    name: text,
    function: `x ${text} const key = '${secret('code')}'`,
    alert_config: { count: 5, threshold: text },
    filter_config: {
      event_types: [text],
      filter: {
        is_flattened: true,
        headers: { [text]: { $eq: text }, 'x-api-key': { $eq: secret('filter') } },
        body: { [text]: [text, null, true, { [text]: text }], [`${text}2`]: text, amount: 1.5 },
      },
    },
  }
  const source: Partial<SourceRow> = {
    name: text,
    body_function: `x ${text}`,
    header_function: program,
    type: 'pub_sub',
    forward_headers: [text],
    idempotency_keys: [`request.Body.${text}`],
    custom_response: { body: text, content_type: text },
    verifier: {
      type: 'hmac',
      basic_auth: null,
      api_key: null,
      hmac: { header: text, hash: 'SHA256', secret: secret('hmac'), encoding: 'hex' },
    },
    pub_sub: {
      type: 'amqp',
      workers: 2,
      amqp: {
        schema: 'amqps',
        host: 'mq.example.com',
        port: '5671',
        queue: text,
        vhost: text,
        bindedExchange: text,
        routingKey: text,
        deadLetterExchange: text,
        auth: { user: text, password: secret('amqp') },
      },
    },
  }
  const project = {
    name: text,
    config: {
      signature: { header: text, versions: [] },
      meta_event: {
        is_enabled: true,
        type: 'http',
        event_type: [text],
        url: 'https://m.example.com',
        pub_sub: null,
        secret: secret('meta'),
      },
    },
  }
  return { endpoint, subscription, source, project }
}

describe('a printed command', () => {
  let history: HistoryFixture
  let project: string
  beforeAll(async () => {
    const sizes = { endpointsPerProject: 1, subscriptionsPerProject: 1, sourcesPerProject: 1 }
    history = await openHistoryFixture({ fleet: { incomingEvery: 1, ...sizes }, service: { release: 'later' } })
    project = at(history.fixture.fleet.projects(), 0).uid
  })
  afterAll(() => history[Symbol.asyncDispose]())

  function set(rows: ReturnType<typeof rowsWith>): void {
    const { fleet } = history.fixture
    changeData(fleet, project, (data): ProjectData => {
      return {
        endpoints: data.endpoints.map((row) => ({ ...row, ...rows.endpoint })),
        subscriptions: data.subscriptions.map((row) => ({ ...row, ...rows.subscription })),
        sources: data.sources.map((row) => ({ ...row, ...rows.source })),
      }
    })
    const row = fleet.project(project)
    if (row === undefined) throw new Error('the project is gone')
    const changed: ProjectRow = { ...row, name: rows.project.name, config: { ...row.config, ...rows.project.config } }
    fleet.replace(project, { project: changed })
  }

  function rowsNow(): readonly (readonly [uid: string, row: object])[] {
    const { fleet } = history.fixture
    const { endpoints, subscriptions, sources } = fleet.open(project)
    return [...endpoints, ...subscriptions, ...sources, fleet.project(project) ?? endpoints[0]].flatMap((row) => {
      if (row === undefined) return []
      const { updated_at: _, ...others } = row
      return [[row.uid, structuredClone(others)] as const]
    })
  }

  async function audit() {
    history.fixture.harness.advance(3_600_000)
    return history.fixture.audit()
  }

  /**
   * Sets every free text, changes it, and runs the commands that put it back in a shell. Returns the names of all
   * placeholders.
   */
  async function putBack(text: string): Promise<string[]> {
    const { fleet, service } = history.fixture
    const key = fleet.personalKey
    set(rowsWith(text))
    const wanted = rowsNow()
    const before = await audit()
    set(rowsWith('plain'))
    await audit()
    service.requests.length = 0
    const names: string[] = []
    for (const [uid, row] of wanted) {
      const args = ['restore', uid, '--run', `${before.run.number}`]
      const { rows, left_to_you: left }: { rows: PrintedRow[]; left_to_you: unknown } = await history.rows(args)
      expect({ left, count: rows.length }).toEqual({ left: [], count: 1 })
      const values = valuesFrom(rows, inRequestForm(row))
      names.push(...rows.flatMap(({ placeholders }) => placeholders.map(({ name }) => name)))
      const { stdout } = await history.ask(args)
      const script = commandIn(stdout)
      expect(script).not.toMatch(/[^\P{Cc}\n]|[\p{Cf}\p{Zl}\p{Zp}]/u)
      const env = {
        PATH: process.env.PATH ?? '',
        ACME_URL: service.url,
        ACME_KEY: key,
        SERVICE_KEY: secret('other'),
        ...Object.fromEntries(values),
      }
      await run('sh', ['-u', '-c', script], { env, timeout: 20_000 })
      // Each form is read back as the same request.
      const requests = [
        stdout,
        script,
        JSON.stringify({ schema: 'hookdrift.restore/2', rows }),
        JSON.stringify(rows[0]),
      ]
      const [first, ...others] = requests.map((form) => ({ ...readRequest(form, 'form'), position: '' }))
      expect(others).toEqual([first, first, first])
      expect(first).toMatchObject({ method: 'PUT', version: '2025-11-24' })
      // The JSON form says the same.
      for (const printed of rows) expect(inRequestForm(row)).toMatchObject(Object(fillBody(printed, values)))
    }
    expect(rowsNow()).toEqual(wanted)
    expect(service.requests.map(({ method, status }) => `${method} ${status}`)).toEqual(wanted.map(() => 'PUT 202'))
    for (const { path, headers } of service.requests) {
      const { authorization, ...others } = headers
      expect(authorization).toBe(`Bearer ${key}`)
      expect(JSON.stringify([path, others])).not.toContain('not-a-real-key')
    }
    return names
  }

  const spellings = (name: string) => [reference(name), `'"\${${name}:?}"'`, `"$${name}"`]
  const words = [
    ...["'", '"', '\\', '`id`', '$(id)', "'; exit 3; '", '!!', '*', '~', '#', '&', '|', '@/etc/passwd', '-d @x'],
    ...['\n', '\r\n', '\t', '\u0000', '\u001b[31m', '\u202e', '\u2028', 'é漢😀', '<b>', '{}', '[a-z]', '%2e%2e'],
    ...['sealed:', `sealed:${'a0'.repeat(15)}`, 'number:1', '__proto__', 'constructor', 'text:number:1e400'],
  ]
  let names: readonly string[] = []

  it('puts back texts that spell every placeholder there is, as the texts that they are', async () => {
    names = [...new Set(await putBack('plain text'))]
    expect(names.length).toBeGreaterThan(8)
    for (const name of [...names, 'SERVICE_KEY', 'HOME']) await putBack(reference(name))
    for (const name of names) await putBack(spellings(name).join(' and '))
    await putBack(names.map(reference).join(''))
  })

  it('puts back what else a shell, JSON or the history could read as more than a text', async () => {
    await putBack(words.join(' '))
    await putBack(words.join(''))
    for (const text of ['number:1e400', 'text:number:1e400', '__proto__', '..', '0']) await putBack(text)
  })

  it('puts back texts that spell seals, once a person fills them in', async () => {
    await putBack(`sealed:${'0'.repeat(32)}`)
    await putBack(`sealed:masked and sealed:${'a'.repeat(32)} ${reference('ENDPOINT_NAME')} ${reference('ACME_KEY')}`)
  })

  it('is the same on the page of the resource, and so are the rows of the API', async () => {
    set(rowsWith(`${names.flatMap(spellings).slice(0, 12).join(' ')} <b>&amp;`))
    await audit()
    set(rowsWith('simple'))
    await audit()
    const site = await openSiteOver(history)
    const text = async (path: string) => (await site.get(path)).text()
    for (const [uid] of rowsNow()) {
      const [, shown = ''] = /<pre class="command">(.*?)<\/pre>/s.exec(await text(`/resources/${uid}`)) ?? []
      const command = commandIn((await history.ask(['restore', uid])).stdout)
      expect(command).toContain('ACME_KEY')
      expect(unescaped(shown).trimEnd()).toBe(command)
      const { rows } = await history.rows(`restore ${uid}`)
      expect(JSON.parse(await text(`/api/v1/restore?uid=${uid}`)).rows).toEqual(rows)
    }
    await site.history.close()
  })

  it('puts back any text', async () => {
    const piece = fc.oneof(
      fc.constantFrom(...words, ...names.flatMap(spellings)),
      fc.string({ unit: anyCharacter, maxLength: 6 }),
    )
    const text = fc.array(piece, { minLength: 1, maxLength: 8 }).map((pieces) => `x${pieces.join('')}`)
    await fc.assert(
      fc.asyncProperty(text, async (one) => {
        await putBack(one)
      }),
      { numRuns: 12 },
    )
  })
})

function commandIn(text: string): string {
  return /^curl [\s\S]*?\n {2}--url .*$/m.exec(text)?.[0] ?? ''
}

function unescaped(html: string): string {
  const characters: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', '#39': "'" }
  return html.replace(/&(#?\w+);/g, (entity, name: string) => characters[name] ?? entity)
}

/** A body nests what a row has flat. */
function inRequestForm(row: object): unknown {
  const { pub_sub, config, name, retry_config, ...others } = Object(row)
  if (config !== undefined) return { name, config }
  const durations = retry_config && { retry_config: { ...retry_config, duration: `${retry_config.duration}s` } }
  if (!pub_sub?.amqp) return { ...others, name, ...durations }
  const { bindedExchange: exchange, routingKey, ...amqp } = pub_sub.amqp
  return { ...others, name, pub_sub: { ...pub_sub, amqp: { ...amqp, bindExchange: { exchange, routingKey } } } }
}
