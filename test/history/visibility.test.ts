import { describe, expect, it } from 'vitest'
import { seenScans, seenWalks } from '../../src/history/visibility.ts'
import type { Coverage } from '../../src/model/coverage.ts'

const visibility = { isWhole: false, isVisible: (name: string) => name === 'acme/orders', seesService: () => false }
const run = { number: 1, started_at: '2026-11-21T00:00:00.000Z', finished_at: '2026-11-21T00:00:01.000Z' }
const project = { service: 'acme', uid: 'P1', name: 'acme/orders' }

const walk = (cause: Coverage['cause'], reason: string): Coverage => ({
  listing: 'endpoints',
  status: 'failed',
  cause,
  reason,
  filter: null,
  pages: 0,
  items: 0,
  requests: 1,
  retries: 0,
  duration_ms: 1,
})

describe('coverage, for a reader of some projects', () => {
  it("does not name the project whose answer came instead of the reader's own", () => {
    const foreign = walk('foreign', 'project: the answer is another project: the key belongs to "secret plans", P9')
    const said = { ...foreign, reason: 'the answer is of another project: the key is not one for this project' }
    expect(seenWalks([{ ...foreign, project: 'acme/orders' }], visibility)).toEqual([
      { ...said, project: 'acme/orders' },
    ])
    const scan = { project, run, coverage: [foreign], incompleteSince: run }
    expect(seenScans([scan], visibility)).toEqual([{ ...scan, coverage: [said] }])
  })

  it('keeps every other reason', () => {
    const failed = { ...walk('forbidden', 'endpoints: HTTP 403'), project: 'acme/orders' }
    expect(seenWalks([failed], visibility)).toEqual([failed])
  })
})
