import { describe, expect, it } from 'vitest'
import { openAuditHarness } from '../audit/audit-harness.ts'
import { anEndpoint, aSubscription, openLiteral, type Shown } from '../audit/literal-service.ts'
import { hasPostgres, openDatabaseFixture } from '../history/postgres/databases.ts'
import { key, project } from '../service/fake-service.ts'
import { firstDifference, renderAll } from './compare-answers.ts'
import { openPoolHarness } from './pool-harness.ts'

const clean: Shown = { endpoints: [anEndpoint('EP-1'), anEndpoint('EP-2')] }

/** An endpoint with a part of its JSON text replaced. */
const withText = (text: string) => JSON.stringify(anEndpoint('EP-1', { description: 'here' })).replace('"here"', text)

const filtered = JSON.stringify(
  aSubscription('SUB-1', 'EP-1', {
    filter_config: { event_types: ['a.b'], filter: { body: 'here', headers: {}, query: {}, path: {} } },
  }),
)

const shown: Readonly<Record<string, Shown>> = {
  'a NUL in a text': { endpoints: [withText('"a\\u0000b"')] },
  'a NUL in a name of an unknown field': { endpoints: [withText('"", "a\\u0000b": "c\\u0000d"')] },
  'half a surrogate in a text': { endpoints: [withText('"a\\ud800b"')] },
  'half a surrogate in a name': { endpoints: [withText('"", "\\udc00": 1')] },
  'a whole pair': { endpoints: [withText('"\\ud83d\\ude00"')] },
  'a number that no double holds': { ...clean, subscriptions: [filtered.replace('"here"', '{"amount":1e400}')] },
  'a text like the mark of such a number': { endpoints: [withText('"number:1e400"')] },
  'a name twice in one object': { endpoints: [withText('"one", "description": "other"')] },
  'a name twice, once escaped': { endpoints: [withText('"one", "descr\\u0069ption": "other"')] },
  'a name with an escape': { endpoints: [withText('"", "\\u006eote": "c"')] },
  'two endpoints of one name': { endpoints: [anEndpoint('EP-1', { name: 'x' }), anEndpoint('EP-2', { name: 'x' })] },
}

describe.skipIf(!hasPostgres)('what a service shows, through a pool', () => {
  const fixture = openDatabaseFixture()

  it('equals what one process reports of it', async () => {
    await using literal = await openLiteral(clean)
    await using pool = openPoolHarness(fixture.place.server)
    const { openHistory, conduct } = pool
    await using together = openAuditHarness({ projects: { orders: project }, key, openHistory, conduct })
    const worker = await pool.startWorker()
    const turn = { url: literal.url, listings: { filters: 'off' } } as const
    for (const [what, odd] of Object.entries(shown)) {
      for (const state of [odd, { subscriptions: [], ...clean }]) {
        literal.show(state)
        const [expected, found] = [await literal.harness.audit(turn), await together.audit(turn)].map(renderAll)
        together.advance(literal.harness.clock.now() - together.clock.now())
        for (const [format, text] of found ?? [])
          expect(firstDifference(expected?.get(format), text), `${what}: ${format}`).toBeUndefined()
      }
    }
    await worker.stop()
    expect(pool.faults).toEqual([])
  })
})
