// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of the configuration
import { describe, expect, it } from 'vitest'
import { configure, refusal, withService } from './config-fixture.ts'

const secret = `whsec_${Buffer.alloc(24, 'not-a-real-key').toString('base64')}`
const env = {
  ACME_KEY: 'not-a-real-key',
  HOOK_URL: 'https://hooks.example.com/in?k=not-a-real-key',
  HOOK_SECRET: secret,
  PASSWORD: 'not-a-real-key',
}
const hook = { name: 'hook', type: 'webhook', url: '${HOOK_URL}', secret: '${HOOK_SECRET}' }
const mail = {
  name: 'mail',
  type: 'email',
  smtp: 'smtp://mail.example.com',
  from: 'a@example.com',
  to: ['b@example.com'],
}
const withChannels = (...notify: unknown[]) => withService({}, { notify })
const refusalOf = (...notify: unknown[]) => refusal(withChannels(...notify), { env })

describe('channels', () => {
  it('are read with secrets from the environment and from files, and paths relative to the configuration', () => {
    const files = { '/etc/hookdrift/url': `${env.HOOK_URL}\n` }
    const chat = { name: 'chat', type: 'slack', url: '${file:url}', min_severity: 'high', projects: ['acme/*'] }
    const configuration = configure(withChannels(hook, chat, { name: 'files', type: 'directory', path: 'out' }), {
      env,
      files,
    })
    expect(configuration.warnings).toEqual([])
    expect(configuration.notify).toEqual([
      { ...hook, url: env.HOOK_URL, secret },
      { ...chat, url: env.HOOK_URL, max_characters: 40_000 },
      { name: 'files', type: 'directory', path: '/etc/hookdrift/out', formats: ['json', 'text'], keep: 90 },
    ])
  })

  it.each<[string, unknown, RegExp]>([
    ['an unknown type', { name: 'a', type: 'pager' }, /type is "pager", expected/],
    ['a member of another type', { name: 'a', type: 'log', url: 'x' }, /`?url`? is unknown/],
    ['a webhook without a secret', { ...hook, secret: undefined }, /secret is missing, expected `whsec_`/],
    ['an unknown severity', { ...hook, min_severity: 'bad' }, /min_severity is "bad"/],
    [
      'a mail server that is not a URL',
      { ...mail, smtp: 'https://mail.example.com' },
      /smtp has a value that does not fit \(not shown\)/,
    ],
    ['an address that would begin a header', { ...mail, from: 'a@example.com\r\nBcc: c@example.com' }, /from is/],
    ['two addresses in one', { ...mail, to: ['b@example.com, c@example.com'] }, /to\[0\] is/],
    ['no owner', { ...hook, owners: [] }, /owners is an empty list/],
    ['an owner with a line break', { ...hook, owners: ['a\nb'] }, /owners\[0\] is/],
    ['a misspelt member', { ...hook, owner: ['tenant-01'] }, /`owner` is unknown, did you mean `owners`\?/],
    ['a misspelt type', { name: 'a', type: 'team', url: '${HOOK_URL}' }, /type is "team".*did you mean `teams`\?/],
    [
      'a routing key of another form',
      { name: 'a', type: 'pagerduty', routing_key: '${PASSWORD}' },
      /routing_key has a value that does not fit \(not shown\), expected the integration key/,
    ],
    ['keep 0', { name: 'a', type: 'directory', path: 'x', keep: 0 }, /keep is 0/],
    ['a format twice wrong', { name: 'a', type: 'directory', path: 'x', formats: ['pdf'] }, /formats\[0\] is "pdf"/],
  ])('refuse %s, with its place', (_, channel, expected) => {
    const lines = refusalOf(channel)
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatch(/^1:\d+: /)
    expect(lines[0]).toMatch(expected)
  })

  it('of Teams and PagerDuty are read, with the published address of PagerDuty', () => {
    const more = { ...env, PAGERDUTY_KEY: 'notarealkey'.padEnd(32, '0') }
    const duty = { name: 'duty', type: 'pagerduty', routing_key: '${PAGERDUTY_KEY}', owners: ['tenant-0*'] }
    const teams = { name: 'team', type: 'teams', url: '${HOOK_URL}' }
    const { notify, warnings } = configure(withChannels(duty, teams), { env: more })
    expect(notify).toEqual([
      { ...duty, routing_key: more.PAGERDUTY_KEY, url: 'https://events.pagerduty.com' },
      { ...teams, url: env.HOOK_URL },
    ])
    expect(warnings).toEqual([])
    const eu = configure(withChannels({ ...duty, url: 'https://events.eu.pagerduty.com' }), { env: more })
    expect(eu.notify).toMatchObject([{ url: 'https://events.eu.pagerduty.com' }])
    const literal = configure(withChannels({ ...duty, routing_key: more.PAGERDUTY_KEY }), { env: more })
    expect(literal.warnings).toEqual([expect.stringMatching(/the file contains a secret/)])
  })

  it('of tickets are read, with the published address of GitHub and labels by owner', () => {
    const more = { ...env, TRACKER_TOKEN: 'not-a-real-token' }
    const issues = {
      name: 'issues',
      type: 'github_issue',
      repository: 'acme/payments',
      token: '${TRACKER_TOKEN}',
      labels: ['webhooks'],
      assignees: { '*': ['ops'], 'tenant-0*': ['alice'] },
    }
    const ops = {
      name: 'ops',
      type: 'jira',
      url: 'https://acme.atlassian.net',
      project: 'OPS',
      user: 'me@example.com',
      token: '${TRACKER_TOKEN}',
      assignee: { 'tenant-0*': '712020:a1' },
    }
    const { notify, warnings, digest } = configure(withChannels(issues, ops), { env: more })
    expect(notify).toEqual([
      { ...issues, token: more.TRACKER_TOKEN, api_url: 'https://api.github.com' },
      { ...ops, token: more.TRACKER_TOKEN, issue_type: 'Task', max_characters: 30_000 },
    ])
    expect(warnings).toEqual([])
    const rotated = configure(withChannels(issues, ops), { env: { ...more, TRACKER_TOKEN: 'another' } })
    expect(rotated.digest).toBe(digest)
    const unsafe = { ...issues, token: more.TRACKER_TOKEN, api_url: 'http://github.example.com/api/v3' }
    expect(configure(withChannels(unsafe), { env }).warnings).toEqual([
      expect.stringMatching(/the file contains a secret/),
      expect.stringMatching(/sent unencrypted over http/),
    ])
    expect(configure(withChannels(issues, ops), { env }, { usesChannels: false }).digest).toBe(digest)
  })

  it.each<[string, object, RegExp]>([
    [
      'a repository that leads elsewhere',
      { repository: 'acme/..' },
      /repository is "acme\/\.\.", expected a repository/,
    ],
    ['labels of projects', { labels: { env: 'prod' } }, /env is "prod", expected a list/],
    ['a mention', { assignees: ['@alice'] }, /assignees\[0\] is a text \(not shown\), expected the name of a user/],
    ['a token with a line break', { token: 'a\nb' }, /token has a value that does not fit \(not shown\)/],
  ])('refuse an issue of GitHub with %s', (_, wrong, expected) => {
    const issues = { name: 'a', type: 'github_issue', repository: 'acme/payments', token: '${PASSWORD}', ...wrong }
    expect(refusalOf(issues)).toEqual([expect.stringMatching(expected)])
  })

  it('report all their mistakes at once', () => {
    const wrong = [
      { name: 'a', type: 'slack', url: 'ftp://x', owners: [1] },
      { name: 'b', type: 'pagerduty', min_severty: 'high' },
    ]
    expect(refusalOf(...wrong).map((line) => line.replace(/^1:\d+: /, '').replace(/,.*/, ''))).toEqual([
      'url has a value that does not fit (not shown)',
      'owners[0] is 1',
      'routing_key is missing',
      '`min_severty` is unknown',
    ])
  })

  describe('that are not used', () => {
    const all = withChannels(
      hook,
      { name: 'chat', type: 'slack', url: '${SLACK_URL}' },
      { name: 'duty', type: 'pagerduty', routing_key: '${file:./duty}' },
      { ...mail, smtp: '${SMTP}', password: '${PASSWORD}' },
      { ...mail, name: 'post', user: '${MAIL_USER}', password: '${PASSWORD}' },
    )
    const unused = { usesChannels: false }

    it('need none of their secrets, and keep the digest of the configuration', () => {
      const bare = { ACME_KEY: env.ACME_KEY }
      expect(refusal(all, { env: bare }).length).toBeGreaterThan(4)
      const { notify, digest, warnings } = configure(all, { env: bare }, unused)
      expect([notify, warnings]).toEqual([[], []])
      const filled = {
        ...env,
        SLACK_URL: env.HOOK_URL,
        MAIL_USER: 'u',
        SMTP: 'smtp://u:p@mail.example.com',
        MAIL: 'x',
      }
      const files = { '/etc/hookdrift/duty': 'notarealkey'.padEnd(32, '0') }
      expect(configure(all.replace('"${SMTP}"', '"smtp://u@mail.example.com"'), { env: filled, files }).digest).toBe(
        digest,
      )
    })

    it('count an empty variable as missing, as a secret is that a job does not have', () => {
      const empty = { ACME_KEY: env.ACME_KEY, HOOK_URL: '', HOOK_SECRET: '' }
      expect(refusal(withChannels(hook), { env: empty }, unused)).toEqual([])
    })

    it('need all other variables, and hide no other mistake', () => {
      const other = { ...hook, name: '${HOOK_NAME}', min_severity: 'bad' }
      expect(refusal(withChannels(other), { env: {} }, unused).map((line) => line.replace(/^1:\d+: /, ''))).toEqual([
        'the environment variable HOOK_NAME is not set',
        expect.stringMatching(/^min_severity is "bad"/),
        'the environment variable ACME_KEY is not set',
      ])
    })
  })

  it('show no secret in any mistake', () => {
    const leak = 'https://me:not-a-real-key@hooks.example.com/not-a-real-key#x'
    const wrong = [
      { ...hook, url: leak },
      { ...hook, secret: 'not-a-real-key!' },
      { ...hook, secret: ['not-a-real-key'] },
      { ...hook, url: { of: leak } },
      { ...mail, password: 'not-a-real-key\n' },
      { ...mail, smtp: `smtp://u:not-a-real-key@h/?x` },
      leak,
    ]
    for (const channel of wrong) {
      const lines = refusalOf(channel)
      expect(lines.length).toBeGreaterThan(0)
      expect(lines.join('\n')).not.toContain('not-a-real-key')
    }
    expect(refusal(withService({}, { notify: leak })).join('\n')).not.toContain('not-a-real-key')
    const unfit = refusal(withChannels(hook), { env: { ...env, HOOK_SECRET: 'not-a-real-key!' } })
    expect(unfit.join('\n')).not.toContain('not-a-real-key')
  })

  it('warn of secrets in the file and of plaintext messages', () => {
    const { warnings } = configure(
      withChannels(
        { ...hook, url: 'http://hooks.example.com/x', secret },
        { ...mail, smtp: 'smtp://u:p@mail.example.com' },
      ),
      { env },
    )
    expect(warnings.map((line) => line.replace(/^.*:\d+:\d+: /, ''))).toEqual([
      'the file contains a secret; use ${VAR} or ${file:PATH}',
      'messages are sent unencrypted over http; use https',
      'the file contains a secret; use ${VAR} or ${file:PATH}',
      'the file contains a secret; use ${VAR} or ${file:PATH}',
    ])
  })

  it('are part of the digest of the configuration, without their secrets', () => {
    const digest = (channel: object, more = {}) => configure(withChannels(channel), { env: { ...env, ...more } }).digest
    expect(digest(hook, { HOOK_URL: 'https://other.example.com', HOOK_SECRET: `${secret}AAAA` })).toBe(digest(hook))
    expect(digest({ ...hook, name: 'other' })).not.toBe(digest(hook))
    expect(digest({ ...hook, min_severity: 'low' })).not.toBe(digest(hook))
    expect(configure(withChannels(), { env }).digest).toBe(configure(withService({}), { env }).digest)
  })
})
