// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of the configuration
import { resolve } from 'node:path'
import { rootCertificates } from 'node:tls'
import { describe, expect, it } from 'vitest'
import { configuredIn, expectedIn, mayBeDiscovered } from '../../src/config/choose-projects.ts'
import { readConfiguration } from '../../src/config/read-configuration.ts'
import { defaultDialect } from '../../src/gateway/service/dialect.ts'
import { defaultLimits } from '../../src/gateway/service/settings.ts'
import { readLocation } from '../../src/history/location.ts'
import { keepNothing } from '../../src/history/retention.ts'
import { projectListOf } from '../../src/model/resource.ts'
import { acmeEnv, configure, file, firstService, referenceSources, refusal, withService } from './config-fixture.ts'

const unneeded = { needs: [], usesSecrets: false } as const

const smallest = `services:
  - name: acme
    url: https://hooks.example.com/
    key: \${ACME_KEY}
    projects:
      - id: 01M7XVZ2T417WGWM74AAK885VQ
`

describe('readConfiguration', () => {
  it('fills in every default', () => {
    expect(configure(smallest)).toEqual({
      file,
      history: readLocation('/etc/hookdrift/hookdrift.db', '/'),
      policy: undefined,
      isWhole: true,
      concurrency: 4,
      services: [
        {
          settings: {
            name: 'acme',
            url: 'https://hooks.example.com',
            pageSize: 1000,
            limits: defaultLimits,
            dialect: defaultDialect,
            ca: undefined,
            connections: 4,
            filtersAtOnce: 4,
          },
          urlPosition: { line: 3, column: 10, reference: '' },
          projects: [
            {
              ref: {
                name: 'acme/01M7XVZ2T417WGWM74AAK885VQ',
                service: 'acme',
                uid: '01M7XVZ2T417WGWM74AAK885VQ',
              },
              key: 'not-a-real-key',
              keyPosition: { line: 4, column: 10, reference: '${ACME_KEY}' },
              labels: {},
              filters: {},
              line: 6,
            },
          ],
          listings: { sources: 'auto', project: 'auto', event_types: 'auto', filters: 'auto', licence: 'auto' },
          filtersPerRun: 2000,
          deliveriesPerQuestion: 20_000,
          mostWalks: 4,
          matches: [],
          organisation: undefined,
          key: 'not-a-real-key',
          keyPosition: { line: 4, column: 10, reference: '${ACME_KEY}' },
        },
      ],
      runTimeoutMs: 3_600_000,
      listen: undefined,
      pages: false,
      serve: { listen: undefined, hosts: undefined, tokens: [], trustedProxy: undefined },
      shared: undefined,
      notify: [],
      schedules: [],
      secrets: ['not-a-real-key'],
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      warnings: [],
    })
  })

  it('decodes the members of a project', () => {
    const filters = {
      endpoints: { owner: 'tenant-1', name: 'orders' },
      subscriptions: { name: 'o', endpoints: ['e1'] },
    }
    const project = { id: 'p1', name: 'payments', key: '${PAY}', labels: { env: 'prod' }, filters }
    const env = { ...acmeEnv, PAY: 'another-key' }
    expect(firstService(configure(withService({ projects: [project] }), { env })).projects).toEqual([
      {
        ref: { name: 'acme/payments', service: 'acme', uid: 'p1' },
        key: 'another-key',
        keyPosition: { line: 1, column: 130, reference: '${PAY}' },
        labels: { env: 'prod' },
        filters,
        line: 1,
      },
    ])
  })

  it.each([
    [{ connect_timeout: '500ms' }, { connectTimeoutMs: 500 }],
    [{ page_timeout: '2m' }, { pageTimeoutMs: 120_000 }],
    [{ page_timeout: '1.5s' }, { pageTimeoutMs: 1500 }],
    [{ retry_budget: '1h' }, { retryBudgetMs: 3_600_000 }],
    [
      { retry_budget: '0s', retries: 0 },
      { retryBudgetMs: 0, retries: 0 },
    ],
    [{ max_body: '10MB' }, { maxBodyBytes: 10_000_000 }],
    [{ max_body: '1 GiB' }, undefined],
    [{ max_body: '64MiB' }, { maxBodyBytes: 64 * 1024 * 1024 }],
    [{ max_body: 4096 }, { maxBodyBytes: 4096 }],
    [{ max_body: '4096' }, { maxBodyBytes: 4096 }],
  ])('reads the limits %j', (limits, expected) => {
    const text = withService({ limits })
    if (expected === undefined) expect(refusal(text)).toHaveLength(1)
    else expect(firstService(configure(text)).settings.limits).toEqual({ ...defaultLimits, ...expected })
  })

  it('lays the dialect over the defaults', () => {
    const dialect = {
      path_prefix: '',
      key_scheme: '',
      headers: { 'X-Convoy-Version': '2024-01-01', 'x-tenant': 'a b', Accept: null },
      parameters: { page_size: 'limit' },
      sort: 'DESC',
      direction: 'next',
      transient: [{ status: 503, message: 'later' }],
      refused_key_retries: 0,
      function_not_tried: 'no licence',
    }
    expect(firstService(configure(withService({ dialect }))).settings.dialect).toEqual({
      ...defaultDialect,
      pathPrefix: '',
      keyScheme: '',
      headers: { 'x-convoy-version': '2024-01-01', 'x-tenant': 'a b' },
      parameters: { ...defaultDialect.parameters, pageSize: 'limit' },
      sort: 'DESC',
      direction: 'next',
      transient: [{ status: 503, message: 'later' }],
      refusedKeyRetries: 0,
      functionNotTried: 'no licence',
    })
  })

  it('reads an unquoted off as the mode "off"', () => {
    const text = `${smallest}    listings: { sources: off, project: required, event_types: off, filters: off, licence: off }\n`
    const listings = { sources: 'off', project: 'required', event_types: 'off', filters: 'off', licence: 'off' }
    expect(firstService(configure(text)).listings).toEqual(listings)
  })

  it.each([
    ['https://hooks.example.com///', 'https://hooks.example.com'],
    ['https://EXAMPLE.com:443/base/', 'https://example.com/base'],
    ['http://127.0.0.1:5005', 'http://127.0.0.1:5005'],
  ])('reads the url %s as %s', (url, kept) => {
    expect(firstService(configure(withService({ url }))).settings.url).toBe(kept)
  })

  it('resolves paths against the configuration, and overrides against the working directory', () => {
    const text = withService({}, { history: 'data/h.db', policy: '../policy.yaml' })
    const env = { ...acmeEnv, HOOKDRIFT_HISTORY: 'env.db' }
    expect(configure(text)).toMatchObject({ history: { path: '/etc/hookdrift/data/h.db' }, policy: '/etc/policy.yaml' })
    expect(configure(text, { env }).history.displayName).toBe(resolve('env.db'))
    expect(configure(text, { env }, { history: '/option.db' }).history.displayName).toBe('/option.db')
    expect(configure(text, { env: { ...acmeEnv, HOOKDRIFT_HISTORY: '' } }).history.displayName).toBe(
      '/etc/hookdrift/data/h.db',
    )
  })

  it('takes the option relative to the given directory', () => {
    expect(configure(withService({}), {}, { history: 'option.db', cwd: '/work' }).history.displayName).toBe(
      '/work/option.db',
    )
  })

  it('finds the installation key next to the history, unless the configuration has one', () => {
    const { history } = configure(withService({}, { history: 'data/h.db' }))
    expect(history).toMatchObject({ keyFile: '/etc/hookdrift/data/hookdrift.key' })
    expect(history.sealKey).toBeUndefined()
    const key = 'not-a-real-key-of-32-characters-or-more'
    const files = { '/etc/hookdrift/seal.key': `${key}\n` }
    const configured = withService({}, { seal_key: '${file:seal.key}' })
    expect(configure(configured, { files }).history.sealKey).toBe(key)
    expect(refusal(withService({}, { seal_key: 'not-a-real-key' })).join()).toMatch(/expected 32 to 4096 visible/)
    expect(refusal(withService({}, { seal_key: 'not-a-real-key' })).join()).not.toContain('not-a-real')
  })

  it('takes a history on a server, whose password comes from the environment or a file', () => {
    const env = {
      ...acmeEnv,
      DATABASE: 'postgres://user:not-a-real-key@db.example.com/h',
      PASSWORD: 'not%20a-real-key',
    }
    const read = (history: string) => configure(withService({}, { history }), { env }).history
    expect(read('postgres://db.example.com/h')).toMatchObject({
      kind: 'postgres',
      displayName: 'postgres://db.example.com/h',
    })
    expect(read('${DATABASE}')).toMatchObject({ server: { user: 'user', password: 'not-a-real-key' } })
    expect(read('postgresql://user:${PASSWORD}@db.example.com/h?sslrootcert=ca.pem')).toMatchObject({
      server: { password: 'not a-real-key', rootCertificate: '/etc/hookdrift/ca.pem' },
    })
  })

  it.each([
    ['postgres://user:not-a-real-key@db/h', /^1:\d+: the file contains the password of the history: use \$\{VAR\}/],
    ['postgres://user:${UNSET:-not-a-real-key}@db/h', /the file contains the password of the history/],
    ['${UNSET:-postgres://user:not-a-real-key@db/h}', /the file contains the password of the history/],
    ['postgres://db/h?password=not-a-real-key', /has the parameter "password": use sslmode/],
    ['postgres://db:not-a-real-port/h', /is not a URL/],
    ['mysql://user:not-a-real-key@db/h', /expected the path of a file, or postgres:\/\/HOST\/DATABASE/],
  ])('refuses %s as the history, and quotes no password', (history, problem) => {
    const [refused = ''] = refusal(withService({}, { history }))
    expect(refused).toMatch(problem)
    expect(refused).not.toContain('not-a-real')
  })

  it('leaves the server of a history out of the digest', () => {
    const digestOf = (history: string, env = {}) =>
      configure(withService({}, { history }), { env: { ...acmeEnv, ...env } }).digest
    const known = digestOf('postgres://user@db.example.com/h')
    expect(digestOf('postgres://user:${PASSWORD}@db/h', { PASSWORD: 'not-a-real-key' })).toBe(known)
    expect(digestOf('./h.db')).not.toBe(known)
  })

  it('reads additional certificate authorities', () => {
    const pem = rootCertificates.slice(0, 2).join('\n')
    const files = { '/etc/hookdrift/ca.pem': pem }
    expect(firstService(configure(withService({ ca_file: 'ca.pem' }), { files })).settings.ca).toBe(pem)
  })

  it('says what to do without a configuration', () => {
    expect(() => readConfiguration('nowhere.yaml', referenceSources(''))).toThrow(
      expect.objectContaining({
        exitCode: 2,
        message: 'cannot read the configuration nowhere.yaml: no such file or directory',
        advice: expect.stringMatching(
          /^run `hookdrift init`, set HOOKDRIFT_URL and HOOKDRIFT_KEY, name another file with --config FILE or HOOKDRIFT_CONFIG, or write this one:\n {4}services:\n/,
        ),
      }),
    )
  })

  it.each([
    ['hookdrift.yaml', 'hookdrift.yml'],
    ['/etc/hookdrift.yml', '/etc/hookdrift.yaml'],
  ])('says where %s is not there that %s is', (file, other) => {
    const sources = referenceSources('')
    const readFile = (path: string) => (path === other ? smallest : sources.readFile(path))
    expect(() => readConfiguration(file, { ...sources, readFile })).toThrow(
      expect.objectContaining({
        message: `cannot read the configuration ${file}: no such file or directory, but ${other} is there`,
        advice: `rename it, or name it with --config ${other}`,
      }),
    )
  })

  it.each(['01E23456789012345678901234', '0123456789', '42', '1e400'])('shows an id as it is written: %s', (id) => {
    expect(() => configure(smallest.replace(/id: \w+/, `id: ${id}`))).toThrow(
      expect.objectContaining({ message: expect.stringContaining(`id is ${id}, expected letters`) }),
    )
  })

  it.each([
    ['', '1:1: the file is empty, expected a mapping'],
    ['concurrency: 4', '1:1: services is missing, expected a list that is not empty'],
    ['services: []', '1:11: services is an empty list, expected a list that is not empty'],
    [`histroy: ./x.db\n${smallest}`, '1:1: `histroy` is unknown, did you mean `history`?'],
    [`workers: {}\n${smallest}`, '1:1: `workers` is unknown, did you mean `worker`?'],
    [
      `worker: { port: 1 }\n${smallest}`,
      '1:11: `port` is unknown, expected `listen`, `hosts`, `pages`, `shared`, `slots` or `services`',
    ],
    [`concurrency: many\n${smallest}`, '1:14: concurrency is "many", expected a whole number from 1 to 64'],
    [`concurrency: 65\n${smallest}`, '1:14: concurrency is 65, expected a whole number from 1 to 64'],
    [`policy: ""\n${smallest}`, '1:9: policy is "", expected the path of a file, at most 4096 characters'],
    [`${smallest}    page_size: 0\n`, '7:16: page_size is 0, expected a whole number from 1 to 100000'],
    [`${smallest}    listings: { sources: no }\n`, '7:26: sources is "no", expected `auto`, `required` or `off`'],
    [
      `${smallest}    limits: { page_timeout: 5 }\n`,
      '7:29: page_timeout is 5, expected a duration such as `5s`, from 1ms to 1h (units ms, s, m, h) (in quotes)',
    ],
    [
      `${smallest}    limits: { page_timeout: 2h }\n`,
      '7:29: page_timeout is "2h", expected a duration such as `5s`, from 1ms to 1h (units ms, s, m, h)',
    ],
    [
      `${smallest}    limits: { max_body: 5m }\n`,
      '7:25: max_body is "5m", expected a size such as `32MiB`, from 1KiB to 256MiB',
    ],
    [
      `${smallest}    limits: { max_body: 0 }\n`,
      '7:25: max_body is 0, expected a size such as `32MiB`, from 1KiB to 256MiB',
    ],
    [`${smallest}    limits: { retrys: 0 }\n`, '7:15: `retrys` is unknown, did you mean `retries`?'],
    [
      `${smallest}    dialect: { key_header: "a b" }\n`,
      '7:28: key_header is "a b", expected the name of an HTTP header, at most 100 characters',
    ],
    [
      `${smallest}    dialect: { path_prefix: api/ }\n`,
      '7:29: path_prefix is "api/", expected a path such as /api/v1, without a slash at its end, or ""',
    ],
    [
      `${smallest}    dialect: { project_not_found: "(" }\n`,
      '7:35: project_not_found is "(", expected a regular expression',
    ],
    [
      `${smallest}    dialect: { headers: { x-a: "a\\nb" } }\n`,
      '7:32: x-a has a value that does not fit (not shown), expected visible ASCII characters and spaces, no line breaks, at most 8192',
    ],
    [
      `${smallest}    dialect: { headers: { Connection: close } }\n`,
      '7:27: the name `Connection` does not fit, expected a header that may be set',
    ],
    [
      `${smallest}    dialect: { headers: { authorization: a } }\n`,
      '7:27: the header authorization is sent twice; names ignore case, and Authorization carries the key',
    ],
    [
      `${smallest}        labels: { env: 1 }\n`,
      '7:24: env is 1, expected text without line breaks, at most 200 characters (in quotes)',
    ],
    [
      `${smallest}        labels: { "": x }\n`,
      '7:19: the name this key (not shown) does not fit, expected letters, digits, `.`, `_`, `-` and `/`, a letter or digit first, at most 100',
    ],
    [
      `${smallest}        filters: { subscriptions: { endpoints: [] } }\n`,
      '7:48: endpoints is an empty list, expected a list that is not empty',
    ],
    [
      `${smallest}        filters: { sources: {} }\n`,
      '7:20: `sources` is unknown, expected `endpoints` or `subscriptions`',
    ],
    [
      `${smallest}      - { id: 0123 }\n`,
      '7:15: id is 0123, expected letters, digits, `.`, `_` and `-`, a letter, digit or `_` first, at most 200 (in quotes)',
    ],
    [
      smallest.replace(/projects:[\s\S]*/, 'projects: []'),
      '5:15: projects is an empty list, expected all, or at least one project, such as - { id: 01M7XVZ2T417WGWM74AAK885VQ, name: payments }',
    ],
    [
      smallest.replace(/ {4}projects:[\s\S]*/, ''),
      '2:5: projects is missing, expected all, or at least one project, such as - { id: 01M7XVZ2T417WGWM74AAK885VQ, name: payments }',
    ],
  ])('refuses, at its place: %s', (text, line) => {
    expect(refusal(text)).toEqual([line])
  })

  it.each(['a/b', 'a b', '', '-a', '.', '..', 'ä', 'a\u0007'])('refuses the name %j', (name) => {
    const expected = 'letters, digits, `.`, `_` and `-`, a letter, digit or `_` first, at most 200'
    expect(refusal(withService({ name }))).toEqual([expect.stringMatching(/^1:22: name is /)])
    expect(refusal(withService({ name }))[0]).toContain(expected)
    expect(refusal(withService({ projects: [{ id: 'p', name }] }))[0]).toContain(expected)
    expect(refusal(withService({ projects: [{ id: name }] }))[0]).toContain(expected)
  })

  it.each([
    'ftp://a.example',
    'hooks.example.com',
    'https://me:not-a-real-key@a.example',
    'https://me@a.example',
    'https://a.example/?token=x',
    'https://a.example/?',
    'https://a.example/#',
    'https://a.example/ b',
    '',
  ])('refuses the url %j', (url) => {
    expect(refusal(withService({ url }))).toEqual([
      expect.stringMatching(
        /^1:35: url is .*, expected an http or https URL without user, password, query or fragment$/,
      ),
    ])
  })

  it('lists all mistakes of one file together', () => {
    const text =
      'history: 1\nconcurrency: 0\nservices:\n  - nme: a\n    url: x\n    key: ${NO_KEY}\n    projects:\n      - id: a/b\n'
    expect(refusal(text)).toEqual([
      '1:10: history is 1, expected the path of a file, at most 4096 characters (in quotes)',
      '2:14: concurrency is 0, expected a whole number from 1 to 64',
      '4:5: name is missing, expected letters, digits, `.`, `_` and `-`, a letter, digit or `_` first, at most 200',
      '4:5: `nme` is unknown, did you mean `name`?',
      '5:10: url is "x", expected an http or https URL without user, password, query or fragment',
      '6:10: the environment variable NO_KEY is not set',
      '8:13: id is "a/b", expected letters, digits, `.`, `_` and `-`, a letter, digit or `_` first, at most 200',
    ])
  })
})

describe('the warnings of a configuration', () => {
  it('name the projects that no schedule audits', () => {
    const projects = [{ id: 'p1', name: 'payments' }, { id: 'p2', name: 'orders' }, { id: 'p3' }]
    const cron = '0 * * * *'
    const warningsOf = (...patterns: string[][]) =>
      configure(
        withService({ projects }, { schedules: patterns.map((projects, at) => ({ name: `s${at}`, cron, projects })) }),
      ).warnings.map((line) => line.replace(/^.*:(\d+):\d+: /, '$1 '))
    expect(warningsOf(['acme/*'])).toEqual([])
    expect(warningsOf(['orders'], ['acme/p3'])).toHaveLength(1)
    expect(warningsOf(['payments'])[0]).toMatch(/^\d+ no schedule audits this project$/)
    expect(warningsOf(['payments'])).toHaveLength(2)
    expect(warningsOf()).toEqual([])
  })

  it('name keys in the file', () => {
    const text =
      smallest.replace('${ACME_KEY}', 'not-a-real-key') +
      '        key: ${NO:-not-a-real-key}\n      - { id: b, key: "${ACME_KEY}" }\n'
    expect(configure(text).warnings).toEqual([
      `${file}:4:10: the file contains a secret; use \${VAR} or \${file:PATH}`,
      `${file}:7:14: the file contains a secret; use \${VAR} or \${file:PATH}`,
    ])
  })

  it('name an installation key in the file', () => {
    const sealed = (key: string) =>
      configure(`seal_key: ${key}\n${smallest}`, { env: { ...acmeEnv, SEAL_KEY: 'k'.repeat(32) } }).warnings
    expect(sealed('not-a-real-key-of-an-installation')).toEqual([
      `${file}:1:11: the file contains a secret; use \${VAR} or \${file:PATH}`,
    ])
    expect(sealed('${SEAL_KEY}')).toEqual([])
  })

  it('name keys that are sent in clear', () => {
    expect(configure(smallest.replace('https:', 'http:')).warnings).toEqual([
      `${file}:3:10: the key is sent unencrypted over http; use https`,
    ])
  })

  it.each(['localhost', '127.0.0.1:5005', '127.1', '[::1]:80', 'a.localhost'])('allow http to %s alone', (host) => {
    expect(configure(withService({ url: `http://${host}` })).warnings).toEqual([])
  })
})

describe('retention', () => {
  it('is read in the words of prune', () => {
    const words = { keep_last: 3, keep_monthly: 'unlimited', keep_within: '14d' }
    expect(configure(withService({}, { retention: words })).retention).toEqual({
      keep: {
        ...keepNothing,
        last: 3,
        monthly: Number.POSITIVE_INFINITY,
        within: { years: 0, months: 0, days: 14, hours: 0 },
      },
      options: words,
    })
    expect(configure(withService({})).retention).toBeUndefined()
  })

  it.each([
    [{}, 'something to keep'],
    [{ keep_last: 0 }, 'something to keep'],
    [{ keep_last: -1 }, 'expected a whole number from 0'],
    [{ keep_daily: 'all' }, 'a whole number from 0 to 999999999, or `unlimited`'],
    [{ keep_within: '3q' }, 'years, months, days and hours'],
    [{ keep_dayly: 3 }, 'keep_daily'],
  ])('%j is refused', (retention, text) => {
    expect(refusal(withService({}, { retention })).join()).toContain(text)
  })
})

const [firstCa = '', secondCa = ''] = rootCertificates
const ca = '/etc/hookdrift/ca.pem'
const digest = (service: object, top: object = {}, sources: Parameters<typeof configure>[1] = {}) =>
  configure(withService(service, top), { files: { [ca]: firstCa }, ...sources }).digest

describe('the digest of a configuration', () => {
  it('does not depend on keys', () => {
    const env = { ACME_KEY: 'rotated' }
    expect(digest({}, {}, { env })).toBe(digest({}))
    expect(digest({ key: 'not-a-real-key' })).toBe(digest({}))
    const sealed = (key: string) => digest({}, { seal_key: key.repeat(32) })
    expect(sealed('n')).toBe(sealed('o'))
    const header = { dialect: { headers: { 'x-gate': '${GATE}' } } }
    expect(digest(header, {}, { env: { ...env, GATE: 'a' } })).toBe(digest(header, {}, { env: { ...env, GATE: 'b' } }))
  })

  it('does not depend on notation', () => {
    const text = `# a comment\nservices:\n- projects:\n  - { id: p1 }\n  url: https://hooks.example.com/\n  key: \${ACME_KEY}\n  name: acme\n  page_size: 1000\n  limits: { page_timeout: 30000ms }\n`
    expect(configure(text).digest).toBe(digest({}))
  })

  it('does not depend on the history that a run uses', () => {
    const env = { ACME_KEY: 'a', HOOKDRIFT_HISTORY: '/elsewhere' }
    expect(configure(withService({}), { env }, { history: '/x' }).digest).toBe(digest({}))
  })

  it('does not depend on what a worker serves, and takes of shared runs: all of a pool have one', () => {
    const worker = (members: object) => digest({}, { history: 'postgres://db/h', worker: { shared: true, ...members } })
    const other = { listen: '127.0.0.1:9472', hosts: ['b.example'], slots: 2, services: ['acme'] }
    expect(worker(other)).toBe(worker({ listen: '127.0.0.1:9471' }))
  })

  it.each<[string, object, object]>([
    ['history', {}, { history: 'x.db' }],
    ['policy', {}, { policy: 'p.yaml' }],
    ['concurrency', {}, { concurrency: 5 }],
    ['name', { name: 'b' }, {}],
    ['url', { url: 'https://b.example' }, {}],
    ['page size', { page_size: 10 }, {}],
    ['listings', { listings: { sources: 'off' } }, {}],
    ['limits', { limits: { retries: 3 } }, {}],
    ['certificates', { ca_file: 'ca.pem' }, {}],
    ['dialect', { dialect: { sort: 'DESC' } }, {}],
    ['headers', { dialect: { headers: { accept: '*/*' } } }, {}],
    ['headers left out', { dialect: { headers: { accept: null } } }, {}],
    ['projects', { projects: [{ id: 'p2' }] }, {}],
    ['project names', { projects: [{ id: 'p1', name: 'n' }] }, {}],
    ['labels', { projects: [{ id: 'p1', labels: { a: 'b' } }] }, {}],
    ['filters', { projects: [{ id: 'p1', filters: { endpoints: { name: 'a' } } }] }, {}],
  ])('depends on the %s', (_, service, top) => {
    expect(digest(service, top)).not.toBe(digest({}))
  })

  it('depends on the content of a certificate file', () => {
    const service = { ca_file: 'ca.pem' }
    expect(digest(service, {}, { files: { [ca]: secondCa } })).not.toBe(digest(service))
  })
})

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
    expect(mayBeDiscovered({ ...anywhere, name: 'acme/p9' }, ['pay*'])).toBe(true)
    expect(mayBeDiscovered({ ...anywhere, name: 'acme/p9' }, [])).toBe(false)
  })

  it('are known without keys, too', () => {
    const read = (text: string) => expectedIn(configure(text, { env: {} }, unneeded).services)
    const { named, isDiscovered } = read(withService({ projects: [{ id: 'p1', name: 'one' }, { match: 'pay*' }] }))
    expect(named).toEqual(['acme/one'])
    expect(['acme/payments', 'acme/orders', 'acme/*'].map((name) => isDiscovered({ ...anywhere, name }))).toEqual([
      true,
      false,
      false,
    ])
    expect(isDiscovered(projectListOf('acme'))).toBe(true)
    const every = read(withService({ projects: 'all' }))
    expect([every.named, every.isDiscovered({ ...anywhere, name: 'acme/orders' })]).toEqual([[], true])
  })

  it('may be others, or have other schedules, where a part of the file cannot be read', () => {
    const schedules = `schedules:
  - { name: hourly, cron: 0 * * * * }
  - { name: nightly, cron: 0 3 * * *, run_timeout: 2h }
`
    const read = (limit: string) => {
      return configure(`${smallest}run_timeout: ${limit}\n${schedules}`, {}, unneeded).isWhole
    }
    expect([read('1h'), read(`\${RUN_TIMEOUT}`), read('often')]).toEqual([true, false, false])
    const isWhole = (members: object, top = {}) => configure(withService(members, top), {}, unneeded).isWhole
    expect([isWhole({ url: '${UNSET}', page_size: 0, other: 1 }), isWhole({ ca_file: '/none' })]).toEqual([true, true])
    expect([isWhole({ url: 3 }), isWhole({ name: '' }), isWhole({ projects: [{ id: '' }] })]).toEqual([
      ...[false, false, false],
    ])
    const notify = (channel: object) => isWhole({}, { notify: [{ name: 'a', ...channel }] })
    expect([notify({ type: 'slack', url: '${UNSET}' }), notify({ type: 'other' })]).toEqual([true, false])
  })
})
