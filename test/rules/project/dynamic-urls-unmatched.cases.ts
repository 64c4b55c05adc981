import type { Json } from '../../../src/model/json.ts'
import { anEndpoint, aProject, type Cases } from '../rule-cases.ts'

const allowing = (allow_unmatched_dynamic_urls: Json) => aProject({ config: { allow_unmatched_dynamic_urls } })
const template = anEndpoint({ url: 'https://{tenant}.example/hooks' })

export const cases: Cases = {
  'finds templates next to the setting': {
    sees: [allowing(true), template, anEndpoint({ url: 'https://a.example/' }, 'e2')],
    finds: [
      'medium p/config/allow_unmatched_dynamic_urls: 1 URL template, but a dynamic event for any other URL creates an endpoint for it',
    ],
  },
  'leaves it alone where no endpoint has a template: then the setting decides nothing': {
    sees: [allowing(true), anEndpoint({ url: 'https://a.example/' })],
  },
  'leaves it alone where it is off': { sees: [allowing(false), template] },
  'is silent where an older release does not show it': { sees: [aProject({ config: {} }), template] },
}
