import { maskedSeal } from '../model/resource.ts'
import type { Sealer } from './sealer.ts'

/** Without a key, a secret is masked: present, its value unknowable. Seals stay. */
export const maskingSealer: Sealer = {
  keyId: '',
  seal: (secret) => (/^sealed:[0-9a-f]{32}$/.test(secret) ? secret : maskedSeal),
}
