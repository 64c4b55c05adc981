import { z } from 'zod'
import type { Project, ProjectConfig } from '../engine/attributes.ts'
import { driftRule, openFor } from '../engine/define-rule.ts'

type Signature = NonNullable<ProjectConfig['signature']>

export const signatureChanged = driftRule({
  id: 'drift/signature-changed',
  title: 'Receivers verify another signature than the one that is sent',
  severity: 'high',
  packs: ['secrets', 'standard-webhooks', 'delivery'],
  acceptedWith: ['/config/signature'],
  kinds: ['project'],
  options: z.strictObject({ open_for: openFor }),
  *check({ before, after }) {
    const [old, now] = [signatureOf(before), signatureOf(after)]
    if (old === undefined || now === undefined) return
    if (old.header !== undefined && now.header !== undefined && old.header !== now.header) {
      const message = `signatures are sent in ${nameOf(now.header)} (was ${nameOf(old.header)})`
      yield { path: '/config/signature/header', message }
    }
    const [were, are] = [versionsOf(old), versionsOf(now)]
    if (were === undefined || are === undefined || were.join() === are.join()) return
    const isAdded = are.length > were.length && were.every((version, index) => version === are[index])
    const listed = (versions: readonly string[]) => (versions.length === 0 ? 'none' : versions.join(', '))
    const message = `signature versions are ${listed(are)} (were ${listed(were)})`
    // Advanced signatures keep the former ones; simple ones are made with the last version alone.
    yield { path: '/config/signature/versions', message, ...(isAdded && { severity: 'medium' }) }
  },
})

/** The service takes null for none. */
function signatureOf(project: Project | undefined): Partial<Signature> | undefined {
  const signature = project?.config?.signature
  return signature === null ? { versions: null } : signature
}

/** `SHA256 hex`, in the order in which the service goes by them; undefined where one is not shown in full. */
function versionsOf({ versions }: Partial<Signature>): readonly string[] | undefined {
  if (versions === undefined) return undefined
  const all = Object.values(versions ?? {})
  if (all.some(({ hash, encoding, position }) => hash === undefined || encoding === undefined || !position)) {
    return undefined
  }
  const inOrder = all.sort((a, b) => (a.position ?? 0) - (b.position ?? 0))
  return inOrder.map(({ hash, encoding }) => `${hash ?? 'no hash'} ${encoding ?? 'without encoding'}`)
}

function nameOf(header: string | null): string {
  return header === null ? 'no header' : `\`${header}\``
}
