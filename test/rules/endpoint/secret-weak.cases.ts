import type { JsonObject } from '../../../src/model/json.ts'
import type { Weakness } from '../../../src/model/resource.ts'
import { anEndpoint, type Cases, masked, type Seen, seal } from '../rule-cases.ts'

const path = '/secrets/k1/value'
const shown = { value: seal('a') }
const withSecret = (min_length: number, weak: Weakness[] = [], uid = 'e1', k1: JsonObject = shown): Seen => ({
  ...anEndpoint({ secrets: { k1 } }, uid),
  facts: { [path]: { min_length, weak } },
})

export const cases: Cases = {
  'finds a secret under 24 characters, and is stricter under 16': {
    sees: [withSecret(16), withSecret(0, [], 'e2')],
    finds: [
      `medium e1${path}: weak secret: 16 to 23 characters (policy: at least 24)`,
      `high e2${path}: weak secret: under 8 characters (policy: at least 24)`,
    ],
  },
  'finds a long secret that can be guessed': {
    sees: [withSecret(32, ['equals-uid', 'repetition'])],
    finds: [`medium e1${path}: weak secret: same as its uid, a repetition`],
  },
  'is strict about a secret that anyone knows, at any length': {
    sees: [withSecret(32, ['placeholder']), withSecret(24, ['digits'], 'e2')],
    finds: [`high e1${path}: weak secret: a placeholder`, `medium e2${path}: weak secret: digits only`],
  },
  'leaves a long random secret alone': { sees: [withSecret(24)] },
  'asks for as many characters as the policy says, in the classes that are known': {
    sees: [withSecret(24)],
    options: { min_characters: 32 },
    finds: [`medium e1${path}: weak secret: 24 to 31 characters (policy: at least 32)`],
  },
  'never evaluates what the service masks': { sees: [withSecret(8, [], 'e1', { value: masked })] },
  'never evaluates a secret without facts': { sees: [anEndpoint({ secrets: { k1: shown } })] },
  'never evaluates a deleted secret': {
    sees: [withSecret(8, [], 'e1', { ...shown, deleted_at: '2026-01-01T00:00:00Z' })],
  },
}
