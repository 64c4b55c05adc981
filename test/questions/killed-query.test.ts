import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, it, vi } from 'vitest'
import { openDirectory } from '../cli/start-process.ts'

it('a query ends with the process that asks, however that ends', async () => {
  using directory = openDirectory()
  const file = directory.file('any.db')
  new Database(file).exec('CREATE TABLE any (n)').close()
  const endless = 'WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT max(n) FROM c'
  const upkeep = join(import.meta.dirname, '../../src/history/sqlite/sqlite-upkeep.ts')
  const program = `
    const { askInProcess } = await import(${JSON.stringify(upkeep)})
    const limits = { rows: 10, characters: 1000, timeoutMs: 60_000 }
    await askInProcess({ file: ${JSON.stringify(file)}, sql: ${JSON.stringify(endless)}, ...limits })
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
