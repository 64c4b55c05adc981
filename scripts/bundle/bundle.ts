import { globSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { type OutputChunk, type OutputOptions, type Plugin, rolldown } from 'rolldown'
import { chunksOf } from './chunks.ts'

/** Files that Node starts: the program, and what it runs in a process or a thread of its own. */
export const programs = [
  'cli/start',
  'cli/pages-thread',
  'history/sqlite/query-process',
  'demo/function-worker',
] as const

/** Packages that the package depends on: their binaries cannot be in a file of JavaScript. All others are bundled. */
export const unbundled: readonly string[] = ['better-sqlite3']

/**
 * Bundles the programs of a checkout with all they import, except the native module. Writes the files to a directory, or
 * nothing where there is none.
 */
export async function bundle(checkout: string, directory?: string): Promise<readonly OutputChunk[]> {
  await using build = await rolldown({
    cwd: checkout,
    input: Object.fromEntries(programs.map((name) => [name, join(checkout, `src/${name}.ts`)])),
    platform: 'node',
    preserveEntrySignatures: false,
    // The oldest Node that `engines` names: it does not know `using` declarations.
    transform: { target: 'node22.19' },
    checks: { ineffectiveDynamicImport: false },
    plugins: [loadLate, leftOut, outside, carryAssets(checkout)],
  })
  const options: OutputOptions = {
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
    comments: false,
    codeSplitting: {
      groups: [{ debugName: 'loaded together', name: chunksOf(checkout) }],
      includeDependenciesRecursively: false,
    },
  }
  const made = directory === undefined ? build.generate(options) : build.write({ ...options, dir: directory })
  const { output } = await made
  return output.filter((file) => file.type === 'chunk')
}

/** Style sheets and scripts of browsers, which the programs read as they are. */
function carryAssets(checkout: string): Plugin {
  const source = join(checkout, 'src')
  return {
    name: 'carry-assets',
    buildStart() {
      for (const fileName of globSync('**/*.{css,js,txt}', { cwd: source })) {
        this.emitFile({ type: 'asset', fileName, source: readFileSync(join(source, fileName), 'utf8') })
      }
    },
  }
}

/** What the source requires at first use goes into the bundle as well, and runs at first use there too. */
const loadLate: Plugin = {
  name: 'load-late',
  transform: (code) => code.replace(/createRequire\(import\.meta\.url\)\((?=\s*')/g, 'require('),
}

/** Parts of `pg` for a native library and for another platform: it asks for them in ways that never happen here. */
const leftOut: Plugin = {
  name: 'left-out',
  resolveId: (id) => (['pg-native', 'pg-cloudflare'].includes(id) ? `\0left out ${id}` : null),
  load: (id) => (id.startsWith('\0left out ') ? 'export default undefined' : null),
}

/**
 * What stays outside. An `import` of Node's modules makes Node read all their exports, some of which load much that no
 * command needs: a third of a small audit's time. So the bundle asks for the exports that are used, by name.
 */
const outside: Plugin = {
  name: 'outside',
  resolveId(id, importer, { kind }) {
    if (!isBuiltin(id) && !unbundled.includes(id)) return null
    return kind === 'require-call' || importer?.includes('rolldown/runtime') ? { id, external: true } : `\0${id}`
  },
  load(id) {
    const name = id.slice(1)
    if (id.startsWith('\0') && unbundled.includes(name))
      return `const require = process.getBuiltinModule('node:module').createRequire(import.meta.url)
export default require('${name}')`
    if (!id.startsWith('\0') || !isBuiltin(name)) return null
    const names = Object.keys(process.getBuiltinModule(name) ?? {}).filter((each) => each !== 'default')
    return `const all = process.getBuiltinModule('${name}')
const named = (name) => all[name]
export default all
${names.map((each) => `export const ${each} = /* @__PURE__ */ named('${each}')`).join('\n')}`
  },
}
