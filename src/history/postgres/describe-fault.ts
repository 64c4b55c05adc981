import { DatabaseError } from 'pg'
import { AuditError, reasonOf } from '../../model/errors.ts'

/** Classes of SQLSTATE that come from outside; all others (a constraint, a syntax error) are bugs. */
const outside: Readonly<Record<string, string>> = {
  '08': 'check that the server runs and can be reached from here',
  '28': 'check the user and the password: in the URL, PGPASSWORD or the password file',
  '3D': 'create the database, or correct its name in the URL',
  '42501': 'grant the user the rights that `hookdrift docs many-machines` lists',
  '53': 'make room on the server, or raise its limits',
  '55': 'wait for the other session to end, then run again',
  '57': 'wait until the server is up again, then run again',
  '58': "read the server's log: its disk or its files fail",
  XX: "read the server's log: its data is damaged",
  '25006': 'name the primary server: this one is a replica, and cannot be written to',
  '40': 'run again',
}

/** Errors of the network and of TLS, by their code. */
const networkCodes = /^(?:E[A-Z]{2,20}|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|ERR_TLS|ERR_SSL)/

/** The error to report where a history could not be read or written. Returns other errors, such as bugs, unchanged. */
export function asHistoryError(error: unknown, shown: string): unknown {
  if (error instanceof AuditError || !(error instanceof Error)) return error
  if (error instanceof SyntaxError) {
    return AuditError.failure(`the history ${shown} is damaged: it contains a text that is not JSON`, {
      advice: 'restore the last backup that verifies: `hookdrift docs keep-the-history`',
      cause: error,
    })
  }
  const advice = error instanceof DatabaseError ? adviceFor(error.code ?? '') : adviceWithoutServer(error)
  if (advice === undefined) return error
  return AuditError.failure(`cannot use the history ${shown}: ${reasonOf(error)}`, { advice, cause: error })
}

function adviceFor(state: string): string | undefined {
  return outside[state] ?? outside[state.slice(0, 2)]
}

function adviceWithoutServer(error: Error): string | undefined {
  const code = 'code' in error ? String(error.code) : ''
  if (/^(?:CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|ERR_TLS|ERR_SSL)/.test(code)) {
    return 'name the certificate of its authority with `?sslrootcert=FILE`'
  }
  if (/does not support SSL/.test(error.message)) return 'turn TLS on there, or end the URL with `?sslmode=disable`'
  const isNetwork =
    networkCodes.test(code) || /^(?:Connection terminated|timeout exceeded|Client has encountered)/.test(error.message)
  return isNetwork ? outside['08'] : undefined
}
