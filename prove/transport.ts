import { setTimeout as sleep } from 'node:timers/promises'
import pLimit from 'p-limit'
import { createRandom } from '../src/demo/random.ts'
import { createServiceClient } from '../src/gateway/service/create-service-client.ts'
import { defaultDialect } from '../src/gateway/service/dialect.ts'
import { ServiceFault } from '../src/gateway/service/service-fault.ts'
import { defaultLimits } from '../src/gateway/service/settings.ts'
import { type Breach, type Range, runCases } from './run-cases.ts'
import { items, openBrokenServer, project } from './transport/broken-server.ts'
import { type Delivery, drawDelivery } from './transport/delivery.ts'

/**
 * Walks a list of three pages whose answers are refused, reset, cut, held back, of a wrong length, compressed or sent
 * elsewhere, against real servers on loopback. A walk ends with all items or with a fault, in time; the key goes to no
 * other host, and no message has it. `node prove/transport.ts [cases] [seed]`.
 */
const limitMs = 400
/** Much longer than all tries of a walk may take. */
const walkDeadlineMs = 60_000
/** For requests that are still on their way to another host. */
const strayMs = 200
/** Of two tries, with what lies in buffers. */
const mostRead = 3 * defaultLimits.maxBodyBytes

const key = 'CO.not-a-real-key'
/** Most of many walks is waiting. */
const limit = pLimit(12)
let opened: ReturnType<typeof openBrokenServer> | undefined

await runCases({ script: import.meta.url, atOnce: 96, deadlineMs: 900_000, prove })

async function prove({ seed, from, to }: Range): Promise<readonly Breach[]> {
  const indexes = Array.from({ length: to - from }, (_, at) => from + at)
  const found = await Promise.all(indexes.map((index) => limit(() => breachOf(seed, index))))
  await sleep(strayMs)
  const strays = (await opened)?.takeStrays() ?? []
  return [
    ...found.filter((breach) => breach !== undefined),
    ...strays.map((id): Breach => {
      const index = Number(id.replace('walk', ''))
      const { text } = deliveryOf(seed, index)
      return { index, promise: 'secrets', what: 'the key was sent to another host', shrunk: text, size: text.length }
    }),
  ]
}

function deliveryOf(seed: string, index: number): Delivery {
  return drawDelivery(createRandom(`transport/${seed}/${index}`))
}

async function breachOf(seed: string, index: number): Promise<Breach | undefined> {
  opened ??= openBrokenServer()
  const server = await opened
  const delivery = deliveryOf(seed, index)
  const { text, outcome } = delivery
  const broke = (promise: Breach['promise'], what: string) => ({
    index,
    promise,
    what,
    shrunk: text,
    size: text.length,
  })
  const id = `walk${index}`
  const startedAt = performance.now()
  const { seen, fault } = await walk(server.begin(id, delivery))
  const tookMs = performance.now() - startedAt
  const sent = server.end(id)
  const expected = items.map(({ uid }) => uid)
  if (tookMs > walkDeadlineMs) return broke('other', `the walk took ${(tookMs / 1000).toFixed(0)} s`)
  if (fault?.includes('not-a-real')) return broke('secrets', 'the fault has the key')
  if (fault === undefined && seen.join() !== expected.join())
    return broke('unseen', `complete with ${seen.length} of ${items.length} items`)
  if (fault === undefined && outcome === 'broken') return broke('unseen', 'complete, and an answer never came whole')
  if (seen.join() !== expected.slice(0, seen.length).join()) return broke('unseen', 'items that no page showed')
  // On a busy machine a healthy answer may be late.
  if (fault !== undefined && outcome === 'whole' && !fault.includes('no whole answer within'))
    return broke('other', `a whole answer is a fault: ${fault}`)
  if (sent > mostRead) return broke('other', `${sent} bytes of one answer were read`)
  return undefined
}

async function walk(url: string): Promise<{ readonly seen: unknown[]; readonly fault: string | undefined }> {
  const signal = new AbortController().signal
  const client = createServiceClient(
    {
      name: 'acme',
      url,
      pageSize: 2,
      limits: { ...defaultLimits, connectTimeoutMs: 2_000, retries: 1 },
      dialect: defaultDialect,
      ca: undefined,
      connections: 1,
    },
    {
      clock: { now: () => performance.now(), sleep: async () => {} },
      random: () => 0.5,
      env: {},
      timeoutAfter: () => AbortSignal.timeout(limitMs),
    },
  )
  const seen: unknown[] = []
  try {
    const access = {
      projectUid: project,
      key,
      filters: {},
      signal,
      traffic: { requests: 0, retries: 0 },
      budget: { waitedMs: 0 },
    }
    for await (const page of client.pages('endpoints', access)) seen.push(...page.items.map(({ uid }) => uid))
    return { seen, fault: undefined }
  } catch (error) {
    if (!(error instanceof ServiceFault)) throw error
    return { seen, fault: `${error.kind} ${error.message}` }
  } finally {
    await client.close()
  }
}
