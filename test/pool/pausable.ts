import type { PostgresDatabase, PostgresSession, PostgresTransaction } from '../../src/history/postgres/connect.ts'

/** A database whose statements wait while it is paused, as those of a paused process do. */
export function pausable(whole: PostgresDatabase) {
  let paused: Promise<void> = Promise.resolve()
  let goOn = () => {}
  const waiting =
    <Given extends unknown[], Result>(call: (...given: Given) => Promise<Result>) =>
    async (...given: Given) => {
      await paused
      return call(...given)
    }
  const session = (own: PostgresSession) => ({
    dialect: own.dialect,
    all: waiting(own.all) as PostgresSession['all'],
    get: waiting(own.get) as PostgresSession['get'],
    value: waiting(own.value) as PostgresSession['value'],
    column: waiting(own.column) as PostgresSession['column'],
    run: waiting(own.run),
    foreign: waiting(own.foreign),
  })
  const transaction = (own: PostgresTransaction) => ({
    ...session(own),
    iterate: own.iterate,
    each: own.each,
    insert: own.insert,
  })
  const db: PostgresDatabase = {
    ...whole,
    ...session(whole),
    transaction: waiting((work, limits) =>
      whole.transaction((own) => work(transaction(own)), limits),
    ) as PostgresDatabase['transaction'],
    snapshot: waiting((work) => whole.snapshot((own) => work(transaction(own)))) as PostgresDatabase['snapshot'],
  }
  return {
    db,
    pause() {
      paused = new Promise((resolve) => {
        goOn = resolve
      })
    },
    resume: () => goOn(),
  }
}
