import type { Gap } from '../../src/model/gap.ts'

/** What a rule could not evaluate in a project: one endpoint that shows no `url`, where nothing else is said. */
export function aGap(rule: string, more: Partial<Gap> = {}): Gap {
  const project = more.project ?? 'acme/payments'
  return {
    id: `${project} ${rule} ${more.cause ?? ''} ${more.field ?? ''}`,
    cause: 'field_unseen',
    project,
    listing: null,
    rule,
    kind: 'endpoint',
    field: 'url',
    resources: 1,
    uids: ['EP-1'],
    since: { run: 1, at: '2026-11-19T22:15:00.000Z' },
    text: `${rule} missed 1 endpoint that shows no url`,
    ...more,
  }
}

/** The rule evaluated nothing of the project. */
export function aFailedRule(rule: string, reason = 'it threw', more: Partial<Gap> = {}): Gap {
  const text = `${rule} was not evaluated: ${reason}`
  return aGap(rule, { cause: 'rule_failed', field: null, resources: 0, uids: [], text, ...more })
}
