import { enableCompileCache } from 'node:module'
import { packageFile } from '../model/package-files.ts'

enableCompileCache(packageFile('dist/compile-cache'))
await import('./main.ts')
