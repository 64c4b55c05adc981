import { resourceRule } from '../engine/define-rule.ts'
import { destinationOf } from '../shared/destination.ts'

/** One address, without a display name (RFC 5321, 4.1.2, as far as anyone uses it). */
const emailAddress = /^[^\s@,;<>]+@[^\s@,;<>.]+(?:\.[^\s@,;<>.]+)*$/

export const alertContactInvalid = resourceRule('endpoint', {
  id: 'endpoint/alert-contact-invalid',
  title: 'Alert contact is invalid',
  severity: 'low',
  packs: ['hygiene'],
  *check({ attributes: { support_email: email, slack_webhook_url: slack, teams_webhook_url: teams } }) {
    if (typeof email === 'string' && email !== '' && !emailAddress.test(email)) {
      yield { path: '/support_email', message: `\`${email}\` is not a valid e-mail address` }
    }
    // These URLs are credentials: the messages leave them out.
    if (isOtherThanHttps(slack)) yield { path: '/slack_webhook_url', message: 'the Slack URL is not https' }
    if (isOtherThanHttps(teams)) yield { path: '/teams_webhook_url', message: 'the Teams URL is not https' }
  },
})

function isOtherThanHttps(address: string | null | undefined): boolean {
  return typeof address === 'string' && address !== '' && destinationOf(address)?.scheme !== 'https:'
}
