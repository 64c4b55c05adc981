import { anEndpoint, type Cases, endpoints, seal } from '../rule-cases.ts'

const wrong = ['ops', 'ops@', '@a.example', 'Ops <ops@a.example>', 'a@a.example, b@a.example', 'ops@a..example']

export const cases: Cases = {
  'finds what is not an e-mail address': {
    sees: endpoints(...wrong.map((support_email) => ({ support_email }))),
    finds: wrong.map(
      (address, index) => `low e${index + 1}/support_email: \`${address}\` is not a valid e-mail address`,
    ),
  },
  'finds chat addresses that are not https, and does not repeat them': {
    sees: [
      anEndpoint({
        slack_webhook_url: `http://hooks.slack.com/${seal('a')}`,
        teams_webhook_url: 'not-an-address',
      }),
    ],
    finds: [
      'low e1/slack_webhook_url: the Slack URL is not https',
      'low e1/teams_webhook_url: the Teams URL is not https',
    ],
  },
  'leaves good contacts alone': {
    sees: endpoints(
      {
        support_email: "o'ps+hooks@mail.a.example",
        slack_webhook_url: `https://hooks.slack.com/${seal('a')}`,
        teams_webhook_url: null,
      },
      { support_email: 'ops@localhost' },
    ),
  },
  'is silent where no contact is shown': { sees: endpoints({}, { support_email: null, slack_webhook_url: null }) },
}
