import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { parse } from 'yaml'
import { pageOf, pageShapes, type ShapeName } from './page-shapes.ts'
import { stagePackage } from './stage-package.ts'
import { table, verdict } from './table.ts'

/**
 * What the largest page costs in memory, for shapes that try to cost most: the highest resident memory of an audit that
 * reads one such page, less that of one that reads an ordinary page of 1,000 items, by bytes of the page. Then the same
 * page in four projects at once, compared with the limit of the container that deploy/kubernetes sets. Node gets the options
 * that are set there: without them it leaves garbage where memory is free. Linux only.
 * `BENCH_PAGE_MIB` (default 32), `BENCH_SHAPE` (part of a name), `BENCH_PACKAGE` (an executable; default: built now).
 */
const mib = Number(process.env.BENCH_PAGE_MIB ?? 32)
const bytes = mib * 1024 * 1024
const wanted = process.env.BENCH_SHAPE ?? ''
const executable = process.env.BENCH_PACKAGE ?? stagePackage()
const { limitBytes, nodeOptions } = shippedContainer()
const projects = ['A', 'B', 'C', 'D'].map((letter) => `01M7XVZ2T417WGWM74AAK885V${letter}`)
const directory = mkdtempSync(join(tmpdir(), 'hookdrift-page-'))

type Shapes = ReturnType<typeof pageShapes>
const bodies = new Map<string, Buffer>()
const empty = pageOf({ listing: 'endpoints', items: 0, item: () => '' }, 1_000)
const server = createServer((request, response) => {
  const path = (request.url ?? '').replace(/\?.*/, '')
  const [project = ''] = projects.filter((uid) => path.includes(uid))
  response.setHeader('content-type', 'application/json')
  if (path.endsWith(project)) response.end(JSON.stringify({ status: true, data: { uid: project } }))
  else response.end(bodies.get(path.slice(path.indexOf(project))) ?? empty)
})
await once(server.listen(0, '127.0.0.1'), 'listening')
const { port } = server.address() as AddressInfo

const base = (await audit(1, (project) => ({ ...pageShapes(project, bytes)['ordinary items'], items: 1_000 }))).peak
const rows: string[][] = []
const ratios: [name: string, ratio: number][] = []
let highest = 0
for (const name of Object.keys(pageShapes('', bytes)) as ShapeName[]) {
  if (!name.includes(wanted)) continue
  const shapeOf = (project: string): Shapes[ShapeName] => pageShapes(project, bytes)[name]
  const one = await audit(1, shapeOf)
  const four = await audit(4, shapeOf)
  highest = Math.max(highest, four.peak)
  const ratio = (one.peak - base) / one.page
  ratios.push([name, ratio])
  rows.push([
    name,
    mb(one.page),
    mb(one.peak),
    ratio.toFixed(1),
    `${one.seconds.toFixed(1)} s`,
    String(one.exit),
    mb(four.peak),
  ])
  process.stderr.write(`${rows.at(-1)?.join('  ')}\n`)
}
server.close()
rmSync(directory, { recursive: true })
process.stdout.write(`An audit that reads a page of 1,000 ordinary items: ${mb(base)}. Node's options: ${nodeOptions.join(' ')}.

${table([['page of', 'page', 'memory', 'more by byte', 'time', 'exit code', 'four at once'], ...rows])}
${ratios.map(([name, ratio]) => verdict(name, ratio, { atMost: 6 })).join('')}\
${verdict('four at once, in MB', highest / 1e6, { atMost: limitBytes / 1e6 }, ', the limit of deploy/kubernetes')}`)

/** An audit of so many projects at once, with a history of its own. */
async function audit(count: number, shapeOf: (project: string) => Shapes[ShapeName]) {
  for (const suffix of ['', '-wal', '-shm']) rmSync(join(directory, `hookdrift.db${suffix}`), { force: true })
  const chosen = projects.slice(0, count)
  writeFileSync(
    join(directory, 'hookdrift.yaml'),
    `services:
  - name: bench
    url: http://127.0.0.1:${port}
    key: not-a-real-key
    listings: { sources: "off" }
    limits: { max_body: ${mib}MiB, page_timeout: 5m }
    projects: [${chosen.map((id) => `{ id: ${id} }`).join(', ')}]
`,
  )
  bodies.clear()
  for (const project of chosen) {
    const shape = shapeOf(project)
    bodies.set(`${project}/${shape.listing}`, pageOf(shape, bytes))
  }
  const flags = [...nodeOptions, '--import', join(import.meta.dirname, 'report-peak.ts')]
  const startedAt = performance.now()
  const child = spawn(process.execPath, [...flags, executable, 'audit', '--quiet'], {
    cwd: directory,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const [said, [exit]] = await Promise.all([text(child.stderr), once(child, 'exit')])
  const peak = Number(said.trim().split('\n').at(-1))
  if (Number.isNaN(peak)) throw new Error(`the audit ended with ${exit}:\n${said}`)
  const [page] = bodies.values()
  return {
    peak: peak * 1024,
    page: page?.length ?? 0,
    exit: Number(exit),
    seconds: (performance.now() - startedAt) / 1000,
  }
}

/** What deploy/kubernetes gives the worker. */
function shippedContainer(): { limitBytes: number; nodeOptions: string[] } {
  const manifest = parse(
    readFileSync(resolve(import.meta.dirname, '../deploy/kubernetes/worker/deployment.yaml'), 'utf8'),
  )
  const [container] = manifest.spec.template.spec.containers
  const options: { name: string; value: string }[] = container.env
  return {
    limitBytes: Number.parseInt(container.resources.limits.memory, 10) * 1024 ** 3,
    nodeOptions: options.find(({ name }) => name === 'NODE_OPTIONS')?.value.split(' ') ?? [],
  }
}

function mb(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`
}
