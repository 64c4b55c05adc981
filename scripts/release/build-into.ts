import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundle } from '../bundle/bundle.ts'
import { bundledPackages, noticesOf } from '../bundle/bundled-packages.ts'
import { sbomOf } from './sbom.ts'

/** Writes what a checkout does not have: the program as few files, the terms of what they hold, and a list of it. */
export async function buildInto(checkout: string, directory: string): Promise<void> {
  const chunks = await bundle(checkout, join(directory, 'dist'))
  writeFileSync(join(directory, 'THIRD-PARTY-NOTICES.txt'), noticesOf(bundledPackages(chunks)))
  writeFileSync(join(directory, 'sbom.cdx.json'), `${JSON.stringify(sbomOf(checkout, chunks), null, 2)}\n`)
}
