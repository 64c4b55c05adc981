import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundle } from './bundle/bundle.ts'
import { bundledPackages, noticesOf } from './bundle/bundled-packages.ts'
import { sbomOf } from './release/sbom.ts'
import { stageFiles } from './release/stage-files.ts'

/**
 * Writes `package`, which is what npm packs and publishes. What the program runs is in few files there: they start
 * several times faster than the source with its packages. The terms of these packages, and a list of them, come along.
 */
const checkout = join(import.meta.dirname, '..')
const directory = join(checkout, 'package')
rmSync(directory, { recursive: true, force: true })
const chunks = await bundle(checkout, join(directory, 'dist'))
stageFiles(checkout, directory)
writeFileSync(join(directory, 'THIRD-PARTY-NOTICES.txt'), noticesOf(bundledPackages(chunks)))
writeFileSync(join(directory, 'sbom.cdx.json'), `${JSON.stringify(sbomOf(checkout, chunks), null, 2)}\n`)
