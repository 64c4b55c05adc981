import { globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { coverageFloors, runElsewhere } from './coverage-floors.ts'

const source = resolve(import.meta.dirname, '../src')

/** The rooms, bottom first. A file imports its own room and rooms of lower floors; rooms of one floor do not see each other. */
const floors = [
  ['model'],
  ['gateway'],
  ['history', 'rules'],
  ['report'],
  ['config', 'policy'],
  ['audit', 'demo'],
  ['notify'],
  ['app'],
  ['questions'],
  ['pages'],
  ['cli'],
]

/** The floors within a room, in the same way; '.' is all that lies in none of the folders named. */
const inner: Readonly<Record<string, readonly (readonly string[])[]>> = {
  model: [['.'], ['text', 'secrets'], ['yaml']],
  gateway: [['.'], ['service', 'inventory'], ['repair']],
  audit: [['.'], ['replay']],
  app: [['serving'], ['pool'], ['worker'], ['.']],
  cli: [['doctor'], ['init'], ['.']],
}

/** Each package has one home. */
const homes: Readonly<Record<string, string | readonly string[]>> = {
  undici: 'gateway/service/',
  'better-sqlite3': 'history/sqlite/',
  pg: 'history/postgres/',
  'pg-boss': 'app/pool/',
  'pg-cursor': 'history/postgres/',
  'p-limit': ['audit/', 'gateway/service/'],
  pino: 'app/',
  commander: 'cli/',
  yaml: 'model/yaml/',
  'safe-stable-stringify': 'model/',
  'ipaddr.js': 'rules/',
  re2js: 'gateway/',
  '@marcbachmann/cel-js': 'policy/cel/',
  '@clack/prompts': 'cli/init/',
  croner: 'policy/',
  // Its templates make every page, a report too.
  hono: ['pages/', 'app/serving/', 'report/html/', 'app/worker/'],
  '@hono/node-server': 'app/serving/',
  '@prometheus-io/client': 'app/worker/',
  'markdown-it': ['pages/', 'questions/'],
  nodemailer: 'notify/',
  '@modelcontextprotocol/server': 'pages/mcp/',
  'csv-stringify/sync': 'report/',
  sarif: 'report/',
  'string-width': 'model/text/',
}

/** The files that choose the backend of a history, and the folders that they alone may import. */
const choosers = ['app/open-history.ts', 'app/copy-database.ts']
const backends = ['history/sqlite/', 'history/postgres/']

/** Workers share a run through PostgreSQL and nothing else. */
function isShared(file: string, folder: string): boolean {
  return file.startsWith('app/pool/') && folder === 'history/postgres/'
}

/** Parts of a backend that are, or start, a process of their own. */
const ownProcesses = ['history/sqlite/query-process.ts']

/** The command line, the demo, and what lies in `app` itself ask the process, the clock and chance. */
function mayAsk(file: string): boolean {
  const [room = '', folder = ''] = file.split('/')
  return room === 'demo' || ((room === 'app' || room === 'cli') && !(inner[room] ?? []).flat().includes(folder))
}

/** What is wrong with an import, as a sentence; undefined when nothing is. */
function faultOf(file: string, imported: string): string | undefined {
  if (imported.startsWith('node:')) return undefined
  if (!imported.startsWith('.')) {
    const name = imported
      .split('/')
      .slice(0, imported.startsWith('@') ? 2 : 1)
      .join('/')
    const home = homes[name]
    if (home === undefined || [home].flat().some((folder) => file.startsWith(folder))) return undefined
    return `${file} imports ${imported}, whose home is ${[home]
      .flat()
      .map((folder) => `src/${folder}`)
      .join(', ')}`
  }
  const target = join(dirname(file), imported)
  const backend = backends.find(
    (folder) => target.startsWith(folder) && !file.startsWith(folder) && !isShared(file, folder),
  )
  if (backend !== undefined && !choosers.includes(file)) {
    return `${file} imports ${target}, which only ${choosers.join(', ')} may see`
  }
  const [from = '', to = ''] = [file, target].map((path) => path.split('/')[0])
  if (from !== to) return upwards(file, target, from, to, floors)
  const rooms = inner[from]
  if (rooms === undefined) return undefined
  const [own = '', other = ''] = [file, target].map((path) => innerRoomOf(path, rooms))
  return own === other
    ? undefined
    : upwards(file, target, `${from}/${own}`, `${from}/${other}`, rooms.map(within(from)))
}

const within = (room: string) => (folders: readonly string[]) => folders.map((folder) => `${room}/${folder}`)

function innerRoomOf(path: string, rooms: readonly (readonly string[])[]): string {
  const [, folder = ''] = path.split('/')
  return rooms.flat().includes(folder) ? folder : '.'
}

function upwards(
  file: string,
  target: string,
  from: string,
  to: string,
  order: readonly (readonly string[])[],
): string | undefined {
  const [own = -1, other = -1] = [from, to].map((room) => order.findIndex((floor) => floor.includes(room)))
  if (own < 0 || other < 0) return `${file} or ${target} is on no floor`
  if (other < own) return undefined
  return `${file} imports ${target}: ${from} must not see ${to}, which is ${other === own ? 'on the same floor' : 'above it'}`
}

function importsOf(text: string): string[] {
  return [...text.matchAll(/(?:from|import|createRequire\(import\.meta\.url\))\s*\(?\s*'([^']+)'/g)].map(
    ([, name = '']) => name,
  )
}

const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))

describe('the layers of src', () => {
  it('keep every import on its own or a lower layer and every package in its folder', () => {
    const faults = files.flatMap((file) =>
      importsOf(readFileSync(join(source, file), 'utf8')).flatMap((imported) => faultOf(file, imported) ?? []),
    )
    expect(faults).toEqual([])
  })

  it('report a planted violation in a sentence', () => {
    expect(faultOf('model/resource.ts', '../audit/run-audit.ts')).toBe(
      'model/resource.ts imports audit/run-audit.ts: model must not see audit, which is above it',
    )
    expect(faultOf('rules/engine/rule.ts', '../../history/history.ts')).toContain('on the same floor')
    expect(faultOf('audit/run-audit.ts', 'undici')).toBe(
      'audit/run-audit.ts imports undici, whose home is src/gateway/service/',
    )
    expect(faultOf('audit/run-audit.ts', '../model/json.ts')).toBeUndefined()
    expect(faultOf('cli/query.ts', '../history/sqlite/views.ts')).toBe(
      'cli/query.ts imports history/sqlite/views.ts, which only app/open-history.ts, app/copy-database.ts may see',
    )
    expect(faultOf('app/open-history.ts', '../history/sqlite/views.ts')).toBeUndefined()
  })

  it('let only app, cli and demo use the process, the clock and randomness', () => {
    const asking = files
      .filter((file) => !mayAsk(file) && !ownProcesses.includes(file))
      .flatMap((file) => {
        const text = readFileSync(join(source, file), 'utf8')
        return /(?<![\w-])process\.\w|Date\.now\(|new Date\(\)|Math\.random\(/.test(text)
          ? [relative(source, join(source, file))]
          : []
      })
    expect(asking).toEqual([])
  })
})

/** What the entry of a room says that it may import. */
function writtenImports(room: string): string {
  const floor = floors.findIndex((rooms) => rooms.includes(room))
  const below = floors.slice(0, floor).flat()
  const others = floors
    .slice(floor)
    .flat()
    .filter((other) => other !== room)
  if (below.length === 0) return 'no other room'
  if (others.length === 0) return 'every room'
  return below.length <= others.length ? below.join(', ') : `every room but ${others.join(', ')}`
}

it.each(floors.flat())(
  'the entry of src/%s says what belongs there, what it may import, and what to read first',
  (room) => {
    const entry = readFileSync(join(source, room, 'README.md'), 'utf8')
    const [, belongs = '', imports = '', first = ''] =
      /^# src\/\w+\n\n([^\n]{1,120})\n\n- May import: ([^-]{1,600})\n- Read first: \[([\w./-]{1,80})\]/.exec(entry) ??
      []
    expect(belongs).toMatch(/\.$/)
    expect(imports.replaceAll('\n ', '')).toBe(writtenImports(room))
    expect(readdirSync(join(source, room), { recursive: true })).toContain(first)
    for (const folder of (inner[room] ?? []).flat()) if (folder !== '.') expect(entry).toContain(`\`${folder}\``)
  },
)

it.each(globSync('**/README.md', { cwd: source }))('src/%s has no part of more than ten lines', (path) => {
  const parts = readFileSync(join(source, path), 'utf8').split(/^## .*/m)
  const long = parts.filter((part) => part.split('\n').filter((line) => line !== '').length > 10)
  expect(long).toEqual([])
})

it('each have a floor of coverage, or run in processes of their own', () => {
  const isCounted = (folder: string) => !runElsewhere.includes(`src/${folder}/**`)
  expect(Object.keys(coverageFloors)).toEqual(readdirSync(source).sort().filter(isCounted))
})

it.each(runElsewhere)('what runs in processes of its own is there: %s', (pattern) => {
  expect(globSync(pattern, { cwd: resolve(source, '..') })).not.toEqual([])
})
