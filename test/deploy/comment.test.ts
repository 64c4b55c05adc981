import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openDirectory, startProgram } from '../cli/start-process.ts'
import { checkout } from './build-image.ts'
import { startForge } from './fake-forge.ts'

const program = join(checkout, 'deploy/ci/comment.mjs')
const places = ['github', 'gitlab'] as const

function environmentOf(place: (typeof places)[number], url: string) {
  return place === 'github'
    ? {
        GITHUB_API_URL: url,
        GITHUB_SERVER_URL: 'https://forge.example',
        GITHUB_REPOSITORY: 'acme/hooks',
        GITHUB_RUN_ID: '99',
        GITHUB_TOKEN: 'not-a-real-token',
        PULL_REQUEST: '12',
      }
    : {
        CI_API_V4_URL: url,
        CI_PROJECT_ID: '5',
        CI_MERGE_REQUEST_IID: '12',
        CI_JOB_URL: 'https://forge.example/acme/hooks/-/jobs/99',
        HOOKDRIFT_GITLAB_TOKEN: 'not-a-real-token',
      }
}

async function comment(place: string, report: string, env: Readonly<Record<string, string>>) {
  using directory = openDirectory()
  const file = directory.write('report.md', report)
  return await startProgram(process.execPath, [program, place, file], { cwd: directory.path, env }).ended
}

describe.each(places)('the comment on %s', (place) => {
  const list = place === 'github' ? '/repos/acme/hooks/issues/12/comments' : '/projects/5/merge_requests/12/notes'
  const marker = '<!-- hookdrift: hookdrift -->'

  it('is written once, and updated by later jobs', async () => {
    await using forge = await startForge()
    const env = environmentOf(place, forge.url)
    forge.comments.push({ id: 1, body: 'LGTM', user: { type: 'User' }, author: { id: 3 } })
    expect(await comment(place, '# one', env)).toMatchObject({ code: 0, stdout: 'hookdrift: wrote a comment\n' })
    expect(await comment(place, '# two', env)).toMatchObject({ code: 0, stdout: 'hookdrift: updated comment 1001\n' })
    expect(forge.comments.map(({ body }) => body.split('\n').slice(0, 2))).toEqual([['LGTM'], [marker, '# two']])
    expect(forge.comments[1]?.body).toMatch(/\[The job\]\(https:\/\/forge\.example\/.*99\)\n$/)
    expect(forge.requests).toContain(`POST ${list}`)
    expect([...forge.tokens]).toEqual([place === 'github' ? 'Bearer not-a-real-token' : 'not-a-real-token'])
  })

  it('is found on a later page, and is not that of a person who copied the marker', async () => {
    await using forge = await startForge()
    const person = { body: `${marker}\nall fine`, user: { type: 'User' }, author: { id: 3 } }
    for (let id = 1; id <= 150; id++) forge.comments.push({ id, ...person })
    const env = environmentOf(place, forge.url)
    await comment(place, 'one', env)
    expect(await comment(place, 'two', env)).toMatchObject({ stdout: 'hookdrift: updated comment 1150\n' })
    expect(forge.comments.filter(({ body }) => body === person.body)).toHaveLength(150)
  })

  it('is one for each audit of a repository', async () => {
    await using forge = await startForge()
    const env = environmentOf(place, forge.url)
    await comment(place, 'one', { ...env, AUDIT_NAME: 'production' })
    await comment(place, 'two', { ...env, AUDIT_NAME: 'production-eu' })
    expect(forge.comments).toHaveLength(2)
  })

  it.each([401, 403, 404])('is left out when the service answers %i, with the reason', async (refuses) => {
    await using forge = await startForge({ refuses })
    const { code, stdout } = await comment(place, 'one', environmentOf(place, forge.url))
    expect(code).toBe(0)
    expect(stdout).toMatch(new RegExp(`no comment: GET /\\S+ answered ${refuses}; it needs `))
    expect(stdout).not.toContain('not-a-real-token')
  })

  it('is left out without a connection, a token or a request, with the reason', async () => {
    const env = environmentOf(place, 'http://127.0.0.1:1')
    const without = (...names: string[]) =>
      Object.fromEntries(Object.entries(env).filter(([name]) => !names.includes(name)))
    expect(await comment(place, 'one', env)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/no comment: fetch failed/),
    })
    expect(await comment(place, 'one', without('GITHUB_TOKEN', 'HOOKDRIFT_GITLAB_TOKEN'))).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/no comment: it needs /),
    })
    expect(await comment(place, 'one', without('PULL_REQUEST', 'CI_MERGE_REQUEST_IID'))).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/no comment: this job is not of a pull or merge request/),
    })
  })

  it('is not longer than GitHub accepts', async () => {
    await using forge = await startForge()
    await comment(place, 'x'.repeat(70_000), environmentOf(place, forge.url))
    expect(forge.comments[0]?.body.length).toBeLessThanOrEqual(65_536)
  })
})
