// The package's entry. It imports nothing of ours: what is imported before the compile cache is on does not come from it.
const { enableCompileCache } = process.getBuiltinModule('node:module')

// Unless told otherwise, zod compiles a function for each schema; ours are used once. It reads this when it loads.
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } })
enableCompileCache(`${import.meta.dirname}/../compile-cache`)
import('./main.ts')
