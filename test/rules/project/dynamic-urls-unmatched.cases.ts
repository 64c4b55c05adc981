import type { ProjectConfigRow } from '../../../src/demo/rows.ts'
import type { Json } from '../../../src/model/json.ts'
import { aProject, type Cases } from '../rule-cases.ts'

/** What the service stores when a resource breaks the rule: test/rules/broken-fleet.test.ts audits a fleet with it. */
export const broken = {
  change: { allow_unmatched_dynamic_urls: true },
} satisfies { change: Partial<ProjectConfigRow> }

const allowing = (allow_unmatched_dynamic_urls: Json) => aProject({ config: { allow_unmatched_dynamic_urls } })

export const cases: Cases = {
  'finds the setting switched on': {
    sees: [allowing(true)],
    finds: [
      'medium p/config/allow_unmatched_dynamic_urls: anyone who sends dynamic events can make the project deliver to any URL',
    ],
  },
  'leaves it alone where it is off': { sees: [allowing(false), allowing(null)] },
  'is silent where an older release does not show it': {
    sees: [aProject({ config: { verify_dynamic_events: true } }), aProject({ config: {} })],
  },
}
