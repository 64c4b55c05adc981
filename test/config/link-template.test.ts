// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of the configuration
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { linkTemplate } from '../../src/config/configuration-schema.ts'
import { fillTemplate } from '../../src/model/resource-link.ts'
import { anyCharacter } from '../any-character.ts'
import { configure, firstService, refusal, withService } from './config-fixture.ts'

const ui = 'https://convoy.example/projects/{project_id}/{listing}/{uid}?from={service}#{kind}'

describe('a template of addresses', () => {
  it('is read for each service, and from the top where a service has none', () => {
    const own = configure(
      withService({ ui_url: ui }, { ui_url: 'https://other.example', report_url: 'http://r.example/{run}' }),
    )
    expect([firstService(own).uiUrl, own.reportUrl]).toEqual([ui, 'http://r.example/{run}'])
    expect(firstService(configure(withService({}, { ui_url: 'https://other.example/{uid}' }))).uiUrl).toBe(
      'https://other.example/{uid}',
    )
    expect(firstService(configure(withService({}))).uiUrl).toBeUndefined()
  })

  it('is part of the digest of the configuration only where there is one', () => {
    const digest = (members: object, top = {}) => configure(withService(members, top)).digest
    expect(digest({ ui_url: ui })).not.toBe(digest({}))
    expect(digest({}, { report_url: 'https://r.example' })).not.toBe(digest({}))
  })

  it.each([
    'ftp://convoy.example/{uid}',
    'javascript:alert(1)',
    'https://me:not-a-real-key@convoy.example/{uid}',
    'https://me@convoy.example/',
    'https://{service}.example/{uid}',
    'https://convoy.example{uid}',
    'https://convoy.example/{uid',
    'https://convoy.example/uid}',
    'https://convoy.example/{}',
    'https://convoy.example/a b',
    'https://convoy.example/<b>|x',
    'https://convoy.example/\n',
    'https://convoy.example:99999/',
    '//convoy.example/{uid}',
    `https://convoy.example/${'x'.repeat(2000)}`,
    '',
  ])('is refused, without its credentials: %j', (text) => {
    const lines = refusal(withService({ ui_url: text }))
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatch(/^1:\d+: ui_url /)
    expect(lines[0]).not.toContain('not-a-real-key')
  })

  it('with unknown placeholders is refused with the place of each, and with what else is wrong', () => {
    const text = [
      'report_url: https://r.example/{runn}/{uid}',
      'ui_url: https://c.example/{Uid}',
      'services:',
      '  - name: acme',
      '    url: https://hooks.example.com',
      '    key: ${ACME_KEY}',
      '    ui_url: https://c.example/{uid}/{uidd}',
      '    ui_uri: https://c.example',
      '    projects: [{ id: p1 }]',
    ].join('\n')
    expect(refusal(text)).toEqual([
      '1:31: there is no placeholder `runn` here, did you mean run?',
      '1:38: there is no placeholder `uid` here, expected one of run, directory, fingerprint',
      '2:27: there is no placeholder `Uid` here, did you mean uid?',
      '7:37: there is no placeholder `uidd` here, did you mean uid?',
      '8:5: `ui_uri` is unknown, did you mean `ui_url`?',
    ])
  })

  it('does not show what is not plain in an unknown placeholder', () => {
    const [line = ''] = refusal(withService({ ui_url: 'https://c.example/{key=CO.sSR3Vx0123456789}' }))
    expect(line).toMatch(/there is no placeholder/)
    expect(line).not.toContain('sSR3Vx')
  })
})

describe('an address from a template', () => {
  const values = fc.record({ uid: fc.string({ unit: anyCharacter }), kind: fc.string(), listing: fc.webUrl() })
  const fixed = { service: 'acme', project: 'payments', project_id: '01P' }

  it('leads where the template says, regardless of the values', () => {
    fc.assert(
      fc.property(values, (some) => {
        const filled = fillTemplate(ui, { ...fixed, ...some })
        if (filled === undefined) return
        const url = new URL(filled)
        expect(url.origin).toBe('https://convoy.example')
        const segments = url.pathname.split('/')
        expect([segments.length, segments[1], segments[2]]).toEqual([5, 'projects', '01P'])
        expect([...url.searchParams]).toEqual([['from', 'acme']])
        // Each value is there as it was.
        expect(segments.slice(3).map(decodeURIComponent)).toEqual([some.listing, some.uid.toWellFormed()])
        expect(decodeURIComponent(url.hash.slice(1))).toBe(some.kind)
        // Nothing that a chat or Markdown gives a meaning comes from a value.
        expect(filled.slice('https://convoy.example/projects/01P/'.length)).toMatch(/^[\w%./?=#-]*$/)
      }),
      { numRuns: 2_000 },
    )
  })

  it.each(['', '.', '..'])('does not exist for a value that would lead elsewhere: %j', (uid) => {
    expect(fillTemplate('https://c.example/a/{uid}/b', { uid })).toBeUndefined()
  })

  it('does not exist where it would be too long', () => {
    expect(fillTemplate('https://c.example/{uid}', { uid: 'x'.repeat(1_900) })).toHaveLength(1_918)
    expect(fillTemplate('https://c.example/{uid}', { uid: '€'.repeat(300) })).toBeUndefined()
  })

  it('fits the form that a template has', () => {
    fc.assert(
      fc.property(fc.string(), (uid) => {
        const filled = fillTemplate('https://c.example/{uid}', { uid })
        expect(filled === undefined || linkTemplate.safeParse(filled).success).toBe(true)
      }),
    )
  })
})
