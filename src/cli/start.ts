// The package's entry. It imports nothing of ours: what is imported before the compile cache is on does not come from it.
const { constants, enableCompileCache } = process.getBuiltinModule('node:module')

// By default, zod compiles a function for each schema; ours are used once. It reads this when it loads.
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } })

// In the package, where the user may write there or an image has filled it; otherwise among the user's caches. A checkout
// has none: npm's script names one.
const isPackage = import.meta.filename.endsWith('.js')
const status = isPackage ? enableCompileCache(`${import.meta.dirname}/../compile-cache`).status : undefined
const caches = status === constants.compileCacheStatus.FAILED ? cachesOfUser(process.env) : undefined
if (caches !== undefined) enableCompileCache(`${caches}/hookdrift`)

import('./main.ts').catch((error: unknown) => {
  // It says itself what goes wrong once it is loaded. Before, Node would exit with 1, which means violations.
  if (process.listenerCount('uncaughtException') > 0) throw error
  const message = error instanceof Error ? error.message : String(error)
  process.stderr.write(`hookdrift: this installation is not complete: ${message}\n  install the package again\n`)
  process.exitCode = 4
})

/** Undefined where there are none, or they belong to someone else, as after `sudo`: who can write there decides what runs. */
function cachesOfUser({ HOME, XDG_CACHE_HOME }: NodeJS.ProcessEnv): string | undefined {
  try {
    const { uid } = process.getBuiltinModule('node:fs').statSync(HOME ?? '')
    return uid === process.getuid?.() ? XDG_CACHE_HOME || `${HOME}/.cache` : undefined
  } catch {
    return undefined
  }
}
