// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of the configuration
import { describe, expect, it } from 'vitest'
import { showConfiguration } from '../../src/config/show-configuration.ts'
import { timetableFaultsAt } from '../../src/policy/timetable.ts'
import { file, referenceSources, refusal } from './config-fixture.ts'
import { wrongConfigurations } from './wrong-files.ts'

const env = {
  ACME_KEY: 'not-a-real-key',
  QUOTED: '"not-a-real-key"',
  TOKEN: 'not-a-real-token-of-all',
  OTHER_TOKEN: 'not-a-real-token-of-some',
  EMPTY: '',
}
const files = { '/etc/hookdrift/key.pem': 'not-a-real-key' }
const options = {
  findTimetableFault: timetableFaultsAt(Date.parse('2026-11-21T00:00:00Z')),
  needsTokens: 'all',
} as const

describe('a wrong configuration', () => {
  it.each(Object.entries(wrongConfigurations))('is refused at its lines and columns: %s', (_, [text, ...says]) => {
    expect(refusal(text, { env, files }, options)).toEqual(says)
  })

  it('is shown where its values contradict each other: a person wants to find the one to change', () => {
    const [text = ''] = wrongConfigurations['two services of a name'] ?? []
    const request = { sources: referenceSources(text, { env }), cwd: '/', history: undefined, exists: () => false }
    const names = showConfiguration(file, request).filter(({ path }) => path[2] === 'name')
    expect(names.map(({ value, at }) => [value, at])).toEqual([
      ['acme', `${file}:2:11`],
      ['acme', `${file}:6:13`],
    ])
  })
})

const withTimetable = { findTimetableFault: timetableFaultsAt(Date.parse('2026-11-21T00:00:00Z')) }

describe('a configuration', () => {
  it('with faults of its shape is checked for all others at the same time', () => {
    const text = `services:
  - name: acme
    url: https://hooks.example.com/api/v1
    key: \${ACME_KEY}
    nam: x
    projects:
      - { id: p1, name: payments, labels: { env: 1 } }
      - { id: p2, name: payments }
schedules:
  - { name: nightly, cron: "61 * * * *", projects: ["acme/nowhere"] }
  - { name: other, jitter: soon }
  - { name: third, cron: "0 * * * *", jitter: soon, projects: ["acme/payments", "acme/elsewhere"] }
`
    expect(refusal(text, {}, withTimetable)).toEqual([
      '3:10: leave /api/v1 out of the URL, it is appended: https://hooks.example.com',
      expect.stringMatching(/^5:5: `nam` is unknown/),
      expect.stringMatching(/^7:50: env is 1, expected text/),
      expect.stringMatching(/^8:25: a second project named payments, the first is in line 7/),
      expect.stringMatching(/^10:28: "61 \* \* \* \*" is not a valid schedule/),
      expect.stringMatching(/^10:53: `acme\/nowhere` matches none of/),
      expect.stringMatching(/^11:5: cron is missing/),
      expect.stringMatching(/^11:28: jitter is "soon"/),
      expect.stringMatching(/^12:47: jitter is "soon"/),
      expect.stringMatching(/^12:81: `acme\/elsewhere` matches none of/),
    ])
  })

  it('does not call missing what is faulty', () => {
    const text = `services:
  - { name: acme, url: https://hooks.example.com, key: [], projects: [{ id: p1 }, { id: "not an id" }] }
schedules: [{ name: nightly, cron: "0 * * * *", projects: ["acme/p2"] }]
`
    expect(refusal(text, {}, withTimetable)).toEqual([
      expect.stringMatching(/^2:56: key is an empty list/),
      expect.stringMatching(/^2:89: id is "not an id"/),
    ])
  })

  it.each([
    ['https://hooks.example.com/api/v1/', 'https://hooks.example.com'],
    ['https://example.com/convoy/api/v1', 'https://example.com/convoy'],
    ['https://example.com/api/v1/projects/01M7/endpoints', 'https://example.com'],
  ])('says which URL is right: %s', (url, right) => {
    expect(refusal(`services:\n  - { name: a, key: not-a-real-key, url: ${url}, projects: [{ id: p1 }] }\n`)).toEqual([
      `2:42: leave /api/v1 out of the URL, it is appended: ${right}`,
    ])
  })

  it('shows how a project is written', () => {
    const text = 'services:\n  - { name: a, url: https://a.example, key: k, projects: [payments] }'
    expect(refusal(text)).toEqual([
      '2:59: projects[0] is "payments", expected a mapping such as { id: 01M7XVZ2T417WGWM74AAK885VQ, name: payments }',
    ])
  })
})
