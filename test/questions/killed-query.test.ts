import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, it, vi } from 'vitest'
import { askInProcess } from '../../src/history/sqlite/run-query.ts'
import { openDirectory } from '../cli/start-process.ts'

const endless = 'WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT'

function openAny() {
  const directory = openDirectory()
  const file = directory.file('any.db')
  new Database(file).exec('CREATE TABLE any (n)').close()
  return { file, [Symbol.dispose]: () => directory[Symbol.dispose]() }
}

it('a query answers whole, however long its answer takes to arrive', async () => {
  using any = openAny()
  const order = { file: any.file, sql: `${endless} n FROM c`, rows: 300_000, characters: 1e9, timeoutMs: 60_000 }
  const { rows, isCut } = await askInProcess(order)
  expect([rows.length, rows.at(-1), isCut]).toEqual([300_000, [300_000], true])
})

it('a query that needs more memory than its process may take is refused', async () => {
  using any = openAny()
  const large = `${endless} hex(randomblob(4000000)) FROM c`
  const order = { file: any.file, sql: large, rows: 1e9, characters: 1e12, timeoutMs: 60_000 }
  await expect(askInProcess(order)).rejects.toMatchObject({
    exitCode: 2,
    message: 'the query process exited, probably out of memory',
  })
})

it('a query ends with the process that asks, however that ends', async () => {
  using any = openAny()
  const asker = join(import.meta.dirname, '../../src/history/sqlite/run-query.ts')
  const order = { file: any.file, sql: `${endless} max(n) FROM c`, rows: 10, characters: 1000, timeoutMs: 60_000 }
  const program = `
    const { askInProcess } = await import(${JSON.stringify(asker)})
    await askInProcess(${JSON.stringify(order)})
  `
  const asking = spawn(process.execPath, ['--input-type=module', '--eval', program], { stdio: 'ignore' })
  const children = () => readFileSync(`/proc/${asking.pid}/task/${asking.pid}/children`, 'utf8').trim()
  await vi.waitUntil(() => children() !== '', { timeout: 20_000 })
  const answering = children()
  // Its time of processor in hundredths of a second: its start takes less.
  const busy = () => Number(readFileSync(`/proc/${answering}/stat`, 'utf8').split(') ')[1]?.split(' ')[11])
  await vi.waitUntil(() => busy() > 80, { timeout: 20_000 })
  asking.kill('SIGKILL')
  await vi.waitUntil(() => !existsSync(`/proc/${answering}`), { timeout: 20_000 })
  expect(asking.signalCode).toBe('SIGKILL')
})
