import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { installTools, run, type Tool } from './release/machine-tools.ts'
import { openSteps, publicationFaults } from './release/owner-steps.ts'
import { packageFaults } from './release/package-faults.ts'
import { readReleaseState } from './release/read-release-state.ts'

/**
 * Builds, packs, checks what is in the tarball, rehearses its publication, and installs it into an empty directory with
 * every npm and Node that it supports, where it runs the demo. Ends with 1 for any fault. It asks the registry for those
 * versions of npm and Node, and takes some minutes.
 *
 * It ends with what is left to the owner of the project, in order. With `--publish TAG`, what a tag must not lack of
 * that is a fault: before anyone publishes, the package can be right all the same.
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
const state = await readReleaseState(checkout, options.publish)
if (options.publish !== undefined) for (const fault of publicationFaults(state)) report(fault)
console.log(faults === 0 ? `ready to ${options.publish === undefined ? 'install' : 'publish'}` : `${faults} faults`)
process.exitCode = faults === 0 ? 0 : 1
const left = openSteps(state)
if (options.publish === undefined && left.length > 0) {
  console.log('\nOnly the owner of the project can do these, in this order:')
  for (const [index, step] of left.entries()) console.log(`${String(index + 1).padStart(2)}. ${step}`)
}

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
