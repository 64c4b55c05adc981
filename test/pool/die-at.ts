import { existsSync, readFileSync, renameSync } from 'node:fs'
import pg from 'pg'

// Loaded into a worker before all else. The first worker that begins the work of HOOKDRIFT_TEST_DEATH's file takes the
// file, and kills itself at a statement from there on: what a worker leaves behind changes with statements only.

export type Part = 'walker' | 'coordinator'

/** What lies in the file. */
export interface Death {
  readonly part: Part
  /** From 1: the first statement of the work. */
  readonly statement: number
  /** Whether the statement is sent, and its answer not read. */
  readonly isSent: boolean
}

/**
 * Where a file lies once a worker has taken it. The death holds while it is there: a run that is over before the statement
 * comes takes it back, so that no later run is disturbed.
 * @param number of the run, by which the files differ
 */
export const takenOf = (file: string, number: number) => `${file}.${number}`

/** The first statement of the work, when its job was fetched. */
const begins: Readonly<Record<Part, RegExp>> = {
  walker: /^UPDATE hookdrift\.task SET token = token \+ 1, state = 'running'/,
  coordinator: /^UPDATE hookdrift\.run_plan SET coordinator = \$2/,
}

const file = process.env.HOOKDRIFT_TEST_DEATH
let taken: string | undefined
let left = Number.POSITIVE_INFINITY
let isSent = false

if (file !== undefined) {
  const { query } = pg.Client.prototype
  const counted = function (this: pg.Client, ...given: Parameters<typeof query>) {
    const [first] = given as readonly (string | { readonly text?: string })[]
    take(file, typeof first === 'string' ? first : (first?.text ?? ''))
    left -= 1
    if (left === 0 && !isArmed()) left = Number.POSITIVE_INFINITY
    if (left === 0 && !isSent) process.kill(process.pid, 'SIGKILL')
    const answer = Reflect.apply(query, this, given)
    if (left === 0) setImmediate(() => process.kill(process.pid, 'SIGKILL'))
    return answer
  }
  pg.Client.prototype.query = counted as typeof query
}

function isArmed() {
  return taken !== undefined && existsSync(taken)
}

/** Takes the file where its work begins here; only one process can. */
function take(file: string, sql: string): void {
  if (isArmed()) return
  try {
    const death: Death & { readonly number: number } = JSON.parse(readFileSync(file, 'utf8'))
    if (!begins[death.part].test(sql)) return
    const place = takenOf(file, death.number)
    renameSync(file, place)
    taken = place
    left = death.statement
    isSent = death.isSent
  } catch {
    // There is none, or another worker has it.
  }
}
