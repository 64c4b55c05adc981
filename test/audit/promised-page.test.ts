import { describe, expect, it } from 'vitest'
import { changeData } from '../../src/demo/edits.ts'
import { endpointsIn } from './endpoints-in.ts'
import { type FleetFixture, openFleetFixture } from './fleet-fixture.ts'

/** Five endpoints, two a page, without subscriptions. */
async function openFixture() {
  const fixture = await openFleetFixture({ fleet: { endpointsPerProject: 5 }, harness: { pageSize: 2 } })
  changeData(fixture.fleet, fixture.uidOf('payments'), (data) => ({ ...data, subscriptions: [] }))
  return fixture
}

/** From now on a page that the one before it promised comes without items, and as the last one. */
function empty({ service }: FleetFixture, page: number, content: readonly [] | null = []): void {
  service.faults.length = 0
  const body = (text: string) => {
    const { data, ...envelope } = JSON.parse(text)
    const pagination = { ...data.pagination, has_next_page: false, next_page_cursor: '' }
    return JSON.stringify({ ...envelope, data: { content, pagination } })
  }
  service.failNext({ path: /\/endpoints/, page, times: Number.POSITIVE_INFINITY, how: 'rewrite', body })
}

const suspect = {
  exit: 3,
  status: 'suspect',
  removed: 0,
  resolved: 0,
  reason:
    'the last page is empty although the page before it promised more; accepted if the next scan misses nothing else, or with --accept-removals',
}
const complete = { exit: 0, status: 'complete', reason: null, resolved: 0 }

describe('a promised page that comes empty', () => {
  it.each([['an empty list', []] as const, ['null', null] as const])(
    'withholds missing resources until a second walk misses the same ones: %s',
    async (_title, content) => {
      await using fixture = await openFixture()
      await fixture.audit()
      empty(fixture, 3, content)
      expect(endpointsIn(await fixture.audit())).toEqual(suspect)
      expect(endpointsIn(await fixture.audit())).toEqual({ ...complete, removed: 1 })
    },
  )
})
