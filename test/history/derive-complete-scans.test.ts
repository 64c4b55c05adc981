import { describe, expect, it } from 'vitest'
import { deriveCompleteScans } from '../../src/history/derive-complete-scans.ts'
import type { CompleteScan } from '../../src/history/records.ts'
import type { Listing } from '../../src/model/resource.ts'

type Walk = Pick<CompleteScan, 'run' | 'filter'>
const inRun = (run: number, filter: string | null = null): Walk => ({ run, filter })

function derive(
  walks: Partial<Record<Listing, Walk>>,
  lifted?: Walk,
  normaliserOf: (run: number) => number | undefined = () => undefined,
) {
  return deriveCompleteScans({
    lastComplete: (listing) => walks[listing],
    lastLifted: () => lifted,
    normaliserOf,
  })
}
const scan = (listing: Listing, run: number, filter: string | null = null) => ({
  ...{ listing, run, filter },
  normaliser: undefined,
})

describe('the last complete scan of each kind', () => {
  it('is the last complete walk of its listing; devices come with subscriptions', () => {
    expect(
      derive({ endpoints: inRun(3), subscriptions: inRun(2, 'name=e'), sources: inRun(1), project: inRun(4) }),
    ).toEqual({
      endpoint: scan('endpoints', 3),
      subscription: scan('subscriptions', 2, 'name=e'),
      device: scan('subscriptions', 2, 'name=e'),
      source: scan('sources', 1),
      project: scan('project', 4),
    })
  })

  it('is missing for a kind whose listing was never walked to its end', () => {
    expect(derive({})).toEqual({})
    expect(Object.keys(derive({ project: inRun(1) }))).toEqual(['project'])
  })

  it.each([
    ['never listed', undefined, inRun(2), scan('subscriptions', 2)],
    ['listed before', inRun(1), inRun(2), scan('subscriptions', 2)],
    ['listed since', inRun(3), inRun(2), scan('sources', 3)],
    ['listed in the same run', inRun(2, 'name=e'), inRun(2), scan('sources', 2, 'name=e')],
    ['never lifted', inRun(1), undefined, scan('sources', 1)],
  ])('of sources is the later of listing and subscriptions: %s', (_, listed, lifted, expected) => {
    const walks = { subscriptions: inRun(9), ...(listed && { sources: listed }) }
    expect(derive(walks, lifted).source).toEqual(expected)
  })

  it('knows the normal form of its run, where resources will be compared', () => {
    const { endpoint, source } = derive({ endpoints: inRun(3), sources: inRun(1) }, inRun(2), (run) => run * 10)
    expect([endpoint?.normaliser, source?.normaliser]).toEqual([30, 20])
  })
})
