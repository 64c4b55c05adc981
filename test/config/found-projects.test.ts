// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of the configuration
import { describe, expect, it } from 'vitest'
import { configuredIn, mayBeFound } from '../../src/config/choose-projects.ts'
import { readConfiguredPaths } from '../../src/config/read-places.ts'
import { projectListOf } from '../../src/model/resource.ts'
import { acmeEnv, configure, file, firstService, referenceSources, refusal, withService } from './config-fixture.ts'

const organisation = '01M8050JN03SM4FXGFK894C7MM'
const anywhere = { service: 'acme', uid: 'p9' }

describe('projects that a service lists', () => {
  it('are all, or those that entries match', () => {
    const { projects, matches } = firstService(configure(withService({ organisation, projects: 'all' })))
    expect([projects, matches]).toEqual([[], [{ pattern: '*', labels: {}, line: 1 }]])
    const entries = [{ match: 'pay*', labels: { env: 'prod' } }, { id: 'p1' }, { match: '*' }]
    const both = firstService(configure(withService({ projects: entries })))
    expect(both.matches.map(({ pattern, labels }) => [pattern, labels])).toEqual([
      ['pay*', { env: 'prod' }],
      ['*', {}],
    ])
    expect(both.projects.map(({ ref }) => ref.name)).toEqual(['acme/p1'])
  })

  it.each([
    [{ projects: 'every' }, 'projects is "every", expected all, or at least one project, such as'],
    [
      { projects: 'all' },
      'organisation is missing, the id of the organisation whose projects are listed; or name one of them',
    ],
    [{ projects: [{ match: 'pay*' }] }, 'organisation is missing'],
    [
      { projects: [{ id: 'p1' }, { match: '*' }], listings: { project: 'off' } },
      'organisation is missing: the projects are not read, so none shows it',
    ],
    [
      { projects: [{ id: 'p1', key: '${ACME_KEY}' }, { match: '*' }], key: undefined },
      'the service has no key to list its projects with',
    ],
    [{ projects: [{ id: 'p1' }, { match: 'a' }, { match: 'a' }] }, 'a second entry for a, the first is in line 1'],
    [{ projects: [{ id: 'p1' }, { match: 'a/b' }] }, 'match is "a/b", expected a pattern of names such as pay*'],
    [{ projects: [{ id: 'p1' }, { match: 'a', key: 'x' }] }, '`key` is unknown'],
    [{ projects: [{ id: 'p1' }, 'payments'] }, 'projects[1] is "payments", expected a mapping such as'],
  ])('%j is refused', (members, text) => {
    const [line, ...others] = refusal(withService(members))
    expect(line).toContain(text)
    expect(others).toEqual([])
  })

  it('may be those that a schedule or a channel names', () => {
    const schedules = [{ name: 's', cron: '0 * * * *', projects: ['acme/new*'] }]
    const notify = [{ name: 'n', type: 'log', projects: ['new*'], labels: { env: 'prod' } }]
    const projects = [{ match: '*', labels: { env: 'prod' } }]
    expect(configure(withService({ organisation, projects }, { schedules, notify })).schedules).toHaveLength(1)
    expect(refusal(withService({ organisation, projects: 'all' }, { notify }))[0]).toContain('no project has the label')
  })

  it('are distinguished from others by the name under which they were scanned', () => {
    const isNamed = configuredIn(configure(withService({ projects: [{ id: 'p1' }, { match: 'pay*' }] })).services)
    const named = (name: string, uid = 'p9') => isNamed({ ...anywhere, name, uid })
    expect([named('acme/p1', 'p1'), named('acme/payments'), named('acme/orders')]).toEqual([true, true, false])
    expect([isNamed(projectListOf('acme')), isNamed(projectListOf('other'))]).toEqual([true, false])
    expect(mayBeFound({ ...anywhere, name: 'acme/p9' }, ['pay*'])).toBe(true)
    expect(mayBeFound({ ...anywhere, name: 'acme/p9' }, [])).toBe(false)
  })

  it('are known without keys, too', () => {
    const read = (text: string) => readConfiguredPaths(file, referenceSources(text, { env: acmeEnv }))
    const { projects, isFound } = read(withService({ projects: [{ id: 'p1', name: 'one' }, { match: 'pay*' }] }))
    expect(projects).toEqual(['acme/one'])
    expect(['acme/payments', 'acme/orders', 'acme/*'].map((name) => isFound({ ...anywhere, name }))).toEqual([
      true,
      false,
      false,
    ])
    expect(isFound(projectListOf('acme'))).toBe(true)
    const every = read(withService({ projects: 'all' }))
    expect([every.projects, every.isFound({ ...anywhere, name: 'acme/orders' })]).toEqual([[], true])
  })
})
