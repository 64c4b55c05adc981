import { aProject, type Cases } from '../rule-cases.ts'

const signing = (...hashes: string[]) =>
  aProject({
    config: { signature: { versions: Object.fromEntries(hashes.map((hash, index) => [`v${index}`, { hash }])) } },
  })

export const cases: Cases = {
  'finds each version with an outdated hash': {
    sees: [signing('SHA256', 'MD5', 'SHA1')],
    finds: [
      'high p/config/signature/versions/v1/hash: a signature version uses MD5 (recommended: SHA256)',
      'high p/config/signature/versions/v2/hash: a signature version uses SHA1 (recommended: SHA256)',
    ],
  },
  'reads other spellings': {
    sees: [signing('sha-1')],
    finds: ['high p/config/signature/versions/v0/hash: a signature version uses sha-1 (recommended: SHA256)'],
  },
  'leaves other hashes alone': { sees: [signing('SHA256', 'SHA512', 'SHA3_224', 'something-new')] },
  'is silent without versions': { sees: [signing(), aProject({ config: {} })] },
}
