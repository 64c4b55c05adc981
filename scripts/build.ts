import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundle } from './bundle/bundle.ts'
import { bundledPackages, noticesOf } from './bundle/bundled-packages.ts'

/**
 * Writes `dist`, which is all that the package runs, in few files: they start several times faster than the source with
 * its packages. And the terms of the packages in it.
 */
const checkout = join(import.meta.dirname, '..')
const directory = join(checkout, 'dist')
rmSync(directory, { recursive: true, force: true })
const chunks = await bundle(checkout, directory)
writeFileSync(join(checkout, 'THIRD-PARTY-NOTICES.txt'), noticesOf(bundledPackages(chunks)))
