import type { JsonObject } from '../../../src/model/json.ts'
import { aProject, type Cases, changed } from '../rule-cases.ts'

const version = (position: number, hash: string, encoding = 'hex') => ({ hash, encoding, position })
const signature = (versions: JsonObject, header = 'X-Convoy-Signature') => ({
  config: { signature: { header, versions } },
})
const one = { a: version(1, 'SHA256') }
const two = { a: version(1, 'SHA256'), b: version(2, 'SHA512') }
const from = (before: JsonObject, after: JsonObject) => [changed(aProject(before), after)]

export const cases: Cases = {
  'finds another header': {
    compares: from(signature(one), signature(one, 'X-Signature')),
    finds: ['high p/config/signature/header: signatures are sent in `X-Signature` (was `X-Convoy-Signature`)'],
  },
  'finds another hash and another encoding': {
    compares: [
      ...from(signature(one), signature({ a: version(1, 'SHA512') })),
      ...from(signature(one), signature({ a: version(1, 'SHA256', 'base64') })),
    ],
    finds: [
      'high p/config/signature/versions: signature versions are SHA512 hex (were SHA256 hex)',
      'high p/config/signature/versions: signature versions are SHA256 base64 (were SHA256 hex)',
    ],
  },
  'finds versions that changed places': {
    compares: from(signature(two), signature({ a: version(2, 'SHA256'), b: version(1, 'SHA512') })),
    finds: [
      'high p/config/signature/versions: signature versions are SHA512 hex, SHA256 hex (were SHA256 hex, SHA512 hex)',
    ],
  },
  'finds versions that went': {
    compares: from(signature(two), signature(one)),
    finds: ['high p/config/signature/versions: signature versions are SHA256 hex (were SHA256 hex, SHA512 hex)'],
  },
  'is milder about one that was added at the end': {
    compares: from(signature(one), signature(two)),
    finds: ['medium p/config/signature/versions: signature versions are SHA256 hex, SHA512 hex (were SHA256 hex)'],
  },
  'leaves the same versions under other uids alone': {
    compares: from(signature(one), signature({ z: version(1, 'SHA256') })),
  },
  'is silent where one side does not show the order': {
    compares: from(signature({ a: { hash: 'MD5', encoding: 'hex' } }), signature(one)),
  },
}
