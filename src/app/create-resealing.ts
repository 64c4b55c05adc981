import type { Resealer, Resealing } from '../history/resealing.ts'
import { maskingSealer } from '../inventory/masking-sealer.ts'
import { reseal } from '../inventory/reseal.ts'
import { resealName, resealPart } from '../inventory/reseal-part.ts'
import { resealText } from '../inventory/reseal-text.ts'
import type { Sealer } from '../inventory/sealer.ts'
import { withoutCredentials } from '../service/foreign-text.ts'

/** Seals rows of an earlier version again; masks them without a sealer, or where another key sealed them. */
export function createResealing(sealer: Sealer | undefined, toolVersion: string): Resealing {
  const masking = resealerWith(maskingSealer, false)
  const sealing = sealer === undefined ? masking : resealerWith(sealer, true)
  return {
    toolVersion,
    under: (keyId) => (keyId === sealer?.keyId ? sealing : masking),
    uncompared: sealing,
  }
}

function resealerWith(sealer: Sealer, hasKey: boolean): Resealer {
  return {
    hasKey,
    seal: sealer.seal,
    attributes: (kind, attributes, found) => reseal(kind, attributes, reportSecrets(sealer, found)),
    part: (kind, part) => resealPart(kind, part, sealer),
    name: (kind, name) => resealName(kind, name, sealer),
    text: (text) => resealText(text, sealer),
    reason: (text) => resealText(withoutCredentials(text), sealer),
  }
}

function reportSecrets(sealer: Sealer, found: (secret: string) => void): Sealer {
  return {
    ...sealer,
    seal(secret) {
      const sealed = sealer.seal(secret)
      if (sealed !== secret) found(secret)
      return sealed
    },
  }
}
