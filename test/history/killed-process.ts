import Database from 'better-sqlite3'
import { openSqliteHistory } from '../../src/history/sqlite/sqlite-history.ts'
import { activeIn, knownIn } from './known-in.ts'
import { aChange, aStart, at, aVersion, aViolation, endedAs, payments, walkAll } from './samples.ts'

// Runs as a process of its own, for the tests, and kills itself:
// `node killed-process.ts FILE migration|draft|commit`: within the step to the schema, within a draft, within a commit.

const [, , file = '', when = ''] = process.argv

function die(): never {
  process.kill(process.pid, 'SIGKILL')
  // The signal may take a moment to arrive.
  for (;;);
}

if (when === 'migration') {
  const pragma = Database.prototype.pragma
  // The last statement of a step, inside its transaction.
  Database.prototype.pragma = function (source, options) {
    return source.startsWith('user_version = ') ? die() : pragma.call(this, source, options)
  }
}

const owner = {
  host: 'alpha',
  bootId: 'boot of alpha',
  pid: process.pid,
  isAlive: () => true,
  now: () => Date.parse('2026-03-01T00:00:00.000Z'),
  every: () => () => {},
}
const history = openSqliteHistory(file, owner)
const draft = await history.begin(aStart(at(2)))
await walkAll(draft)
const known = [...(await knownIn(draft, payments, 'endpoint', ['a'])).values()]
const active = await activeIn(draft, payments, 'endpoint', ['a'])
await draft.stage(payments, [aVersion('b'), aVersion('c', { text: 'x'.repeat(100_000) })])
await draft.stageChanges(payments, [aChange('b')])
await draft.stageViolations(payments, { confirmed: [], violations: [aViolation('b')] })
await draft.endVersions(
  payments,
  known.map(({ id }) => id),
)
await draft.endViolations(payments, endedAs(active.map(({ id }) => id)))
if (when === 'draft') die()
await draft.commit(at(3), () => die())
