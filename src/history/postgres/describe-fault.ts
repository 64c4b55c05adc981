import { DatabaseError } from 'pg'
import { AuditError, reasonOf } from '../../model/errors.ts'
import { damagedHistory, heldTwiceAdvice } from '../stored-body.ts'

interface Fault {
  readonly advice: string
  /** Instead of the words of the client. */
  readonly says?: string
  /** Whether it may pass without a change here. */
  readonly isPassing?: true
}

const unreachable: Fault = { advice: 'check that the server runs and can be reached from here', isPassing: true }
const noPassword: Fault = {
  advice: 'check the user and the password: in the URL, PGPASSWORD or the password file (~/.pgpass)',
}

/** Codes and classes of SQLSTATE that come from outside; all others (most constraints, a syntax error) are bugs. */
const outside: Readonly<Record<string, Fault>> = {
  '08': unreachable,
  '22P05': { advice: 'create a database with `ENCODING UTF8` for the history' },
  '23505': { advice: heldTwiceAdvice },
  '25006': { advice: 'name the primary server: this one is a replica, and cannot be written to', isPassing: true },
  '25P03': { advice: 'run again: the server ended a transaction in which it heard nothing', isPassing: true },
  '28': noPassword,
  '3D': { advice: 'create the database, or correct its name in the URL' },
  '40': { advice: 'run again', isPassing: true },
  '42703': { advice: 'run `hookdrift verify`: it says what differs in the schema' },
  '42P01': { advice: 'run `hookdrift verify`: it says what differs in the schema' },
  '42501': { advice: 'grant the user the rights that `hookdrift docs many-machines` lists' },
  '53': { advice: 'make room on the server, or raise its limits', isPassing: true },
  '55': { advice: 'wait for the other session to end, then run again', isPassing: true },
  '57': { advice: 'wait until the server is up again, then run again', isPassing: true },
  '57014': { advice: 'raise the statement_timeout of this user, or let the other session end' },
  '58': { advice: "read the server's log: its disk or its files fail" },
  XX: { advice: "read the server's log: its data is damaged" },
}

/** What the client and Node report themselves, by the beginning of the code or the message. */
const ofClient: readonly (readonly [beginning: RegExp, Fault])[] = [
  [
    /^ERR_TLS_CERT_ALTNAME/,
    { advice: 'name the server as its certificate does, or end the URL with `?sslmode=verify-ca`' },
  ],
  [/^CERT_(?:HAS_EXPIRED|NOT_YET)/, { advice: "renew the server's certificate, or correct the clock of this machine" }],
  [
    /^(?:CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|ERR_TLS|ERR_SSL|ERR_OSSL)/,
    { advice: 'name the certificate of its authority with `?sslrootcert=FILE`' },
  ],
  [/^The server does not support SSL/, { advice: 'turn TLS on there, or end the URL with `?sslmode=disable`' }],
  [
    /^SASL: [A-Z-]{1,40}: client password must be a/,
    { ...noPassword, says: 'it asks for a password, and none is given' },
  ],
  [/^SASL: /, noPassword],
  [
    /^(?:E[A-Z]{2,20}$|Connection terminated|timeout exceeded|timeout expired|no answer for |There was an error establishing an SSL|Client (?:has encountered|was closed))/,
    unreachable,
  ],
]

const lockNotAvailable = '55P03'

/** The error to report where a history could not be read or written. Returns other errors, such as bugs, unchanged. */
export function asHistoryError(thrown: unknown, displayName: string): unknown {
  if (thrown instanceof AuditError || !(thrown instanceof Error)) return thrown
  if (thrown instanceof SyntaxError) {
    return damagedHistory('it contains a text that is not JSON', { name: displayName, cause: thrown })
  }
  // One error for each address of the host's name.
  const error = thrown instanceof AggregateError && thrown.errors[0] instanceof Error ? thrown.errors[0] : thrown
  const fault = error instanceof DatabaseError ? faultOf(error.code ?? '') : clientFault(error)
  if (fault === undefined) return thrown
  const { says = reasonOf(error), ...options } = fault
  if (error instanceof DatabaseError && error.code === lockNotAvailable) {
    return AuditError.busy(`another process keeps the history ${displayName} locked`, { ...options, cause: thrown })
  }
  return AuditError.failure(`cannot use the history ${displayName}: ${says}`, { ...options, cause: thrown })
}

function faultOf(state: string): Fault | undefined {
  return outside[state] ?? outside[state.slice(0, 2)]
}

function clientFault(error: Error): Fault | undefined {
  const code = 'code' in error ? String(error.code) : ''
  return ofClient.find(([beginning]) => beginning.test(code) || beginning.test(error.message))?.[1]
}
