import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import Database from 'better-sqlite3'
import pg from 'pg'

// Loaded into a process before all else. It kills itself at the n-th time that it changes something that outlives it: a
// writing statement of SQLite, a statement of PostgreSQL, a file that gets its name or is made sure on the disk.

/**
 * Of the environment: `before 7` or `after 7`; `after` of PostgreSQL: the statement is sent, and its answer not read.
 * `count FILE`: it lives, and writes into the file how many there were.
 */
export const deathVariable = 'HOOKDRIFT_TEST_WRITE'

const [when, number] = (process.env[deathVariable] ?? '').split(' ')
let left = when === 'count' ? 0 : Number(number)

if (when === 'before' || when === 'after' || when === 'count') {
  const { writeFileSync } = fs
  const statement = Object.getPrototypeOf(new Database(':memory:').prepare('SELECT 1'))
  for (const name of ['run', 'get', 'all'] as const) {
    const original = statement[name]
    statement[name] = function (this: Database.Statement, ...given: unknown[]) {
      const isWrite = !this.readonly || /^(?:COMMIT|ROLLBACK)/.test(this.source)
      return isWrite ? counted(() => Reflect.apply(original, this, given)) : Reflect.apply(original, this, given)
    }
  }
  count(Database.prototype, ['exec', 'backup'])
  // What is sent leaves the process in this turn of its loop.
  count(pg.Client.prototype, ['query'], (die) => setImmediate(die))
  count(fs, ['linkSync', 'renameSync', 'fsyncSync', 'writeFileSync', 'unlinkSync', 'rmSync'])
  syncBuiltinESMExports()
  if (when === 'count') process.on('exit', () => writeFileSync(number ?? '', String(-left)))
}

function count(owner: object, names: readonly string[], soon = (die: () => void) => die()) {
  for (const name of names) {
    const original = Reflect.get(owner, name)
    Reflect.set(owner, name, function (this: unknown, ...given: unknown[]) {
      return counted(() => Reflect.apply(original, this, given), soon)
    })
  }
}

function counted<Result>(call: () => Result, soon = (die: () => void) => die()) {
  left -= 1
  if (left === 0 && when === 'before') die()
  const result = call()
  if (left === 0 && when === 'after') soon(die)
  return result
}

function die(): never {
  process.kill(process.pid, 'SIGKILL')
  // The signal may take a moment to arrive.
  for (;;);
}
