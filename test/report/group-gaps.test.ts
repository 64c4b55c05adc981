import { describe, expect, it } from 'vitest'
import { groupGaps } from '../../src/report/compliance/group-gaps.ts'

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
    expect(groupGaps(gaps)).toEqual([
      { where: 'acme/a endpoints, sources; acme/b endpoints', status: 'failed', reason: 'connection refused' },
      { where: 'acme/a endpoints', status: 'partial', reason: 'page 2: HTTP 500' },
    ])
  })

  it('of two services are two, and keep the whole reason where they are alone', () => {
    const gaps = [refused('acme/a', 'endpoints'), refused('other/a', 'endpoints')]
    expect(groupGaps(gaps)).toEqual(
      gaps.map(({ project, status, reason }) => ({ where: `${project} endpoints`, status, reason })),
    )
    expect(groupGaps([{ ...refused('acme/a', 'sources'), reason: null }])).toMatchObject([
      { reason: 'no reason given' },
    ])
  })
})
