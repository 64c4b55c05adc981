import type { PostgresDatabase, Session, Transaction } from '../../src/history/postgres/connect.ts'

/** A database whose statements wait while it is paused, as those of a paused process do. */
export function pausable(whole: PostgresDatabase) {
  let paused: Promise<void> = Promise.resolve()
  let goOn = () => {}
  const waiting =
    <Given extends unknown[], Result>(call: (...given: Given) => Promise<Result>) =>
    async (...given: Given): Promise<Result> => {
      await paused
      return call(...given)
    }
  const session = (own: Session): Session => ({
    dialect: own.dialect,
    all: waiting(own.all) as Session['all'],
    get: waiting(own.get) as Session['get'],
    value: waiting(own.value) as Session['value'],
    run: waiting(own.run),
    foreign: waiting(own.foreign),
  })
  const transaction = (own: Transaction): Transaction => ({
    ...session(own),
    iterate: own.iterate,
    each: own.each,
    insert: own.insert,
  })
  const db: PostgresDatabase = {
    ...whole,
    ...session(whole),
    transaction: waiting((work: (own: Transaction) => Promise<never>, limits) =>
      whole.transaction((own) => work(transaction(own)), limits),
    ) as PostgresDatabase['transaction'],
    snapshot: waiting((work: (own: Transaction) => Promise<never>) =>
      whole.snapshot((own) => work(transaction(own))),
    ) as PostgresDatabase['snapshot'],
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
