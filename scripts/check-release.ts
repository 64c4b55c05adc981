import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { installTools, run, type Tool } from './release/machine-tools.ts'
import { readOwner } from './release/owner.ts'
import { packageFaults } from './release/package-faults.ts'
import { publicationFaults } from './release/publication-faults.ts'

/**
 * Builds, packs, checks what is in the tarball, rehearses its publication, and installs it into an empty directory with
 * every npm and Node that it supports, where it runs the demo. Ends with 1 for any fault. It asks the registry for those
 * versions of npm and Node, and takes some minutes.
 *
 * It also says what a publication lacks: what the owner of the project has not filled in, and a changelog without the
 * version. That is a fault with `--publish TAG` only: before anyone publishes, the package can be right all the same.
 */
const { values: options } = parseArgs({ options: { publish: { type: 'string' } } })
const supported = {
  npms: ['10', '11', 'latest'],
  // The oldest that `engines` names, where the registry has it for this machine.
  nodes: [process.arch === 'x64' ? '22.19.0' : '22', '24', 'latest'],
}

const checkout = join(import.meta.dirname, '..')
const directory = mkdtempSync(join(tmpdir(), 'hookdrift-release-'))
let faults = 0

try {
  await run('npm', ['run', '-s', 'build'], checkout)
  const staged = join(checkout, 'package')
  const packed = await run('npm', ['pack', '--json', '--pack-destination', directory, staged], checkout)
  const [{ filename, files, unpackedSize }] = JSON.parse(packed.slice(packed.indexOf('[')))
  const tarball = join(directory, filename)
  const paths: readonly string[] = files.map(({ path }: { path: string }) => path)
  console.log(`${filename}: ${paths.length} files, ${(unpackedSize / 1e6).toFixed(1)} MB unpacked`)
  const description = JSON.parse(readFileSync(join(staged, 'package.json'), 'utf8'))
  for (const fault of packageFaults(description, paths)) report(fault)
  const lacking = publicationFaults({
    owner: readOwner(checkout),
    version: description.version,
    changelog: readFileSync(join(checkout, 'CHANGELOG.md'), 'utf8'),
    tag: options.publish,
  })
  for (const fault of lacking) {
    if (options.publish === undefined) console.log(`before a publication: ${fault}`)
    else report(fault)
  }

  await attempt('npm publish --dry-run', () => run('npm', ['publish', '--dry-run', tarball], directory))
  const { npms, nodes } = await installTools(join(directory, 'tools'), supported)
  for (const npm of npms) {
    for (const node of nodes) {
      await attempt(`npm ${npm.version} × node ${node.version}`, () => installAndRun(tarball, npm, node))
    }
  }
} finally {
  rmSync(directory, { recursive: true, force: true })
}
console.log(faults === 0 ? `ready to ${options.publish === undefined ? 'install' : 'publish'}` : `${faults} faults`)
process.exitCode = faults === 0 ? 0 : 1

async function installAndRun(tarball: string, npm: Tool, node: Tool): Promise<void> {
  const place = join(directory, `npm-${npm.version}-node-${node.version}`)
  mkdirSync(place)
  writeFileSync(join(place, 'package.json'), '{ "private": true }')
  // This Node first: the program and every script find it there.
  const path = `${dirname(node.file)}:${process.env.PATH}`
  await run(node.file, [npm.file, 'install', '--no-audit', '--no-fund', tarball], place, path)
  const demo = await run(join(place, 'node_modules/.bin/hookdrift'), ['demo'], place, path)
  if (!demo.includes('would have exited with 1')) throw new Error('the demo printed something else')
  rmSync(place, { recursive: true })
}

async function attempt(what: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
    console.log(`${what} → ok`)
  } catch (error) {
    report(`${what} → ${error instanceof Error ? error.message : String(error)}`)
  }
}

function report(fault: string): void {
  faults++
  console.error(fault)
}
