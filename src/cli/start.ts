import { enableCompileCache } from 'node:module'
import { packageFile } from '../model/package-files.ts'

// Unless told otherwise, zod compiles a function for each schema; ours are used once. It reads this when it loads.
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } })
enableCompileCache(packageFile('dist/compile-cache'))
await import('./main.ts')
