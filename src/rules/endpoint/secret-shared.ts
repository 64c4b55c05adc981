import { pointerStep } from '../../model/json.ts'
import { isMasked } from '../../model/resource.ts'
import { activeSecrets } from '../engine/attributes.ts'
import { aggregateRule } from '../engine/rule.ts'
import { SharedUses } from '../shared/shared-uses.ts'

export const secretShared = aggregateRule({
  id: 'endpoint/secret-shared',
  title: 'The same secret signs for several endpoints',
  severity: 'medium',
  highest: 'high',
  packs: ['secrets', 'standard-webhooks'],
  kind: 'endpoint',
  visits: ['endpoint'],
  scope: 'fleet',
  start: () => new SharedUses(),
  visit(uses, { attributes }, at) {
    for (const [secret, { value }] of activeSecrets(attributes)) {
      if (typeof value === 'string' && !isMasked(value)) uses.add(value, at, [secret, attributes.owner_id ?? ''])
    }
  },
  *conclude(uses) {
    for (const shared of uses.shared()) {
      const endpoints = new Set(shared.map(({ at }) => `${at.project.name} ${at.uid}`))
      if (endpoints.size < 2) continue
      const owners = new Set(shared.map(({ facts: [, owner] }) => owner)).size
      const projects = new Set(shared.map(({ at }) => at.project.name)).size
      const across = projects > 1 ? ' across projects' : owners > 1 ? ' of different owners' : ''
      for (const {
        at,
        facts: [secret = ''],
      } of shared) {
        yield {
          at,
          path: `/secrets/${pointerStep(secret)}`,
          message: `the same secret signs for ${endpoints.size} endpoints${across}`,
          severity: across === '' ? 'medium' : 'high',
        }
      }
    }
  },
})
