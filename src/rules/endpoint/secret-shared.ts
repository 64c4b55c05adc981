import { pointerStep } from '../../model/json.ts'
import { isMasked } from '../../model/resource.ts'
import { activeSecrets } from '../engine/attributes.ts'
import { fleetRule } from '../engine/fleet-rule.ts'

export const secretShared = fleetRule({
  id: 'endpoint/secret-shared',
  title: 'The same secret signs for several endpoints',
  severity: 'medium',
  highest: 'high',
  packs: ['secrets', 'standard-webhooks'],
  kind: 'endpoint',
  visits: ['endpoint'],
  *facts({ attributes }) {
    for (const [secret, { value }] of activeSecrets(attributes)) {
      if (typeof value === 'string' && !isMasked(value)) yield [value, secret, attributes.owner_id ?? '']
    }
  },
  *conclude(alike) {
    const endpoints = new Set(alike.map(({ at }) => `${at.project.name} ${at.uid}`))
    if (endpoints.size < 2) return
    const owners = new Set(alike.map(({ details: [, owner] }) => owner)).size
    const projects = new Set(alike.map(({ at }) => at.project.name)).size
    const across = projects > 1 ? ' across projects' : owners > 1 ? ' of different owners' : ''
    for (const {
      at,
      details: [secret = ''],
    } of alike) {
      yield {
        at,
        path: `/secrets/${pointerStep(secret)}`,
        message: `the same secret signs for ${endpoints.size} endpoints${across}`,
        severity: across === '' ? 'medium' : 'high',
      }
    }
  },
})
