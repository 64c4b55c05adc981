import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { firstStep } from '../../src/notify/explain-events.ts'
import { openLinks } from '../../src/notify/links.ts'
import { remediationOf } from '../../src/rules/rule-page.ts'
import { configure, withService } from '../config/config-fixture.ts'
import { anEvent } from './samples.ts'

const project = { id: '01P', name: 'payments' }
const linksOf = (ui_url: string, report_url = 'https://r.example/{directory}/report.html?run={run}#v-{fingerprint}') =>
  openLinks(configure(withService({ projects: [project], ui_url }, { report_url })))

describe('the link to a resource', () => {
  it('names its place in the gateway', () => {
    const links = linksOf('https://c.example/{service}/{project}/{project_id}/{kind}/{listing}/{uid}')
    expect(links.resource(anEvent(1))).toBe('https://c.example/acme/payments/01P/endpoint/endpoints/01E1')
    expect(links.resource(anEvent(1, { uid: 'a/../b?c' }))).toMatch(/\/endpoints\/a%2F\.\.%2Fb%3Fc$/)
  })

  it.each<[string, readonly string[]]>([
    ['https://c.example/projects/{project_id}/endpoints/{uid}', ['endpoint']],
    ['https://c.example/projects/{project_id}/{listing}/{uid}', ['endpoint', 'subscription', 'source']],
    ['https://c.example/projects/{project_id}', ['project', 'endpoint', 'subscription', 'source', 'device']],
  ])('of %s is there for %j', (template, expected) => {
    const links = linksOf(template)
    const kinds = ['project', 'endpoint', 'subscription', 'source', 'device'] as const
    expect(kinds.filter((kind) => links.resource(anEvent(1, { kind })) !== undefined)).toEqual(expected)
  })

  it('is missing for other projects, and without a template', () => {
    const links = linksOf('https://c.example/{uid}')
    expect(links.resource(anEvent(1, { project: 'hookdrift/policy' }))).toBeUndefined()
    const { kind: _, ...listing } = anEvent(1)
    expect(links.resource(listing)).toBeUndefined()
    expect(openLinks(configure(withService({}))).resource(anEvent(1))).toBeUndefined()
  })
})

describe('the link to a report', () => {
  it('leads to the run, and to a violation in it', () => {
    const links = linksOf('https://c.example')
    expect(links.violation(17, 'ab12')).toBe('https://r.example/run-000017/report.html?run=17#v-ab12')
    expect(links.report(17)).toBe('https://r.example/run-000017/report.html?run=17')
  })

  it('leads to a violation alone where the template has no page of the run', () => {
    const links = linksOf('https://c.example', 'https://r.example/{fingerprint}')
    expect([links.violation(17, 'ab12'), links.report(17)]).toEqual(['https://r.example/ab12', undefined])
  })

  it('is missing without a template', () => {
    const links = openLinks(configure(withService({})))
    expect([links.violation(17, 'ab12'), links.report(17)]).toEqual([undefined, undefined])
  })
})

describe('the first step of a remediation', () => {
  it.each([
    ['Set the credentials again. Make the caller send them.', 'Set the credentials again.'],
    ['1. Prefer `hmac`. 2. If the sender cannot, use a key.', 'Prefer `hmac`.'],
    ['- Rotate the key, e.g. by hand. - Or remove it.', 'Rotate the key, e.g. by hand.'],
    ['Set `a. B` again', 'Set `a. B` again'],
    ['See [the guide](../how-to/x.md) first. Then act.', 'See the guide first.'],
    ['', ''],
  ])('of %j is %j', (text, expected) => {
    expect(firstStep(text)).toBe(expected)
  })

  it('is cut between words, with its code closed', () => {
    expect(firstStep('word '.repeat(100))).toMatch(/^(?:word )+word…$/)
    const cut = firstStep(`Run \`${'word '.repeat(100)}\` now`)
    expect(cut.length).toBeLessThanOrEqual(202)
    expect(cut.split('`')).toHaveLength(3)
  })

  it('stops what goes on while a person asks: an endpoint of another host is paused, an open source replaced', () => {
    expect(firstStep(remediationOf('drift/url-host-changed'))).toMatch(/^Pause the endpoint: .*\/pause` once/)
    expect(firstStep(remediationOf('source/unverified'))).toMatch(/^Create a new source with an `hmac` verifier/)
    expect(firstStep(remediationOf('source/disabled'))).toBe('To stop its events, delete the source.')
  })

  it('of each rule page is a short sentence', () => {
    const pages = readdirSync(new URL('../../docs/rules', import.meta.url), { recursive: true, encoding: 'utf8' })
    const ids = pages.filter((page) => page.endsWith('.md')).map((page) => page.replace(/\.md$/, ''))
    expect(ids.length).toBeGreaterThan(100)
    const odd = ids.filter((id) => {
      const step = firstStep(remediationOf(id))
      return (
        step.length < 10 || step.length > 202 || step.split('`').length % 2 === 0 || /\n|^\d\. |^- |\]\(/.test(step)
      )
    })
    expect(odd).toEqual([])
  })
})
