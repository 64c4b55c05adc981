import { pointerStep } from '../../model/json.ts'
import { isMasked } from '../../model/resource.ts'
import { activeSecrets } from '../attributes.ts'
import { foldRule, type Place } from '../rule.ts'

interface Use {
  readonly at: Place
  readonly secret: string
  readonly owner: string
}

export const secretShared = foldRule({
  id: 'endpoint/secret-shared',
  title: 'The same secret signs for several endpoints',
  severity: 'medium',
  highest: 'high',
  packs: ['secrets', 'standard-webhooks'],
  kind: 'endpoint',
  visits: ['endpoint'],
  scope: 'fleet',
  // By seal. Nearly every secret is used once: a list is made for the second use only.
  start: () => new Map<string, Use | Use[]>(),
  visit(uses, { attributes }, at) {
    for (const [secret, { value }] of activeSecrets(attributes)) {
      if (typeof value !== 'string' || isMasked(value)) continue
      const use = { at, secret, owner: attributes.owner_id ?? '' }
      const known = uses.get(value)
      if (known === undefined) uses.set(value, use)
      else if (Array.isArray(known)) known.push(use)
      else uses.set(value, [known, use])
    }
  },
  *conclude(uses) {
    for (const shared of uses.values()) {
      if (!Array.isArray(shared)) continue
      const endpoints = new Set(shared.map(({ at }) => `${at.project.name} ${at.uid}`))
      if (endpoints.size < 2) continue
      const owners = new Set(shared.map(({ owner }) => owner)).size
      const projects = new Set(shared.map(({ at }) => at.project.name)).size
      const across = projects > 1 ? ' across projects' : owners > 1 ? ' of different owners' : ''
      for (const { at, secret } of shared) {
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
