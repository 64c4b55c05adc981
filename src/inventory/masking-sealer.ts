import { maskedSeal } from '../model/resource.ts'
import { isSeal, type Sealer } from './sealer.ts'

/** Without a key, a secret is masked: present, with an unknown value. Seals stay. */
export const maskingSealer: Sealer = {
  keyId: '',
  seal: (secret) => (isSeal(secret) ? secret : maskedSeal),
}
