import type { JsonObject } from '../../../src/model/json.ts'
import { aProject, type Cases } from '../rule-cases.ts'

const safe = { is_enabled: true, type: 'http', url: 'https://a.example/meta', secret: 'sealed:0' }
const meta = (settings: JsonObject) => aProject({ config: { meta_event: { ...safe, ...settings } } })

export const cases: Cases = {
  'finds an address with plain http': {
    sees: [meta({ url: 'http://a.example/meta' })],
    finds: ['high p/config/meta_event/url: meta events go to a.example over plain http'],
  },
  'finds a missing secret': {
    sees: [meta({ secret: null })],
    finds: ['high p/config/meta_event/secret: meta events have no secret: the receiver cannot verify them'],
  },
  'finds both': {
    sees: [meta({ url: 'http://a.example/meta', secret: null })],
    finds: [
      'high p/config/meta_event/url: meta events go to a.example over plain http',
      'high p/config/meta_event/secret: meta events have no secret: the receiver cannot verify them',
    ],
  },
  'leaves https with a secret alone': { sees: [meta({}), meta({ secret: 'sealed:masked' })] },
  'leaves meta events that are off alone': {
    sees: [meta({ is_enabled: false, url: 'http://a.example', secret: null })],
  },
  'does not ask for the type: every meta event is posted': {
    sees: [meta({ type: 'pub_sub', url: 'http://a.example/meta' })],
    finds: ['high p/config/meta_event/url: meta events go to a.example over plain http'],
  },
  'is silent where address and secret are not shown': {
    sees: [aProject({ config: { meta_event: { is_enabled: true } } })],
  },
}
