import { resourceRule } from '../engine/define-rule.ts'

export const signatureMissing = resourceRule('project', {
  id: 'project/signature-missing',
  title: 'Project has no signature version',
  severity: 'high',
  packs: ['secrets', 'standard-webhooks'],
  check({ attributes }) {
    const signature = attributes.config?.signature
    const versions = signature === null ? null : signature?.versions
    if (versions === undefined || (versions !== null && !isEmptyObject(versions))) return undefined
    return {
      path: signature === null ? '/config/signature' : '/config/signature/versions',
      message: 'no signature version: deliveries fail or go out unsigned',
    }
  },
})

/** Anything else breaks the contract, and says nothing. */
function isEmptyObject(value: object): boolean {
  return typeof value === 'object' && !Array.isArray(value) && Object.keys(value).length === 0
}
