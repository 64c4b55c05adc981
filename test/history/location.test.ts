import { describe, expect, it } from 'vitest'
import { readLocation } from '../../src/history/location.ts'

describe('the location of a history', () => {
  it('is a file relative to a directory, with the key file next to it', () => {
    expect(readLocation('data/h.db', '/work')).toEqual({
      kind: 'file',
      path: '/work/data/h.db',
      keyFile: '/work/data/hookdrift.key',
      shown: '/work/data/h.db',
    })
    expect(readLocation('/data/h.db', '/work').path).toBe('/data/h.db')
  })

  it.each(['postgres://user:not-a-real-key@db/h', 'PostgreSQL://db', 'file:///data/h.db', 'https://a.example/h'])(
    'refuses a URL and quotes no more of it than its scheme: %s',
    (url) => {
      const [scheme] = url.split(':')
      expect(() => readLocation(url, '/work')).toThrow(
        expect.objectContaining({
          exitCode: 2,
          message: `the history is named by a URL (${scheme}://…), and only files are supported`,
          advice: 'name a file, such as ./hookdrift.db',
        }),
      )
    },
  )

  it.each(['a:b.db', 'postgres:/h.db', './x://y.db', 'C:\\h.db'])(
    'takes a text without a scheme for a path: %s',
    (path) => {
      expect(readLocation(path, '/work').path).toBe(`/work/${path.replace('./', '').replace('//', '/')}`)
    },
  )
})
