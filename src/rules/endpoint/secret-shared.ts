import { pointerStep } from '../../model/json.ts'
import { isMasked } from '../../model/resource.ts'
import { activeSecrets } from '../engine/attributes.ts'
import { fleetRule } from '../engine/define-rule.ts'
import type { FleetFact } from '../engine/rule.ts'

export const secretShared = fleetRule({
  id: 'endpoint/secret-shared',
  title: 'Signing secret is shared between endpoints',
  severity: 'medium',
  highest: 'high',
  packs: ['secrets', 'standard-webhooks'],
  skipsMasked: true,
  kind: 'endpoint',
  visits: ['endpoint'],
  facts: ({ attributes }) =>
    activeSecrets(attributes)
      .filter(([, { value }]) => typeof value === 'string' && !isMasked(value))
      .map(([secret, { value }]): FleetFact => [value ?? '', secret, attributes.owner_id ?? '']),
  *conclude(inProject, elsewhere) {
    const endpoints = new Set(inProject.map(({ at }) => at.uid)).size
    const isElsewhere = elsewhere.length > 0
    if (endpoints < 2 && !isElsewhere) return
    const areOwners = new Set(inProject.map(({ details: [, owner] }) => owner)).size > 1
    for (const {
      at,
      details: [secret = ''],
    } of inProject) {
      yield {
        at,
        path: `/secrets/${pointerStep(secret)}`,
        message: `secret shared ${describe(endpoints, isElsewhere, areOwners)}`,
        severity: isElsewhere || areOwners ? 'high' : 'medium',
      }
    }
  },
})

function describe(endpoints: number, isElsewhere: boolean, areOwners: boolean): string {
  if (endpoints < 2) return 'with endpoints in other projects'
  const here = `by ${endpoints} endpoints${areOwners ? ' of different owners' : ''}`
  return isElsewhere ? `${here}, and with endpoints in other projects` : here
}
