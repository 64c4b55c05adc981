import { describe, expect, it } from 'vitest'
import { diffAttributes } from '../../src/gateway/inventory/diff-attributes.ts'
import type { JsonObject } from '../../src/model/json.ts'
import { isIgnoredBy, leaveOutIgnored, refuseIgnoredPath } from '../../src/policy/ignored-paths.ts'

const ignoring = (...paths: string[]) => paths.map((path) => ({ path, at: '/etc/policy.yaml:4:11' }))

describe('an ignored path', () => {
  it.each([
    ['/description', '/description', true],
    ['/authentication', '/authentication/api_key/header_name', true],
    ['/authentication/api_key', '/authentication', false],
    ['/secrets/*', '/secrets/01M/expires_at', true],
    ['/secrets/*/expires_at', '/secrets/01M/expires_at', true],
    ['/secrets/*/expires_at', '/secrets/01M', false],
    ['/name', '/names', false],
    ['/filter_config/filter/body/a~1b', '/filter_config/filter/body/a~1b', true],
  ])('%s against %s: %s', (path, pointer, isIgnored) => {
    expect(isIgnoredBy({ path }, pointer)).toBe(isIgnored)
  })

  it.each([
    '/description',
    '/config/ratelimit/*',
    '/config/*/duration',
    '/secrets/*/expires_at',
    '/filter_config/filter/body/amount/any',
    '/provider_config/any/thing',
    '/*',
    '/created_at',
  ])('is known: %s', (path) => expect(refuseIgnoredPath(path)).toBeUndefined())

  it.each([
    ['/descripton', 'no kind has the field `/descripton`, did you mean `/description`?'],
    [
      '/config/ratelimt/count',
      'no kind has the field `/config/ratelimt/count`, did you mean `/config/ratelimit/count`?',
    ],
    ['/secrets/*/expire_at', 'no kind has the field `/secrets/*/expire_at`, did you mean `/secrets/*/expires_at`?'],
    ['/zzzzzzzzzz', 'no kind has the field `/zzzzzzzzzz`, `hookdrift docs policy#fields` lists them'],
    ['/name/first', 'no kind has the field `/name/first`, `/name` has no fields of its own'],
    ['/failure_rate', '`/failure_rate` changes by itself and is never compared: leave it out'],
  ])('is refused: %s', (path, says) => expect(refuseIgnoredPath(path)).toBe(says))
})

describe('a comparison without ignored fields', () => {
  const compare = (before: JsonObject, after: JsonObject, ...paths: string[]) =>
    leaveOutIgnored(ignoring(...paths), {
      before,
      after,
      fields: diffAttributes('endpoint', before, after, { sealsComparable: true }),
    })

  it('keeps the others, counts by path, and shows rules the ignored ones as they are now', () => {
    const before = { name: 'a', description: 'x', url: 'https://a.example', rate_limit: 5 }
    const after = { name: 'b', description: 'y', url: 'https://b.example', rate_limit: 5 }
    const kept = compare(before, after, '/description', '/name')
    expect(kept.fields).toEqual([{ path: '/url', before: 'https://a.example', after: 'https://b.example' }])
    expect(kept.before).toEqual({ ...before, name: 'b', description: 'y' })
    expect([...kept.ignoredCounts]).toEqual([
      ['/description', 1],
      ['/name', 1],
    ])
  })

  it('reaches things that came, went and changed within lists', () => {
    const secret = (expires_at: string | null) => ({ value: `sealed:${'a'.repeat(32)}`, expires_at })
    const before = { secrets: { gone: secret(null), kept: secret(null) } }
    const after = { secrets: { come: secret(null), kept: secret('2027-01-01T00:00:00Z') } }
    expect(compare(before, after, '/secrets/*/expires_at')).toMatchObject({
      before: { secrets: { gone: secret(null), kept: secret('2027-01-01T00:00:00Z') } },
      fields: [{ path: '/secrets/come' }, { path: '/secrets/gone' }],
    })
    const all = compare(before, after, '/secrets')
    expect(all).toMatchObject({ before: after, fields: [] })
    expect([...all.ignoredCounts]).toEqual([['/secrets', 3]])
  })

  it('is the comparison itself where nothing is ignored', () => {
    const [before, after] = [{ name: 'a' }, { name: 'b' }]
    const kept = compare(before, after)
    expect(kept.before).toBe(before)
    expect([kept.fields.length, kept.ignoredCounts.size]).toEqual([1, 0])
  })
})
