import { computesEncoding, computesHash } from '../../gateway/signatures.ts'
import { pointerStep } from '../../model/json.ts'
import type { ProjectConfig } from '../engine/attributes.ts'
import { projectRule } from '../engine/define-rule.ts'
import type { RuleFinding } from '../engine/rule.ts'

export const signatureBroken = projectRule({
  id: 'project/signature-broken',
  title: 'Deliveries cannot be signed',
  severity: 'critical',
  packs: ['secrets', 'standard-webhooks', 'delivery'],
  kind: 'project',
  reads: ['project', 'endpoint'],
  *check({ all, isComplete }) {
    for (const at of all('project')) {
      const signature = at.attributes.config?.signature
      if (signature === undefined) continue
      const signs = all('endpoint').map(({ attributes }) => attributes.advanced_signatures)
      const areAll = (isAdvanced: boolean) =>
        signs.length > 0 && isComplete('endpoint') && signs.every((other) => other === isAdvanced)
      if (signature?.header === null) {
        yield { at, path: '/config/signature/header', message: 'the name of the header is empty: no delivery leaves' }
      }
      const faults = faultsOf(signature === null ? null : signature.versions)
      if (faults === undefined) continue
      if (signature === null || faults.length === 0) {
        const message =
          'no signature version: advanced signatures are empty, and simple ones keep deliveries from leaving'
        const path = signature === null ? '/config/signature' : '/config/signature/versions'
        yield { at, path, message, severity: areAll(true) ? 'high' : 'critical' }
      }
      for (const [index, { path, fault }] of faults.entries()) {
        if (fault === undefined) continue
        // Simple signatures are made with the last version alone.
        const isLast = index === faults.length - 1
        const whose = isLast ? 'no delivery leaves' : 'no delivery of an endpoint with advanced signatures leaves'
        const severity = !isLast && areAll(false) ? 'low' : 'critical'
        yield { at, path, message: `${fault}, which the service cannot compute: ${whose}`, severity }
      }
    }
  },
})

type Versions = NonNullable<ProjectConfig['signature']>['versions']

/** Of each version, in their order, what the service cannot compute. undefined: they are not shown. */
function faultsOf(
  versions: Versions,
): readonly (Pick<RuleFinding, 'path'> & { readonly fault?: string })[] | undefined {
  if (versions === undefined) return undefined
  const inOrder = Object.entries(versions ?? {}).sort(([, a], [, b]) => (a.position ?? 0) - (b.position ?? 0))
  return inOrder.map(([uid, { hash, encoding, position }]) => {
    const path = `/config/signature/versions/${pointerStep(uid)}`
    const named = `signature version ${position ?? 1}`
    if (typeof hash === 'string' && !computesHash(hash))
      return { path: `${path}/hash`, fault: `${named} has the hash \`${hash}\`` }
    if (hash === null) return { path: `${path}/hash`, fault: `${named} has no hash` }
    if (typeof encoding === 'string' && !computesEncoding(encoding))
      return { path: `${path}/encoding`, fault: `${named} has the encoding \`${encoding}\`` }
    if (encoding === null) return { path: `${path}/encoding`, fault: `${named} has no encoding` }
    return { path }
  })
}
