import { describe, expect, it } from 'vitest'
import { alertContactInvalid } from '../../../src/rules/endpoint/alert-contact-invalid.ts'
import { problemsOf, seal } from './judge-endpoint.ts'

describe('endpoint/alert-contact-invalid', () => {
  it.each(['ops', 'ops@', '@a.example', 'Ops <ops@a.example>', 'a@a.example, b@a.example', 'ops@a..example'])(
    'finds that %j is no address',
    (support_email) => {
      expect(problemsOf(alertContactInvalid, { support_email })).toEqual([
        { path: '/support_email', message: `${support_email} is not an e-mail address` },
      ])
    },
  )

  it('finds chat addresses that are not https, and keeps them to itself', () => {
    const found = problemsOf(alertContactInvalid, {
      slack_webhook_url: `http://hooks.slack.com/${seal('a')}`,
      teams_webhook_url: 'not-an-address',
    })
    expect(found).toEqual([
      { path: '/slack_webhook_url', message: 'the Slack address is not https' },
      { path: '/teams_webhook_url', message: 'the Teams address is not https' },
    ])
  })

  it('leaves good contacts alone', () => {
    const contacts = {
      support_email: "o'ps+hooks@mail.a.example",
      slack_webhook_url: `https://hooks.slack.com/${seal('a')}`,
      teams_webhook_url: null,
    }
    expect(problemsOf(alertContactInvalid, contacts)).toEqual([])
    expect(problemsOf(alertContactInvalid, { support_email: 'ops@localhost' })).toEqual([])
  })

  it('is silent where none is shown', () => {
    expect(problemsOf(alertContactInvalid, {})).toEqual([])
    expect(problemsOf(alertContactInvalid, { support_email: null, slack_webhook_url: null })).toEqual([])
  })
})
