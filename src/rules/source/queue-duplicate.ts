import { maskedSeal } from '../../model/resource.ts'
import type { Queue } from '../engine/attributes.ts'
import { projectRule } from '../engine/define-rule.ts'
import { listed } from '../shared/listed.ts'

/** The settings by which the service distinguishes queues (`internal/pkg/pubsub/pubsub.go`), besides the workers. */
const settings = {
  amqp: ['schema', 'host', 'queue'],
  google: ['service_account', 'project_id', 'subscription_id'],
  kafka: ['brokers', 'consumer_group_id', 'topic_name', 'auth'],
  sqs: ['access_key_id', 'secret_key', 'default_region', 'queue_name'],
} as const

export const queueDuplicate = projectRule({
  id: 'source/queue-duplicate',
  title: 'Sources with the same queue settings: the service runs only one of them',
  severity: 'medium',
  packs: ['delivery'],
  kind: 'source',
  reads: ['source'],
  *check({ all }) {
    const queues = all('source').filter(({ attributes }) => attributes.type === 'pub_sub')
    for (const [key, alike] of Map.groupBy(queues, ({ attributes }) => keyOf(attributes.pub_sub))) {
      if (key === undefined) continue
      for (const at of alike) {
        const others = alike.filter(({ uid }) => uid !== at.uid).map(({ name, uid }) => name || uid)
        if (others.length > 0)
          yield {
            at,
            path: '/pub_sub',
            message: `same queue settings as ${listed(others.sort())}: only one of them runs`,
          }
      }
    }
  },
})

function keyOf(queue: Queue | null | undefined): string | undefined {
  const type = queue?.type
  if (type !== 'amqp' && type !== 'google' && type !== 'kafka' && type !== 'sqs') return undefined
  const members: Readonly<Record<string, unknown>> = queue?.[type] ?? {}
  const key = JSON.stringify([type, queue?.workers, settings[type].map((name) => members[name])])
  return key.includes(maskedSeal) ? undefined : key
}
