import { fork } from 'node:child_process'
import Database from 'better-sqlite3'
import { AuditError } from '../../model/errors.ts'
import { type Json, memberOf } from '../../model/json.ts'
import { programFile } from '../../model/package-files.ts'
import { nearestName } from '../../model/text/nearest-name.ts'
import { views } from '../views.ts'
import { asHistoryError } from './describe-damage.ts'
import { openUnwritable } from './open-unwritable.ts'
import { explainViews } from './views.ts'

export interface QueryRequest {
  readonly file: string
  readonly sql: string
  /** The most rows to answer with. */
  readonly rows: number
  readonly characters: number
}

export interface QueryAnswer {
  /** As the statement names them; a repeated name gets a number. */
  readonly columns: readonly string[]
  readonly rows: readonly (readonly Json[])[]
  /** Whether there are more rows than the limit. */
  readonly isCut: boolean
}

/** The one message of the process of a query. */
export type QueryReply = QueryAnswer | Pick<AuditError, 'kind' | 'message' | 'advice'>

/**
 * Runs a query in a child process and kills it when the time is over: SQLite cannot be interrupted from within.
 * @throws AuditError.usage when the query is refused, fails, takes too long or gives too much
 */
export function askInProcess({
  timeoutMs: timeout,
  ...request
}: QueryRequest & { readonly timeoutMs: number }): Promise<QueryAnswer> {
  const child = fork(programFile('history/sqlite/query-process'), {
    execArgv: ['--max-old-space-size=512', '--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    env: {},
    serialization: 'advanced',
    timeout,
    killSignal: 'SIGKILL',
  })
  return new Promise((resolve, reject) => {
    child.on('message', (reply: QueryReply) => {
      if ('kind' in reply) reject(new AuditError(reply.kind, reply.message, { advice: reply.advice }))
      else resolve(reply)
    })
    child.on('error', reject)
    // The last event, after every message.
    child.on('close', () =>
      reject(
        child.killed
          ? AuditError.usage(`the query was cut: it took more than ${timeout / 1000} s`, {
              advice: 'ask for less: one run, one project, a LIMIT',
            })
          : AuditError.usage('the query process exited, probably out of memory', { advice: askForFewer }),
      ),
    )
    child.send(request)
  })
}

const askForFewer = 'ask for fewer columns or rows'
const allowed = ['SELECT', 'WITH', 'VALUES', 'EXPLAIN']
const viewsAdvice = '`hookdrift query --views` lists the views and their columns'

/**
 * Runs one statement of a user on a read-only connection.
 * @throws AuditError.usage when it is more than one statement, could write or change the connection, is not SQL, or
 *   gives too much
 */
export function runQuery({ file, sql, ...most }: QueryRequest): QueryAnswer {
  // The first word behind blanks and comments.
  const rest = sql.replace(/^(?:\s|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)+/, '')
  const word = /^[A-Za-z]*/.exec(rest)?.[0].toUpperCase() ?? ''
  if (!allowed.includes(word)) throw refused(word === '' ? 'it is empty' : `it begins with ${word}`)
  const db = openUnwritable(file) ?? new Database(file, { readonly: true, timeout: 2_000 })
  try {
    db.pragma('query_only = ON')
    db.pragma('trusted_schema = OFF')
    const statement = db.prepare<[], unknown[]>(sql)
    // EXPLAIN does not run the statement.
    if (!statement.reader || !(statement.readonly || word === 'EXPLAIN')) throw refused('it would write')
    const answered = statement.raw().safeIntegers().iterate()
    const columns = distinctNames(statement.columns().map(({ name }) => name))
    return { columns, ...collect(answered, most) }
  } catch (error) {
    const isOfSqlite = error instanceof Database.SqliteError
    // Of a statement that is wrong: the file is not damaged.
    const described = isOfSqlite && error.code === 'SQLITE_ERROR' ? error : asHistoryError(error, file)
    if (described instanceof AuditError) throw described
    if (!isOfSqlite && !(error instanceof RangeError)) throw error
    const { meant, advice } = hintFor(error.message, sql)
    throw AuditError.usage(`the query failed: ${error.message}${meant}`, { advice, cause: error })
  } finally {
    db.close()
  }
}

function refused(reason: string): AuditError {
  return AuditError.usage(`the query was refused: ${reason}, expected one statement that reads`, {
    advice: `begin with ${allowed.join(', ')}; \`hookdrift query --views\` lists the views`,
  })
}

function collect(answered: Iterable<readonly unknown[]>, most: Pick<QueryRequest, 'rows' | 'characters'>) {
  const rows: (readonly Json[])[] = []
  let characters = 0
  for (const cells of answered) {
    if (rows.length >= most.rows) return { rows, isCut: true }
    const row = cells.map(toJson)
    for (const cell of row) characters += typeof cell === 'string' ? cell.length : 8
    if (characters > most.characters) {
      throw AuditError.usage(`the query was cut: its rows take more than ${most.characters} characters`, {
        advice: askForFewer,
      })
    }
    rows.push(row)
  }
  return { rows, isCut: false }
}

/** For a statement that names a view or a column that is not there: what was probably meant, or what there is. */
function hintFor(message: string, sql: string): { readonly meant: string; readonly advice: string } {
  const [, kind, path = ''] = /^no such (table|column): ([\w.]{1,200})$/.exec(message) ?? []
  if (kind === undefined) return { meant: '', advice: viewsAdvice }
  const name = path.slice(path.lastIndexOf('.') + 1).toLowerCase()
  const words = new Set(sql.toLowerCase().split(/\W/))
  const explained = explainViews()
  const named = explained.filter(({ view }) => words.has(view))
  const names =
    kind === 'table'
      ? Object.keys(views)
      : (named.length > 0 ? named : explained).flatMap(({ columns }) => [...columns])
  const nearest =
    names.find((one) => name.startsWith(`${one}_`)) ??
    nearestName(name, kind === 'table' ? [...names, ...Object.keys(otherNames)] : names)
  const meant = memberOf(otherNames, nearest ?? '') ?? nearest
  if (meant !== undefined) return { meant: `, did you mean ${meant}?`, advice: viewsAdvice }
  const known = named.map(({ view, columns }) => `${view} has ${columns.join(', ')}`).join('; ')
  return { meant: '', advice: (kind === 'table' ? `the views are ${names.join(', ')}` : known) || viewsAdvice }
}

/** What people call the rows of a view. */
const otherNames: Readonly<Record<string, string>> = {
  acceptances: 'accepted_violation',
  approvals: 'baseline',
  changes: 'drift',
  endpoints: 'current_resource',
  resources: 'current_resource',
  rules: 'run_rule',
  runs: 'committed_run',
  sources: 'current_resource',
  subscriptions: 'current_resource',
  violations: 'open_violation',
  waivers: 'waived_violation',
  walks: 'run_coverage',
}

function distinctNames(names: readonly string[]): string[] {
  const taken = new Set<string>()
  return names.map((name) => {
    let uniqueName = name
    for (let number = 2; taken.has(uniqueName); number += 1) uniqueName = `${name}_${number}`
    taken.add(uniqueName)
    return uniqueName
  })
}

function toJson(value: unknown): Json {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString()
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
  if (value instanceof Uint8Array) return `x'${Buffer.from(value).toString('hex')}'`
  return typeof value === 'string' ? value : null
}
