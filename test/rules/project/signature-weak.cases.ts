import { aProject, type Cases } from '../rule-cases.ts'

const signing = (...hashes: string[]) =>
  aProject({
    config: { signature: { versions: Object.fromEntries(hashes.map((hash, index) => [`v${index}`, { hash }])) } },
  })

export const cases: Cases = {
  'finds each version with an outdated hash': {
    sees: [signing('SHA256', 'MD5', 'SHA1')],
    finds: [
      'high p/config/signature/versions/v1/hash: a signature version uses MD5, for every endpoint of the project',
      'high p/config/signature/versions/v2/hash: a signature version uses SHA1, for every endpoint of the project',
    ],
  },
  'reads other spellings': {
    sees: [signing('sha-1')],
    finds: [
      'high p/config/signature/versions/v0/hash: a signature version uses sha-1, for every endpoint of the project',
    ],
  },
  'leaves other hashes alone': { sees: [signing('SHA256', 'SHA512', 'SHA3_224', 'something-new')] },
  'is silent without versions': { sees: [signing(), aProject({ config: {} })] },
}
