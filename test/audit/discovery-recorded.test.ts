import { describe, expect, it } from 'vitest'
import { recording } from '../demo/recordings.ts'
import { type RecordedExchange, startReplay } from '../service/replay-server.ts'
import { openAuditHarness } from './audit-harness.ts'
import { listViolations, listRules as policy, scannedProjects } from './discovery-fixture.ts'

const organisation = '01M8050JN03SM4FXGFK894C7MM'
const recorded = recording('discovery')

/** The list as it was recorded under a name; what the recording has of no project answers 404. */
function answering(name: string): RecordedExchange[] {
  const list = recorded.find((exchange) => exchange.name === name)
  const deleted = recorded.filter((exchange) => name.includes(' after ') && exchange.name.endsWith('deleted project'))
  if (list === undefined) throw new Error(`no recording is named ${name}`)
  const envelope = JSON.parse(list.response.body)
  const projects = Array.isArray(envelope.data) ? envelope.data : []
  return [list, ...deleted, ...projects.flatMap(readable)]
}

/** The recording lists these projects, and does not read them: each is as the list shows it, with empty listings. */
function readable(project: { readonly uid: string }): RecordedExchange[] {
  const page = { content: [], pagination: { per_page: 20, has_next_page: false, next_page_cursor: '' } }
  const answer = (path: string, data: unknown): RecordedExchange => ({
    name: path,
    request: { method: 'GET', path, headers: { authorization: 'Bearer <personal-key>' } },
    response: {
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ status: true, message: 'ok', data }),
    },
  })
  const base = `/api/v1/projects/${project.uid}`
  const lists = ['endpoints', 'sources', 'subscriptions'].map((name) => answer(`${base}/${name}?perPage=20`, page))
  return [answer(base, project), ...lists]
}

describe('the recorded lists of projects', () => {
  it('show what came, what went, and nothing while the database is down', async () => {
    await using harness = openAuditHarness({ projects: {}, key: '<personal-key>' })
    const audit = async (name: string) => {
      await using replay = await startReplay(answering(name))
      const list = { organisation, named: [], matches: [{ pattern: '*' }] }
      return await harness.audit({ url: replay.url, list, policy })
    }
    const first = await audit('projects of the organisation, personal key')
    expect(scannedProjects(first)).toEqual(['acme/*', 'acme/ingest', 'acme/payments'])
    expect(first.verdict.exit_code).toBe(0)

    const down = await audit('projects, the database is down')
    expect(scannedProjects(down)).toEqual(['acme/*', 'acme/ingest', 'acme/payments'])
    expect(down.coverage[0]).toMatchObject({ listing: 'projects', status: 'failed', cause: 'refused_key' })
    expect(listViolations(down)).toEqual([])

    const gone = await audit('projects after one was deleted')
    expect(listViolations(gone)).toEqual(['opened project/vanished acme/ingest'])
    expect(gone.drift).toEqual([])

    const born = await audit('projects after one was created')
    expect(scannedProjects(born)).toEqual(['acme/*', 'acme/ingest', 'acme/payments', 'acme/refunds'])
    expect(born.notices).toMatchObject([{ code: 'project_found', project: 'acme/refunds' }])
  })
})
