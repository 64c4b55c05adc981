import { type EventOrigin, verdictOn } from '../../gateway/filters.ts'
import { projectRule } from '../engine/define-rule.ts'
import { findFaults } from '../shared/filter-fault.ts'

export const filterUnreachable = projectRule({
  id: 'subscription/filter-unreachable',
  title: 'Source never carries what the filter asks for',
  severity: 'high',
  packs: ['delivery'],
  licence: 'AdvancedSubscriptions',
  kind: 'subscription',
  reads: ['project', 'source', 'subscription'],
  *check({ all }) {
    const projectType = all('project')[0]?.attributes.type
    const sources = new Map(all('source').map(({ uid, attributes }) => [uid, attributes.type]))
    for (const at of all('subscription')) {
      const origin = originOf(projectType, sources.get(at.attributes.source_uid ?? ''))
      if (origin === undefined) continue
      const found = findFaults(at.attributes, (part, conditions) =>
        verdictOn(part, conditions, {}).never === undefined ? verdictOn(part, conditions, { origin }).never : undefined,
      )
      for (const { path, message } of found) yield { at, path, message }
    }
  },
})

/** Only incoming projects take the events of http sources. */
function originOf(project: string | null | undefined, source: string | null | undefined): EventOrigin | undefined {
  if (project === 'outgoing') return 'other'
  if (project !== 'incoming' || !source) return undefined
  return source === 'http' ? 'http' : 'other'
}
