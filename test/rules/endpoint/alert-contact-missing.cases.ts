import { anEndpoint, type Cases, endpoints, seal } from '../rule-cases.ts'

const none = { support_email: null, slack_webhook_url: null, teams_webhook_url: null }

export const cases: Cases = {
  'finds an endpoint without a contact': {
    sees: [anEndpoint(none)],
    finds: ['info e1/support_email: no support e-mail address, Slack URL or Teams URL'],
  },
  'leaves an endpoint with any contact alone': {
    sees: endpoints(
      { ...none, support_email: 'ops@a.example' },
      { ...none, slack_webhook_url: `https://hooks.slack.com/${seal('a')}` },
      { ...none, teams_webhook_url: `https://a.webhook.office.com/${seal('a')}` },
    ),
  },
  'is silent where one of the contacts is not shown': { sees: endpoints({}, { support_email: null }) },
}
