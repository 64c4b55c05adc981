import { createResealing } from '../../src/cli/create-resealing.ts'
import { resealingBy } from '../../src/history/sqlite/reseal/reseal-history.ts'
import { createSealer } from '../../src/inventory/sealer.ts'

/** The installation key that the golden histories were made with. */
export const goldenSealer = createSealer(Buffer.alloc(32, 1))

/** How histories of before are sealed anew. */
export const resealing = resealingBy(createResealing(goldenSealer, '9.9.9'))

/** By who has no key. */
export const masking = resealingBy(createResealing(undefined, '9.9.9'))
