import { resourceRule } from '../engine/define-rule.ts'

export const alertContactMissing = resourceRule('endpoint', {
  id: 'endpoint/alert-contact-missing',
  title: 'No contact is notified when deliveries fail',
  severity: 'info',
  packs: ['hygiene'],
  check({ attributes: { support_email: email, slack_webhook_url: slack, teams_webhook_url: teams } }) {
    if ([email, slack, teams].every((contact) => contact === null || contact === '')) {
      return { path: '/support_email', message: 'neither an e-mail address nor Slack nor Teams to alert' }
    }
    return undefined
  },
})
