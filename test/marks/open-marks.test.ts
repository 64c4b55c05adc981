import { describe, expect, it } from 'vitest'
import { openMarks } from '../../src/marks/open-marks.ts'

describe('a marked page', () => {
  it('keeps no more memory than it has bytes: a walk may have 100,000 pages of one item', async () => {
    const marks = await openMarks(
      {
        run: 1,
        marks: async () => undefined,
        markedPage: async () => undefined,
        lastScannedRun: async () => undefined,
      },
      { name: 'acme/p', service: 'acme', uid: 'p' },
      { key: Buffer.alloc(32), terms: {} },
    )
    const { body } = marks.sealPage('endpoints', 1, { digest: Buffer.alloc(16), body: Buffer.from('a page') })
    expect(body.buffer.byteLength).toBe(body.byteLength)
    expect(body.subarray(16).toString()).toBe('a page')
  })
})
