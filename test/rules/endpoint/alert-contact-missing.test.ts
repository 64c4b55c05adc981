import { describe, expect, it } from 'vitest'
import { alertContactMissing } from '../../../src/rules/endpoint/alert-contact-missing.ts'
import { problemsOf, seal } from './judge-endpoint.ts'

const none = { support_email: null, slack_webhook_url: null, teams_webhook_url: null }

describe('endpoint/alert-contact-missing', () => {
  it('mentions that nobody is told', () => {
    expect(problemsOf(alertContactMissing, none)).toEqual([
      { path: '/support_email', message: 'neither an e-mail address nor Slack nor Teams to alert' },
    ])
  })

  it('leaves an endpoint with any contact alone', () => {
    expect(problemsOf(alertContactMissing, { ...none, support_email: 'ops@a.example' })).toEqual([])
    expect(
      problemsOf(alertContactMissing, { ...none, slack_webhook_url: `https://hooks.slack.com/${seal('a')}` }),
    ).toEqual([])
    expect(
      problemsOf(alertContactMissing, { ...none, teams_webhook_url: `https://a.webhook.office.com/${seal('a')}` }),
    ).toEqual([])
  })

  it('is silent where one of them is not shown', () => {
    expect(problemsOf(alertContactMissing, {})).toEqual([])
    expect(problemsOf(alertContactMissing, { support_email: null })).toEqual([])
  })
})
