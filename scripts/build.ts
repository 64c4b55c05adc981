import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { buildInto } from './release/build-into.ts'
import { stageFiles } from './release/stage-files.ts'

/**
 * Writes `package`, which is what npm packs and publishes. What the program runs is in few files there: they start
 * several times faster than the source with its packages. The terms of these packages, and a list of them, come along.
 */
const checkout = join(import.meta.dirname, '..')
const directory = join(checkout, 'package')
rmSync(directory, { recursive: true, force: true })
stageFiles(checkout, directory)
await buildInto(checkout, directory)
