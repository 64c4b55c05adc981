import { verificationOf, verifyDatabase } from '../../../src/app/copy-database.ts'
import type { PostgresServer } from '../../../src/history/postgres-server.ts'
import { sqliteUpkeep } from '../../../src/history/sqlite/sqlite-upkeep.ts'
import { historyTables, type Row } from '../../../src/history/table-rows.ts'
import type { Verification } from '../../../src/history/upkeep.ts'
import { Machines } from '../processes.ts'
import { type Contents, contentsOfDatabase, contentsOfFile, copy } from './copied.ts'

export interface ThereAndBack {
  readonly runs: number
  readonly rows: number
  /** Where a copy differs from the original, and what does not verify; empty when all is equal. */
  readonly differences: readonly string[]
}

/** Copies a history of real audits to an empty database and from there to a new file, as `hookdrift history copy` does. */
export async function copyThereAndBack(
  file: string,
  place: { readonly url: string; readonly server: PostgresServer },
  back: string,
): Promise<ThereAndBack> {
  const request = verificationOf('deep')
  const original = await contentsOfFile(file)
  await copy(file, place.url, false, request)
  const there = await contentsOfDatabase(place.server)
  const verifiedThere = await verifyDatabase(place.server, request)
  await copy(place.url, back, false, request)
  const here = await contentsOfFile(back)
  const verifiedHere = await sqliteUpkeep(back, new Machines().process(1)).verify(request)
  return {
    runs: linksOf(original).length,
    rows: Object.values(original).reduce((sum, rows) => sum + rows.length, 0),
    differences: [
      ...differencesOf('PostgreSQL', original, there),
      ...differencesOf('the new file', original, here),
      ...faultsOf('PostgreSQL', verifiedThere),
      ...faultsOf('the new file', verifiedHere),
    ],
  }
}

/** The digest of each link of the chain, by run. */
function linksOf({ run = [] }: Contents) {
  const columns = [...(historyTables.find(({ name }) => name === 'run')?.columns.keys() ?? [])]
  const cell = (row: Row, name: string) => String(row[columns.indexOf(name)])
  return run.map((row) => `run ${cell(row, 'number')}: ${cell(row, 'chain')}`)
}

function differencesOf(where: string, original: Contents, copied: Contents) {
  const links = linksOf(copied)
  const differing = linksOf(original).filter((link, at) => link !== links[at])
  const tables = Object.entries(original).filter(
    ([name, rows]) => JSON.stringify(rows) !== JSON.stringify(copied[name]),
  )
  return [
    ...differing.map((link) => `${where}: another link than ${link}`),
    ...tables.map(([name]) => `${where}: other rows of ${name}`),
  ]
}

function faultsOf(where: string, { checks }: Verification) {
  return checks.filter(({ ok }) => ok === false).map((check) => `${where} does not verify: ${JSON.stringify(check)}`)
}
