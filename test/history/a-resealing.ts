import { createResealing } from '../../src/cli/create-resealing.ts'
import { createSealer } from '../../src/inventory/sealer.ts'

/** The installation key that the golden histories were made with. */
export const goldenSealer = createSealer(Buffer.alloc(32, 1))

/** How histories of before are sealed anew. */
export const resealing = createResealing(goldenSealer, '9.9.9')
