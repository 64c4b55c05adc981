import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { pageOf, pageShapes, type ShapeName } from './page-shapes.ts'
import { stagePackage } from './stage-package.ts'
import { table, verdict } from './table.ts'

/**
 * What the largest page costs in memory, for shapes that try to cost most: the highest resident memory of an audit that
 * reads one such page, less that of one that reads an ordinary page of 1,000 items, by bytes of the page. Linux only.
 * `BENCH_PAGE_MIB` (default 32), `BENCH_SHAPE` (part of a name), `BENCH_PACKAGE` (an executable; default: built now).
 */
const mib = Number(process.env.BENCH_PAGE_MIB ?? 32)
const bytes = mib * 1024 * 1024
const wanted = process.env.BENCH_SHAPE ?? ''
const executable = process.env.BENCH_PACKAGE ?? stagePackage()
const project = '01M7XVZ2T417WGWM74AAK885VQ'
const shapes = pageShapes(project, bytes)
const directory = mkdtempSync(join(tmpdir(), 'hookdrift-page-'))

let body: Buffer = Buffer.alloc(0)
let served: 'endpoints' | 'subscriptions' = 'endpoints'
const empty = pageOf({ listing: 'endpoints', items: 0, item: () => '' }, 1_000)
const server = createServer((request, response) => {
  const path = request.url ?? ''
  response.setHeader('content-type', 'application/json')
  if (path.includes(`/${served}?`)) response.end(body)
  else if (path.endsWith(project)) response.end(JSON.stringify({ status: true, data: { uid: project } }))
  else response.end(empty)
})
await once(server.listen(0, '127.0.0.1'), 'listening')
const { port } = server.address() as AddressInfo
writeFileSync(
  join(directory, 'hookdrift.yaml'),
  `services:
  - name: bench
    url: http://127.0.0.1:${port}
    key: not-a-real-key
    listings: { sources: "off" }
    limits: { max_body: ${mib}MiB, page_timeout: 5m }
    projects: [{ id: ${project} }]
`,
)

body = pageOf({ ...shapes['ordinary items'], items: 1_000 }, bytes)
const base = (await audit()).peak
const rows: string[][] = []
const ratios: [name: string, ratio: number][] = []
for (const name of Object.keys(shapes) as ShapeName[]) {
  if (!name.includes(wanted)) continue
  served = shapes[name].listing
  body = pageOf(shapes[name], bytes)
  const { peak, exit, seconds } = await audit()
  const ratio = (peak - base) / body.length
  ratios.push([name, ratio])
  rows.push([name, mb(body.length), mb(peak), ratio.toFixed(1), `${seconds.toFixed(1)} s`, String(exit)])
  process.stderr.write(`${rows.at(-1)?.join('  ')}\n`)
}
server.close()
rmSync(directory, { recursive: true })
process.stdout.write(`An audit that reads a page of 1,000 ordinary items: ${mb(base)}.

${table([['page of', 'page', 'memory', 'more by byte', 'time', 'exit code'], ...rows])}
${ratios.map(([name, ratio]) => verdict(name, ratio, { atMost: 6 })).join('')}`)

/** An audit with a history of its own. */
async function audit(): Promise<{ peak: number; exit: number; seconds: number }> {
  for (const suffix of ['', '-wal', '-shm']) rmSync(join(directory, `hookdrift.db${suffix}`), { force: true })
  const flags = [
    ...(process.env.BENCH_FLAGS?.split(' ') ?? []),
    '--import',
    join(import.meta.dirname, 'report-peak.ts'),
  ]
  const startedAt = performance.now()
  const child = spawn(process.execPath, [...flags, executable, 'audit', '--quiet'], {
    cwd: directory,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const [said, [exit]] = await Promise.all([text(child.stderr), once(child, 'exit')])
  const peak = Number(said.trim().split('\n').at(-1))
  if (Number.isNaN(peak)) throw new Error(`the audit ended with ${exit}:\n${said}`)

  if (process.env.SAID) process.stderr.write(said)
  return { peak: peak * 1024, exit: Number(exit), seconds: (performance.now() - startedAt) / 1000 }
}

function mb(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`
}
