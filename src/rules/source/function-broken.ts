import { aggregateRule } from '../engine/define-rule.ts'
import type { FindingSubject } from '../engine/rule.ts'
import { listed } from '../shared/listed.ts'

interface FunctionFailure {
  readonly at: FindingSubject
  readonly path: string
  readonly probe: string
  readonly error: string
}

export const functionBroken = aggregateRule({
  id: 'source/function-broken',
  title: 'Source function fails on a required payload',
  severity: 'high',
  packs: ['delivery'],
  kind: 'source',
  visits: ['probe'],
  start: (): FunctionFailure[] => [],
  visit(failures, { attributes, volatile }, { project }) {
    const { outcome, function: probed, probe, target_kind: kind, target_uid: uid, target_name: name } = attributes
    if (outcome !== 'failed' || kind !== 'source' || typeof uid !== 'string') return
    const error = attributes.error ?? volatile.error
    failures.push({
      at: { project, kind: 'source', uid, name: name ?? '' },
      path: `/${probed}_function`,
      probe: probe ?? '',
      error: typeof error === 'string' ? error : 'no reason given',
    })
  },
  *conclude(failures) {
    for (const ofFunction of Map.groupBy(failures, ({ at, path }) => `${at.uid} ${path}`).values()) {
      for (const { at, path, error } of ofFunction.slice(0, 1)) {
        const probes = ofFunction.map(({ probe }) => probe).sort()
        const which = probes.length === 1 ? `probe ${probes[0]}` : `${probes.length} probes (${listed(probes)})`
        yield { at, path, message: `fails ${which}: ${error}` }
      }
    }
  },
})
