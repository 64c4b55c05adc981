import { describe, expect, it } from 'vitest'
import { readLocation } from '../../src/history/location.ts'
import { withoutPassword } from '../../src/history/postgres-server.ts'
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

  it.each([
    ['postgres://user@/h?host=/run/postgresql', 'postgres:///h?host=/run/postgresql'],
    ['postgres://user@localhost:5544/h?host=/run/post%20gresql', 'postgres://localhost:5544/h?host=/run/post%20gresql'],
    ['postgres://user@[::1]:5433/a%3Fb', 'postgres://[::1]:5433/a%3Fb'],
    ['postgres://user@[fe80::1]/h', 'postgres://[fe80::1]/h'],
  ])('shows a URL that names the same database: %s', (url, shown) => {
    const [given, read] = [readLocation(url, '/work'), readLocation(shown, '/work')]
    expect(given.displayName).toBe(shown)
    if (given.kind !== 'postgres' || read.kind !== 'postgres') throw new Error('one is a file')
    expect(read.server).toEqual({ ...given.server, user: undefined })
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

  it.each([
    'postgres://user:12#a-real-key@db.example.com/h',
    'postgres://user:12/a-real-key@db.example.com',
    'postgres://user:12?a-real-key@db.example.com/h',
    'postgres://user:not@a-real-key#x@db.example.com/h',
    'postgres://user@db.example.com/h#a-real-key',
  ])('refuses a URL whose password ends it too early, and shows nothing of it: %s', (url) => {
    const refused = expect.objectContaining({ exitCode: 2, message: expect.not.stringMatching(/12|real/) })
    expect(() => readLocation(url, '/work')).toThrow(refused)
  })

  it.each([
    ['postgres://user:not-a-real-key@db/h', 'postgres://user@db/h'],
    ['postgres://user@corp:not-a-real-key@db/h', 'postgres://user@corp@db/h'],
    ['postgres://user:not/a?real#key@db/h', 'postgres://user@db/h'],
    ['postgres://user:not a@real key@db/h', 'postgres://user@db/h'],
    [
      'got 2: postgres://a:not-a-real-key@db/h, postgres://b:n@t@[::1]:5433/h',
      'got 2: postgres://a@db/h, postgres://b@[::1]:5433/h',
    ],
    ['postgres://user@[fe80::1]:5433/h', 'postgres://user@[fe80::1]:5433/h'],
    ['postgres://db:5433/h?sslmode=require', 'postgres://db:5433/h?sslmode=require'],
  ])('is shown in command lines without its password: %s', (text, shown) => {
    expect(withoutPassword(text)).toBe(shown)
  })

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
