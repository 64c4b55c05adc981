import { projectRule } from '../engine/define-rule.ts'
import { listed } from '../shared/listed.ts'

export const functionBroken = projectRule({
  id: 'source/function-broken',
  title: 'Source function fails on a required payload',
  severity: 'high',
  packs: ['delivery'],
  kind: 'source',
  reads: ['probe', 'source'],
  *check({ all }) {
    const failures = all('probe').flatMap(({ attributes, volatile }) => {
      const { outcome, function: probed, probe, target_kind: kind, target_uid: uid, target_name: name } = attributes
      if (outcome !== 'failed' || kind !== 'source' || typeof uid !== 'string') return []
      const error = attributes.error ?? volatile.error
      const at = { kind: 'source', uid, name: name ?? '' } as const
      return {
        at,
        path: `/${probed}_function`,
        probe: probe ?? '',
        error: typeof error === 'string' ? error : 'no reason given',
      }
    })
    const http = new Set(all('source').flatMap(({ uid, attributes }) => (attributes.type === 'http' ? uid : [])))
    for (const ofFunction of Map.groupBy(failures, ({ at, path }) => `${at.uid} ${path}`).values()) {
      const probes = ofFunction.map(({ probe }) => probe).sort()
      const which = probes.length === 1 ? `probe ${probes[0]}` : `${probes.length} probes (${listed(probes)})`
      for (const { at, path, error } of ofFunction.slice(0, 1)) {
        const message = `fails ${which}: ${error}`
        // Only what reads from queues calls functions (`internal/pkg/pubsub/ingest.go`).
        yield http.has(at.uid)
          ? { at, path, message: `${message} (the service runs no functions of http sources)`, severity: 'info' }
          : { at, path, message }
      }
    }
  },
})
