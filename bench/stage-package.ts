import { execFileSync } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'

const own = resolve(import.meta.dirname, '..')

/** Builds the package of a checkout as users get it, and returns its executable. Default: this one. */
export function stagePackage(root = own): string {
  execFileSync('npm', ['run', '-s', 'build'], { cwd: root, stdio: 'inherit' })
  const staged = join(root, '.bench/package')
  rmSync(staged, { recursive: true, force: true })
  cpSync(join(root, 'package'), staged, { recursive: true })
  return join(staged, 'bin/hookdrift.js')
}
