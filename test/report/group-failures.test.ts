import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { coverageCauses, readReason, writeReason } from '../../src/model/coverage.ts'
import type { ReportCoverage } from '../../src/model/report.ts'
import { describeFailures, groupEvidenceGaps, groupFailures } from '../../src/report/describe-failures.ts'
import { explainFailures } from '../../src/report/text/show-coverage.ts'
import { aWalk } from './sample-reports.ts'

const failed = (project: string, listing: ReportCoverage['listing'], reason: string): ReportCoverage =>
  aWalk({ project, listing, status: 'failed', cause: 'network', reason, items: 0 })

describe('the reason of a walk', () => {
  it('is read back as it was written', () => {
    const word = fc.stringMatching(/^[A-Za-z0-9:/._-]{1,30}$/)
    const fact = fc.option(word)
    fc.assert(
      fc.property(fc.string(), fact, fact, fact, fact, (what, url, urlOrigin, key, requestId) => {
        fc.pre(url !== null || urlOrigin !== null || key !== null || requestId !== null)
        const facts = { what, url, urlOrigin, key, requestId }
        expect(readReason(writeReason(facts))).toEqual(facts)
      }),
    )
  })

  it('takes no address from the words of a service', () => {
    const what = '500; the service says "x (GET http://evil.example)"'
    expect(readReason(what).url).toBeNull()
    expect(
      readReason(writeReason({ what, url: 'http://a.example', urlOrigin: null, key: null, requestId: null })),
    ).toMatchObject({
      what,
      url: 'http://a.example',
    })
  })
})

describe('failed walks', () => {
  it('that differ in page, tries, address and case are one group of each service', () => {
    const groups = groupFailures(
      [
        failed('acme/a', 'project', 'project: Connection refused after 5 tries (GET http://h/api/v1/projects/a)'),
        failed('acme/a', 'endpoints', 'page 1: connection refused (GET http://h/api/v1/projects/a/endpoints)'),
        failed('acme/b', 'sources', 'page 12: connection refused, no time left for further tries'),
        failed('other/a', 'sources', 'page 1: connection refused'),
        aWalk({ project: 'acme/c' }),
        aWalk({
          project: 'acme/c',
          listing: 'sources',
          status: 'skipped',
          cause: 'not_offered',
          reason: 'not offered',
        }),
      ],
      [],
    )
    expect(
      groups.map(({ service, url, walks, projects }) => [service, url, walks, projects.map(({ name }) => name)]),
    ).toEqual([
      ['acme', 'http://h/api/v1/projects/a', 3, ['acme/a', 'acme/b']],
      ['other', null, 1, ['other/a']],
    ])
  })

  it('of different causes are different groups, and none is lost', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ cause: fc.constantFrom(...coverageCauses), reason: fc.string({ minLength: 1 }) })),
        (walks) => {
          const groups = groupFailures(
            walks.map((walk) => aWalk({ ...walk, status: 'failed' })),
            [],
          )
          expect(groups.reduce((sum, group) => sum + group.walks, 0)).toBe(walks.length)
          expect(new Set(groups.map(({ cause }) => cause)).size).toBe(new Set(walks.map(({ cause }) => cause)).size)
          for (const group of groups) expect(describeFailures(group).facts.map(({ label }) => label)).toContain('cost')
        },
      ),
    )
  })

  it('count the list of projects apart', () => {
    const walks = ['acme/*', 'acme/a', 'acme/b'].map((name) => failed(name, 'project', 'project: 500'))
    const [group] = groupFailures(walks, [])
    expect(describeFailures(group ?? expect.unreachable()).cost).toBe(
      '3 listings of 2 projects and the list of projects: acme/*, acme/a, acme/b; nothing seen',
    )
  })

  it('name at most five projects and keys', () => {
    const names = Array.from({ length: 8 }, (_, at) => `acme/p${at}`)
    const walks = names.map((name) =>
      failed(name, 'endpoints', `page 1: 401 unauthorized (key \${K} at f.yaml:${name.at(-1)}:1)`),
    )
    const [group] = groupFailures(walks, [])
    const { facts } = describeFailures(group ?? expect.unreachable())
    expect(facts.filter(({ label }) => label === 'key').length).toBe(6)
    expect(facts.find(({ label }) => label === 'cost')?.text).toBe(
      '8 listings of 8 projects: acme/p0, acme/p1, acme/p2, acme/p3, acme/p4 and 3 more; nothing seen',
    )
  })
})

it.each([
  [1, 'and 1 more cause, see the report'],
  [2, 'and 2 more causes, see the report'],
])('are explained on stderr up to a number, and the others counted: %s', (others, said) => {
  const coverage = Array.from({ length: 20 + others }, (_, at) =>
    failed(`s${at}/a`, 'endpoints', `page 1: connection refused (GET http://s${at}.example/api)`),
  )
  expect(explainFailures({ coverage, projects: [] }).at(-1)).toBe(said)
})

const refused = (project: string, listing: 'endpoints' | 'sources') => ({
  project,
  listing,
  status: 'failed' as const,
  reason: `page 1: connection refused (GET http://gateway.example/api/v1/projects/${project}/${listing})`,
})

describe('walks that are missing from evidence', () => {
  it('are one for each service and cause', () => {
    const late = { project: 'acme/a', listing: 'endpoints', status: 'partial', reason: 'page 2: HTTP 500' } as const
    const gaps = [refused('acme/a', 'endpoints'), late, refused('acme/a', 'sources'), refused('acme/b', 'endpoints')]
    expect(groupEvidenceGaps(gaps)).toEqual([
      { where: 'acme/a endpoints, sources; acme/b endpoints', status: 'failed', reason: 'connection refused' },
      { where: 'acme/a endpoints', status: 'partial', reason: 'page 2: HTTP 500' },
    ])
  })

  it('of two services are two, and keep the whole reason where they are alone', () => {
    const gaps = [refused('acme/a', 'endpoints'), refused('other/a', 'endpoints')]
    expect(groupEvidenceGaps(gaps)).toEqual(
      gaps.map(({ project, status, reason }) => ({ where: `${project} endpoints`, status, reason })),
    )
    expect(groupEvidenceGaps([{ ...refused('acme/a', 'sources'), reason: null }])).toMatchObject([
      { reason: 'no reason given' },
    ])
  })
})
