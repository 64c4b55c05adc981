import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PlannedRuns } from '../../src/config/configuration.ts'
import { noPlan, type SitePlan } from '../../src/pages/page.ts'
import type { StatusRow } from '../../src/questions/status.ts'
import { openStorySite } from './story-site.ts'

const minute = 60_000
const nightly = {
  name: 'nightly',
  cron: '0 3 * * *',
  timezone: 'UTC',
  projects: [],
  jitterMs: 0,
  runTimeoutMs: 30 * minute,
}

describe('the page of the worker', () => {
  let site: Awaited<ReturnType<typeof openStorySite>>
  let schedules: readonly PlannedRuns[] = []
  let projects: readonly StatusRow[]
  const plan: SitePlan = {
    ...noPlan,
    configured: async () => ({
      expected: { named: projects.map(({ project }) => project), isDiscovered: () => false },
      schedules,
      channels: [],
    }),
  }
  beforeAll(async () => {
    site = await openStorySite({ plan })
    projects = (await site.json('status')).rows
  })
  afterAll(() => site[Symbol.asyncDispose]())

  const read = async (path = '/worker') => (await site.get(path)).text()
  const rowOf = (page: string, schedule: string) =>
    new RegExp(`<tr data-schedule="${schedule}">.*?</tr>`, 's').exec(page)?.[0] ?? ''
  /** A time of day on which a run is due once a day, some minutes after the last scans. */
  const dailyAfter = (minutes: number) => {
    const at = new Date(Date.parse(projects[0]?.at ?? '') + minutes * minute)
    return `${at.getUTCMinutes()} ${at.getUTCHours()} * * *`
  }

  it('shows a project whose last scan failed as incomplete, before those that are current', async () => {
    schedules = []
    const page = await read()
    const states = [...page.matchAll(/data-label="Scan"><div>(?:<b class="bad">)?([^<]*)/g)].map(([, state]) => state)
    expect(states).toEqual(['INCOMPLETE', 'complete', 'complete'])
    const failed = projects.find(({ complete }) => !complete)
    expect(page).toContain(`data-label="Unknown" class="n">${failed?.unknown}<`)
  })

  it('says since when no run came, and when one was due', async () => {
    schedules = [
      { ...nightly, cron: '*/5 * * * *', jitterMs: 0, runTimeoutMs: 0 },
      { ...nightly, name: 'later' },
    ]
    const last = projects.map(({ at }) => at ?? '').sort()[0]
    site.advance(20 * minute)
    const page = await read()
    expect(rowOf(page, 'nightly')).toContain(`? no run since <time datetime="${last}">`)
    expect(rowOf(page, 'nightly')).toMatch(/due at <time datetime="[^"]*:05:00/)
    expect(rowOf(page, 'nightly').match(/<time/g)).toHaveLength(2 + 3)
    expect(rowOf(page, 'later')).not.toContain('no run')
    const { project } = projects[0] ?? { project: '' }
    expect(await read(`/projects/${project}`)).toContain('? no run since')
  })

  it('gives a run that is due the time that it may take', async () => {
    schedules = [{ ...nightly, cron: dailyAfter(10) }]
    const row = rowOf(await read(), 'nightly')
    expect(row).toMatch(/due at <time[^>]*>[^<]*<\/time>, may take until <time/)
    expect(row).not.toContain('no run')
  })

  it('says when no run of a schedule has come yet', async () => {
    const known = projects
    projects = [{ ...projects[0], project: 'acme/new' } as StatusRow]
    schedules = [{ ...nightly, projects: ['acme/new'] }]
    expect(rowOf(await read(), 'nightly')).toContain('<b class="bad">? no run yet</b>')
    projects = known
  })
})
