// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of the configuration
import { describe, expect, it } from 'vitest'
import { readConfiguration } from '../../src/config/read-configuration.ts'
import { configure, file, firstService, referenceSources, refusal, withService } from './config-fixture.ts'

const many = <Item>(count: number, item: (index: number) => Item) =>
  Array.from({ length: count }, (_, index) => item(index))

describe('a limit of the configuration', () => {
  it('allows twenty thousand projects of a service', () => {
    const projects = many(
      20_000,
      (index) => `      - { id: 01M7XVZ2T417WGWM74AAK${index}, name: project-${index}, labels: { env: prod } }\n`,
    )
    const text = `services:\n  - name: acme\n    url: https://hooks.example.com\n    key: \${ACME_KEY}\n    projects:\n${projects.join('')}`
    expect(firstService(configure(text)).projects).toHaveLength(20_000)
  })

  it.each([
    [
      'projects',
      withService({ projects: many(50_001, (index) => ({ id: `p${index}` })) }),
      'projects has 50001 entries, the limit is 50000: remove some or split the list',
    ],
    [
      'services',
      JSON.stringify({
        services: many(1001, (index) => ({
          name: `s${index}`,
          url: `https://${index}.example.com`,
          key: 'x',
          projects: [{ id: 'p' }],
        })),
      }),
      'services has 1001 entries, the limit is 1000: remove some or split the list',
    ],
    [
      'schedules',
      withService({}, { schedules: many(101, (index) => ({ name: `s${index}`, cron: '0 * * * *' })) }),
      'schedules has 101 entries, the limit is 100: remove some or split the list',
    ],
    [
      'channels',
      withService({}, { notify: many(101, (index) => ({ name: `n${index}`, type: 'log' })) }),
      'notify has 101 entries, the limit is 100: remove some or split the list',
    ],
    [
      'patterns of a schedule',
      withService({}, { schedules: [{ name: 's', cron: '0 * * * *', projects: many(1001, () => 'p1') }] }),
      'projects has 1001 entries, the limit is 1000: remove some or split the list',
    ],
    [
      'endpoints of a filter',
      withService({ projects: [{ id: 'p', filters: { subscriptions: { endpoints: many(1001, () => 'e') } } }] }),
      'endpoints has 1001 entries, the limit is 1000: remove some or split the list',
    ],
    [
      'characters of a pattern',
      withService({ dialect: { project_not_found: 'a'.repeat(1001) } }),
      'project_not_found has more than 1000 characters, the limit: shorten it',
    ],
    ['characters of a name', withService({ name: 'a'.repeat(201) }), 'at most 200'],
    [
      'characters of a label',
      withService({ projects: [{ id: 'p', labels: { ['a'.repeat(101)]: 'x' } }] }),
      'at most 100',
    ],
    ['characters of a path', withService({ ca_file: 'a'.repeat(4097) }), 'at most 4096 characters'],
    [
      'characters of a filter',
      withService({ projects: [{ id: 'p', filters: { endpoints: { name: 'a'.repeat(1001) } } }] }),
      'at most 1000',
    ],
    [
      'hosts',
      withService({}, { worker: { hosts: many(101, (index) => `h${index}`) } }),
      'hosts has 101 entries, the limit is 100: remove some or split the list',
    ],
  ])('is named in the error: %s', (_, text, said) => {
    const [line, ...others] = refusal(text)
    expect(line).toContain(said)
    expect(others).toEqual([])
  })

  it('applies to the text of all references together', () => {
    const files = Object.fromEntries(many(300, (index) => [`/etc/hookdrift/${index}`, 'x'.repeat(60_000)]))
    const key = many(300, (index) => `\${file:${index}}`).join('')
    expect(refusal(withService({ key }), { files }).at(-1)).toContain(
      'references fill in more than 16 MiB of text, the limit',
    )
  })

  it('allows a file that is named many times, and reads it once', () => {
    const reads: string[] = []
    const sources = referenceSources(
      withService({ key: '${file:k}', projects: many(50, (index) => ({ id: `p${index}`, key: '${file:k}' })) }),
      {
        files: { '/etc/hookdrift/k': 'not-a-real-key' },
      },
    )
    readConfiguration(file, {
      ...sources,
      readFile(path) {
        reads.push(path)
        return sources.readFile(path)
      },
    })
    expect(reads).toEqual([file, '/etc/hookdrift/k'])
  })
})

describe('one project under two names', () => {
  const two = (first: object, second: object) =>
    JSON.stringify({
      services: [
        {
          name: 'acme',
          url: 'https://hooks.example.com',
          key: 'x',
          projects: [{ id: 'p1' }, { id: 'p2', name: 'payments' }],
          ...first,
        },
        { name: 'other', url: 'https://hooks.example.com', key: 'x', projects: [{ id: 'p2' }], ...second },
      ],
    })
  const sentence =
    /^1:\d+: the project p2 of this URL is configured already, in \/etc\/hookdrift\/hookdrift\.yaml:1:\d+: audit it under one name$/

  it.each([
    ['the same URL', {}, {}],
    ['case of the host', {}, { url: 'https://HOOKS.Example.com' }],
    ['default port', {}, { url: 'https://hooks.example.com:443' }],
    ['slash at the end', {}, { url: 'https://hooks.example.com/' }],
    ['dot at the end of the host', {}, { url: 'https://hooks.example.com.' }],
    ['a path here, a prefix there', { url: 'https://hooks.example.com/api', dialect: { path_prefix: '/v1' } }, {}],
    ['a slash twice', { url: 'https://hooks.example.com/a' }, { url: 'https://hooks.example.com//a' }],
  ])('is refused with both places: %s', (_, first, second) => {
    expect(refusal(two(first, second))).toEqual([expect.stringMatching(sentence)])
  })

  it.each([
    ['another port', {}, { url: 'https://hooks.example.com:8443' }],
    ['another path', {}, { url: 'https://hooks.example.com/eu' }],
    ['another host', {}, { url: 'https://eu.example.com' }],
    ['another project', {}, { projects: [{ id: 'p3', name: 'payments' }] }],
  ])('is accepted as different projects: %s', (_, first, second) => {
    expect(refusal(two(first, second))).toEqual([])
  })

  it('is refused within a service too', () => {
    expect(
      refusal(
        withService({
          projects: [
            { id: 'p1', name: 'a' },
            { id: 'p1', name: 'b' },
          ],
        }),
      ),
    ).toEqual([expect.stringContaining('a second project with the id p1, the first is in line 1')])
  })
})
