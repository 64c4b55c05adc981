import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openEventfulSite } from './eventful-site.ts'
import { walkLinks } from './walk-links.ts'

describe('a history with an interrupted run, a failed scan and resources that are gone', () => {
  let site: Awaited<ReturnType<typeof openEventfulSite>>
  beforeAll(async () => {
    site = await openEventfulSite()
  })
  afterAll(() => site[Symbol.asyncDispose]())

  it('has pages all of whose links lead somewhere, as of now and of a past run', async () => {
    const walked = await walkLinks(site, ['/', '/?run=1', '/compare?from=2&to=1&run=1', '/compare?from=1&to=2&run=1'])
    const lost = walked.filter(({ status }) => status !== 200)
    expect(lost.map(({ status, path, from }) => `${status} ${path} from ${from}`)).toEqual([])
    for (const part of ['/api/v1/', '/feed.atom', '/compare?to=4', '/resources/added', '/rules/acme/named']) {
      expect([part, walked.some(({ path }) => path.startsWith(part))]).toEqual([part, true])
    }
    expect(site.faults).toEqual([])
  }, 120_000)
})
