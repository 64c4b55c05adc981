import { afterAll, describe, expect, it } from 'vitest'
import { openDemoSite } from './demo-site.ts'

describe('how to put a resource back', async () => {
  const site = await openDemoSite()
  afterAll(() => site[Symbol.asyncDispose]())

  const sectionOf = async (name: string) =>
    /<h2 id="repair">.*?<\/section>/s.exec(await (await site.get(`/resources/${name}`)).text())?.[0] ?? ''

  it('names the command that prints the request', async () => {
    const section = await sectionOf('billing-011-v2')
    expect(section).toContain('curl ')
    expect(section).toContain('prints it with your addresses')
  })

  it('does not where there is nothing to put back', async () => {
    const { rows } = JSON.parse((await site.command('state', '--kind', 'endpoint', '--format', 'json')).stdout)
    const sections: string[] = await Promise.all(rows.map(({ uid }: { uid: string }) => sectionOf(uid)))
    const untouched = sections.filter((section) => section.includes('there is nothing to put back'))
    expect(untouched.length).toBeGreaterThan(0)
    for (const section of untouched) expect(section).not.toContain('prints it')
  })
})
