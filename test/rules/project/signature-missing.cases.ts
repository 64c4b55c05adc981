import type { ProjectConfigRow } from '../../../src/demo/rows.ts'
import type { Json } from '../../../src/model/json.ts'
import { aProject, type Cases } from '../rule-cases.ts'

/** What the service stores when a resource breaks the rule: test/rules/broken-fleet.test.ts audits a fleet with it. */
export const broken = {
  change: { signature: { header: 'X-Convoy-Signature', versions: [] } },
} satisfies { change: Partial<ProjectConfigRow> }

const signing = (signature: Json) => aProject({ config: { signature } })
const left = 'no signature version: deliveries fail or go out unsigned'

export const cases: Cases = {
  'finds a signature without versions': {
    sees: [signing({ header: 'X-Convoy-Signature', versions: {} }), signing({ versions: null })],
    finds: [`high p/config/signature/versions: ${left}`, `high p/config/signature/versions: ${left}`],
  },
  'finds no signature at all': { sees: [signing(null)], finds: [`high p/config/signature: ${left}`] },
  'leaves a version alone, also a weak one: that is project/signature-weak': {
    sees: [signing({ versions: { v1: { hash: 'SHA256' } } }), signing({ versions: { v1: { hash: 'MD5' } } })],
  },
  'is silent where versions are not shown, or are none': {
    sees: [signing({ header: 'X-Convoy-Signature' }), aProject({ config: {} }), signing({ versions: 'none' })],
  },
}
