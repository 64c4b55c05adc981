import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * npm runs this after it installed what a checkout needs, and before it packs a clone: `npm pack git+https://…`, and
 * pre-commit. A clone is packed with what `npm run build` writes; a checkout where someone works stays without it, or
 * nothing would keep it current.
 */
const { npm_package_resolved: packed, npm_execpath: npm = '', npm_config_user_agent: agent = '' } = process.env
if (packed !== undefined) {
  const checkout = dirname(import.meta.dirname)
  // With --global, every npm from here on would leave the clone alone, and nothing is installed in it.
  process.env.npm_config_global = 'false'
  if (!existsSync(join(checkout, 'node_modules/rolldown')))
    execFileSync(process.execPath, [npm, 'ci', '--ignore-scripts'], { cwd: checkout, stdio: 'inherit' })
  const { buildInto } = await import('./release/build-into.ts')
  await buildInto(checkout, checkout)
}

/**
 * An older Node than tools ask for makes npm leave out their binaries, without a word. The Node that npm has installed
 * meanwhile runs this, and fetches them.
 */
const [, major, minor] = /node\/v(\d+)\.(\d+)/.exec(agent) ?? []
if (packed === undefined && Number(major) * 100 + Number(minor) < 2219)
  execFileSync(process.execPath, [npm, 'install', '--no-save', '--ignore-scripts'], { stdio: 'ignore' })
