import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'

const own = resolve(import.meta.dirname, '..')

/** Builds the package of a checkout as users get it, next to its own `dist`, and returns its executable. Default: this one. */
export function stagePackage(root = own): string {
  const staged = join(root, '.bench/package')
  rmSync(staged, { recursive: true, force: true })
  mkdirSync(staged, { recursive: true })
  for (const part of ['bin', 'config', 'docs', 'migrations', 'package.json'])
    cpSync(join(root, part), join(staged, part), { recursive: true })
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const args = [compiler, '-p', join(root, 'tsconfig.build.json'), '--outDir', join(staged, 'dist')]
  // It writes what it can even where types disagree, and says so: that is still worth measuring.
  spawnSync(process.execPath, args, { stdio: 'inherit' })
  return join(staged, 'bin/hookdrift.js')
}
