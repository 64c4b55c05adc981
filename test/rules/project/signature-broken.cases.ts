import type { JsonObject } from '../../../src/model/json.ts'
import { anEndpoint, aProject, type Cases } from '../rule-cases.ts'

const signing = (versions: JsonObject | null, header: string | null = 'X-Convoy-Signature') =>
  aProject({ config: { signature: { header, versions } } })
const version = (position: number, hash: string | null, encoding: string | null = 'hex') => ({
  hash,
  encoding,
  position,
})
const advanced = anEndpoint({ advanced_signatures: true })
const simple = anEndpoint({ advanced_signatures: false }, 'e2')

export const cases: Cases = {
  'finds a hash that the service does not compute': {
    sees: [signing({ a: version(1, 'SHA384') }), signing({ a: version(1, 'sha256') })],
    finds: [
      'critical p/config/signature/versions/a/hash: signature version 1 has the hash `SHA384`, which the service cannot compute: no delivery leaves',
      'critical p/config/signature/versions/a/hash: signature version 1 has the hash `sha256`, which the service cannot compute: no delivery leaves',
    ],
  },
  'finds an encoding that the service does not compute': {
    sees: [signing({ a: version(1, 'SHA256', 'Hex') })],
    finds: [
      'critical p/config/signature/versions/a/encoding: signature version 1 has the encoding `Hex`, which the service cannot compute: no delivery leaves',
    ],
  },
  'finds hash and encoding that are empty': {
    sees: [signing({ a: version(1, null), b: version(2, 'SHA256', null) })],
    finds: [
      'critical p/config/signature/versions/a/hash: signature version 1 has no hash, which the service cannot compute: no delivery of an endpoint with advanced signatures leaves',
      'critical p/config/signature/versions/b/encoding: signature version 2 has no encoding, which the service cannot compute: no delivery leaves',
    ],
  },
  'goes by the place of a version: simple signatures are made with the last one': {
    sees: [signing({ b: version(2, 'SHA256'), z: version(1, 'MD5') }), simple],
    finds: [
      'low p/config/signature/versions/z/hash: signature version 1 has the hash `MD5`, which the service cannot compute: no delivery of an endpoint with advanced signatures leaves',
    ],
  },
  'finds an empty header': {
    sees: [signing({ a: version(1, 'SHA256') }, null)],
    finds: ['critical p/config/signature/header: the name of the header is empty: no delivery leaves'],
  },
  'finds that there is no version': {
    sees: [signing({}), simple],
    finds: [
      'critical p/config/signature/versions: no signature version: advanced signatures are empty, and simple ones keep deliveries from leaving',
    ],
  },
  'is milder where every endpoint has advanced signatures': {
    sees: [aProject({ config: { signature: null } }), advanced],
    finds: [
      'high p/config/signature: no signature version: advanced signatures are empty, and simple ones keep deliveries from leaving',
    ],
  },
  'does not conclude from endpoints that were not all seen': {
    sees: [signing({}), advanced],
    unseen: ['endpoint'],
    finds: [
      'critical p/config/signature/versions: no signature version: advanced signatures are empty, and simple ones keep deliveries from leaving',
    ],
  },
  'leaves what the service computes alone': {
    sees: [signing({ a: version(1, 'SHA512', 'base64'), b: version(2, 'SHA256') }), simple],
  },
  'is silent where the signature is not shown': {
    sees: [aProject({ config: {} }), aProject({ config: { signature: {} } })],
  },
}
