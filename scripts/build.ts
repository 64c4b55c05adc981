import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { bundle } from './bundle/bundle.ts'

/** Writes `dist`: what the package runs, in a few files instead of a thousand, which start in a tenth of the time. */
const checkout = join(import.meta.dirname, '..')
const directory = join(checkout, 'dist')
rmSync(directory, { recursive: true, force: true })
await bundle(checkout, directory)
