/** Exit codes. If several apply: interrupted, then broken, misused, busy, incomplete, violations. */
export const exitCodes = { clean: 0, violations: 1, usage: 2, incomplete: 3, failure: 4, busy: 5 } as const
/** Of a process that a signal stopped: by convention 128 and the signal's number. */
export const signalExits = { SIGINT: 130, SIGTERM: 143 } as const
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes] | (typeof signalExits)[keyof typeof signalExits]

/** What went wrong in our own run. The exit code of each is in `exitCodes`. */
export type ErrorKind = 'usage' | 'incomplete' | 'failure' | 'busy'

interface ErrorOptions {
  /** What to do next. */
  readonly advice?: string | undefined
  readonly cause?: unknown
  /** Whether the same may succeed later without a change here. Default: no. */
  readonly isPassing?: boolean
}

/**
 * A fault of our own run that the user can act on. Anything else that is thrown is a bug. The message says what was
 * being done, to what, and what happened; `advice` what to do next.
 */
export class AuditError extends Error {
  override readonly name = 'AuditError'
  readonly kind: ErrorKind
  readonly advice: string | undefined
  readonly isPassing: boolean

  constructor(kind: ErrorKind, message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause })
    this.kind = kind
    this.advice = options.advice
    this.isPassing = options.isPassing ?? false
  }

  /** The command line, the configuration or the policy is wrong. */
  static usage(message: string, options?: ErrorOptions): AuditError {
    return new AuditError('usage', message, options)
  }

  /** A service does not answer as it must, so that a command cannot do its work. A run says so in its report. */
  static incomplete(message: string, options?: ErrorOptions): AuditError {
    return new AuditError('incomplete', message, options)
  }

  /** The history, the disk or the machine prevents the work. */
  static failure(message: string, options?: ErrorOptions): AuditError {
    return new AuditError('failure', message, options)
  }

  /** Another process writes to the history. */
  static busy(message: string, options?: ErrorOptions): AuditError {
    return new AuditError('busy', message, options)
  }

  get exitCode(): ExitCode {
    return exitCodes[this.kind]
  }
}

/** Why the system refused, in words and without the path, which the message names already. */
export function reasonOf(thrown: unknown): string {
  const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : ''
  return reasons[code] ?? messageOf(thrown)
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EADDRINUSE: 'the address is in use',
  EADDRNOTAVAIL: 'the machine has no such address',
  EBADF: 'it is closed',
  EDQUOT: 'the disk quota is used up',
  EEXIST: 'it is there already',
  EFBIG: 'the largest size of a file is reached',
  EIO: 'the device reports an error',
  EISDIR: 'it is a directory',
  ELOOP: 'its symbolic links form a circle',
  ENAMETOOLONG: 'the name is too long',
  ENOENT: 'no such file or directory',
  ENOSPC: 'no space is left',
  ENOTDIR: 'a part of the path is not a directory',
  EPERM: 'not permitted',
  EROFS: 'the file system is read-only',
}

/** The class of anything thrown. Unlike its message, it never quotes foreign text. */
export function classOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return typeof thrown
  const { name } = thrown
  return name.length <= 60 && /^\w+$/.test(name) ? name : 'Error'
}

/** Where an error was thrown: its class and its frames, without its message. */
export function framesOf(thrown: unknown): string {
  const stack = thrown instanceof Error ? (thrown.stack ?? '') : ''
  const frames = stack.split('\n').filter((line) => /^ {4}at /.test(line))
  return [classOf(thrown), ...frames].join('\n')
}

/** The message of anything thrown. */
export function messageOf(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message
  // pg-boss gives plain objects.
  const isNamed = typeof thrown === 'object' && thrown !== null && 'message' in thrown
  return String(isNamed ? thrown.message : thrown)
}
