import { join } from 'node:path'
import { type OutputChunk, type Plugin, rolldown } from 'rolldown'

/** Files that Node starts: the program, and what it runs in a process or a thread of its own. */
export const programs = ['cli/start', 'history/sqlite/query-process', 'demo/function-worker'] as const

/** Bundles the programs of a checkout with all they import into a directory. Only the native module stays outside. */
export async function bundle(checkout: string, directory: string): Promise<readonly OutputChunk[]> {
  await using build = await rolldown({
    cwd: checkout,
    input: Object.fromEntries(programs.map((name) => [name, join(checkout, `src/${name}.ts`)])),
    platform: 'node',
    external: ['better-sqlite3', /^node:/],
    plugins: [loadLate],
  })
  const { output } = await build.write({
    dir: directory,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
    comments: false,
    minify: process.env.MINIFY === '1',
  })
  return output.filter((file) => file.type === 'chunk')
}

/** What the source requires at first use goes into the bundle as well, and runs at first use there too. */
const loadLate: Plugin = {
  name: 'load-late',
  transform: (code) => code.replaceAll("createRequire(import.meta.url)('", "require('"),
}
