import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import Database from 'better-sqlite3'
import type { Offer } from '../src/gateway/service/settings.ts'
import { bodyColumns } from '../src/history/body-columns.ts'
import { canonicalJson } from '../src/model/canonical-json.ts'
import type { Json } from '../src/model/json.ts'
import { conclude } from './conclude.ts'

/**
 * Audits random fleets with this checkout and with another one, such as a worktree of the commit before with its packages
 * installed, and compares every report and every row: `node prove/against.ts DIRECTORY [fleets] [seed]`. Ends with 1 when
 * anything differs. Ids are left out, and ports of loopback.
 */
const [other, fleets = '100', first = '1'] = process.argv.slice(2)
if (other === undefined) throw new Error('name the other checkout: node prove/against.ts DIRECTORY')
const [before, now] = [await open(resolve(other)), await open(resolve(import.meta.dirname, '..'))]

const tables = ['version', 'change', 'violation', 'notice', 'walk', 'scan', 'withheld_removal', 'unreferenced']
let [runs, rows, differing] = [0, 0, 0]
for (let seed = Number(first); seed < Number(first) + Number(fleets); seed++) {
  const [left, right] = [await audited(before, seed), await audited(now, seed)]
  runs += right.runs
  rows += right.lines.length
  const differences = [...minus(left.lines, right.lines, '-'), ...minus(right.lines, left.lines, '+')]
  if (differences.length === 0) continue
  differing++
  process.stdout.write(
    `fleet ${seed}:\n${differences
      .slice(0, 8)
      .map((line) => `  ${line}\n`)
      .join('')}`,
  )
}
process.stdout.write(`${fleets} fleets, ${runs} runs, ${rows} rows and reports, ${differing} fleets differ\n`)
conclude({ cases: Number(fleets), violations: { other: differing } })

type Fleets = typeof import('../test/oracle/random-fleet.ts')
type Harness = typeof import('../test/audit/audit-harness.ts')
type Randoms = typeof import('../src/demo/random.ts')

/** The code of a checkout, in this process. */
async function open(root: string) {
  const load = (file: string) => import(pathToFileURL(resolve(root, file)).href)
  const { startRandomFleet }: Fleets = await load('test/oracle/random-fleet.ts')
  const { openAuditHarness }: Harness = await load('test/audit/audit-harness.ts')
  const { createRandom }: Randoms = await load('src/demo/random.ts')
  return { startRandomFleet, openAuditHarness, createRandom }
}

/** Some runs of a fleet while it changes and breaks, as lines: one for each report, and for each row in the end. */
async function audited(
  { startRandomFleet, openAuditHarness, createRandom }: Awaited<ReturnType<typeof open>>,
  seed: number,
) {
  const random = createRandom(`against/${seed}`)
  await using world = await startRandomFleet(String(seed), random, { projects: 1 + random.below(3) })
  await using harness = openAuditHarness({ ...world, limits: { retries: 1 }, concurrency: 1 })
  const nextTurn = world.begin()
  const lines: string[] = []
  const runs = 3 + random.below(4)
  for (let run = 0; run < runs; run++) {
    const { waitMs, rules: _, ...turn } = nextTurn()
    harness.advance(waitMs)
    const listings = {
      ...turn.listings,
      filters: random.pick<Offer>(['auto', 'off']),
      event_types: random.pick<Offer>(['auto', 'off']),
    }
    const report = await harness.audit({
      ...turn,
      url: world.service.url,
      listings,
      filtersPerRun: random.pick([3, 2000]),
    })
    // The chain covers the ports in reasons.
    lines.push(shown({ ...report, run: { ...report.run, chain: null }, digests: { ...report.digests, chain: null } }))
  }
  const db = new Database(harness.file, { readonly: true })
  for (const table of tables) {
    for (const row of db.prepare<[], Record<string, Json>>(`SELECT * FROM ${table}`).all()) {
      const { id: _, replaces: __, ...rest } = row
      // They repeat members of the body, and a checkout from before has none of them.
      for (const name of bodyColumns) delete rest[name]
      lines.push(`${table} ${shown(rest)}`)
    }
  }
  db.close()
  return { runs, lines }
}

/** In canonical order, by the names of today. */
function shown(value: Json): string {
  return canonicalJson(value)
    .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:PORT')
    .replace('"hookdrift.report/2"', '"hookdrift.report/3"')
    .replace(/"normal_form_version":6\b/, '"normal_form_version":7')
}

/** Lines of one list that the other does not have as often. */
function minus(lines: readonly string[], others: readonly string[], sign: string): string[] {
  const left = new Map<string, number>()
  for (const line of others) left.set(line, (left.get(line) ?? 0) + 1)
  return lines.flatMap((line) => {
    const count = left.get(line) ?? 0
    left.set(line, count - 1)
    return count > 0 ? [] : [`${sign} ${line.slice(0, 400)}`]
  })
}
