import { describe, expect, it } from 'vitest'
import { readLocation } from '../../src/history/location.ts'
import { AuditError } from '../../src/model/errors.ts'

describe('the location of a history', () => {
  it('is a file relative to a directory, with the key file next to it', () => {
    expect(readLocation('data/h.db', '/work')).toEqual({
      kind: 'file',
      path: '/work/data/h.db',
      keyFile: '/work/data/hookdrift.key',
      displayName: '/work/data/h.db',
    })
    expect(readLocation('/data/h.db', '/work').displayName).toBe('/data/h.db')
  })

  it('is a database, shown without user and password', () => {
    const url = 'PostgreSQL://user:not-a-real-key@db.example.com:5433/h?schema=audits&sslrootcert=certs/ca.pem'
    expect(readLocation(url, '/work')).toEqual({
      kind: 'postgres',
      server: {
        host: 'db.example.com',
        port: 5433,
        user: 'user',
        password: 'not-a-real-key',
        database: 'h',
        schema: 'audits',
        tls: 'verify-full',
        rootCertificate: '/work/certs/ca.pem',
      },
      displayName: 'postgres://db.example.com:5433/h?schema=audits',
    })
  })

  it.each(['mysql://user:not-a-real-key@db/h', 'file:///data/h.db', 'https://a.example/h'])(
    'refuses a URL of something else and quotes no more of it than its scheme: %s',
    (url) => {
      const [scheme] = url.split(':')
      expect(() => readLocation(url, '/work')).toThrow(
        expect.objectContaining({
          exitCode: 2,
          message: `the history is named by a URL that is not of PostgreSQL (${scheme}://…)`,
          advice: 'name a file, such as ./hookdrift.db, or postgres://HOST/DATABASE',
        }),
      )
    },
  )

  it.each(['postgres:user:not-a-real-key@db.example.com/h', 'postgresql:/user:not-a-real-key@db.example.com/h'])(
    'refuses a URL without its slashes, and shows nothing of it: %s',
    (url) => {
      expect(() => readLocation(url, '/work')).toThrow(
        new AuditError('usage', 'the history is named by a URL that lacks the two slashes (postgres:…)', {
          advice: 'name it as postgres://HOST/DATABASE',
        }),
      )
    },
  )

  it.each(['a:b.db', 'postgres:/h.db', './x://y.db', 'C:\\h.db'])(
    'takes a text without a scheme for a path: %s',
    (path) => {
      expect(readLocation(path, '/work').displayName).toBe(`/work/${path.replace('./', '').replace('//', '/')}`)
    },
  )
})
