import { afterAll, describe, expect, it } from 'vitest'
import { AuditError } from '../../src/model/errors.ts'
import type { SiteScope } from '../../src/pages/page.ts'
import { createSite } from '../../src/pages/site.ts'
import { openDemoSite } from './demo-site.ts'

/** Where the menu of a page leads. */
const menuOf = (page: string) =>
  [...(/<nav aria-label="Pages">.*?<\/nav>/s.exec(page)?.[0] ?? '').matchAll(/href="([^"]*)"/g)].map(
    ([, path = '']) => path,
  )

describe('the site', async () => {
  const site = await openDemoSite()
  afterAll(() => site[Symbol.asyncDispose]())

  it('answers with a page as of the last run, or of the run that is named', async () => {
    const last = await (await site.get('/')).text()
    expect(last).toContain('<title>Overview · run 2 · hookdrift</title>')
    const first = await (await site.get('/?run=1')).text()
    expect(first).toContain('<title>Overview · run 1 · hookdrift</title>')
    expect(first).toContain('href="/violations?run=1"')
  })

  it('answers 304 as of a past run; as of the last one for a minute, because ages count', async () => {
    const { headers } = await site.get('/?run=1')
    const etag = headers.get('etag') ?? ''
    expect((await site.get('/?run=1', { 'if-none-match': etag })).status).toBe(304)
    expect((await site.get('/?run=2', { 'if-none-match': etag })).status).toBe(200)
    let now = Date.UTC(2026, 10, 24)
    const options = { history: async () => site.history, api: site.api, version: '1.2.3', isHostOfPort: () => true }
    const other = createSite({ ...options, now: () => now, onFault: () => {} })
    const latest = (await other.request('http://localhost/')).headers.get('etag') ?? ''
    const again = async () =>
      (await other.request('http://localhost/', { headers: { 'if-none-match': latest } })).status
    expect(await again()).toBe(304)
    now += 60_000
    expect(await again()).toBe(200)
  })

  it('refuses unknown paths, parameters, runs and methods', async () => {
    expect((await site.get('/x')).status).toBe(404)
    expect((await site.get('/?x=1')).status).toBe(400)
    expect((await site.get('/?run=99')).status).toBe(400)
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
      expect((await site.site.request('http://localhost/', { method })).status).toBe(405)
    }
  })

  it('leads from an error to all pages that its reader sees, and says nothing of what went wrong within', async () => {
    const secret = 'postgres://keeper:not-a-real-password@db.example'
    const failing = (error: Error, scope?: SiteScope) => {
      const history = () => Promise.reject(error)
      const site = createSite({ ...shared, history, now: Date.now, onFault: () => {}, ...(scope && { scope }) })
      return async (path: string) => site.request(`http://localhost${path}`)
    }
    const shared = { api: site.api, version: '1.2.3', isHostOfPort: () => true }
    const some: SiteScope = { projects: ['demo/*'] }
    const ofSome = failing(new Error('unreached'), some)
    const cases: [number, Response][] = [
      [404, await site.get('/x')],
      [404, await site.get('/violations/ffffff')],
      [400, await site.get('/violations?x=1')],
      [403, await ofSome('/notifications')],
      [500, await failing(new Error(secret))('/runs')],
      [503, await failing(AuditError.failure(secret))('/runs')],
    ]
    const allPages = menuOf(await (await site.get('/')).text())
    expect(allPages.length).toBeGreaterThan(8)
    for (const [status, answer] of cases) {
      const page = await answer.text()
      const hidden = status === 403 ? ['/notifications'] : []
      expect([status, menuOf(page)]).toEqual([answer.status, allPages.filter((path) => !hidden.includes(path))])
      expect(page).not.toContain('not-a-real-password')
      expect(page.match(/<script[^>]*>/g)).toEqual(['<script src="/script.js" defer>', '<script src="/copy.js" defer>'])
    }
  })

  it('lets a browser run nothing and load nothing from elsewhere', async () => {
    const { headers } = await site.get('/')
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'self'; script-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    )
  })
})
