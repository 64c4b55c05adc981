import { fstatSync, readFileSync, writeSync } from 'node:fs'
import { Writable } from 'node:stream'
import { isatty } from 'node:tty'
import type { Output, ProcessContext } from '../app/process-context.ts'
import { withoutPassword } from '../history/postgres-server.ts'
import { AuditError, messageOf } from '../model/errors.ts'
import { runCommand } from './run-command.ts'

/** The context of this process. Its stdout takes every byte or fails with an error. */
function openProcessContext({ env, cwd }: NodeJS.Process): ProcessContext {
  return {
    stdout: openStdout(),
    stderr: process.stderr,
    // Opened when it is read: a command that reads nothing ends at once.
    get stdin() {
      return process.stdin
    },
    env,
    cwd: () => existing(cwd),
  }
}

/** @throws AuditError.failure where the working directory was removed */
function existing(cwd: () => string): string {
  try {
    return cwd()
  } catch (cause) {
    throw AuditError.failure('the working directory no longer exists', {
      advice: 'change to another directory, and run the command again',
      cause,
    })
  }
}

const stdout = 1

/** Node writes every byte to a pipe or a terminal; to a full disk it may write a part and report success. */
function openStdout(): Output {
  if (isReplaced()) return fileOutput(refuseClosed)
  const stats = fstatSync(stdout)
  const isPlain = stats.isFile() || (stats.isCharacterDevice() && !isatty(stdout))
  return isPlain ? fileOutput(writeWhole) : process.stdout
}

function fileOutput(write: (bytes: Buffer) => void): Output {
  const output: Output = new Writable({
    write(chunk: Buffer, _, done) {
      try {
        write(chunk)
        done()
      } catch (error) {
        done(error instanceof Error ? error : new Error(String(error)))
      }
    },
  })
  return output
}

function writeWhole(bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(stdout, bytes, at)
}

function refuseClosed(): never {
  throw Object.assign(new Error('it is closed'), { code: 'EBADF' })
}

/**
 * Whether stdout was closed at the start (`>&-`). Node then opens the null device in its place, for reading and
 * writing; a shell's `>/dev/null` opens it for writing only. Where stderr or stdin is such a device too, another
 * program started this one and discards its output. Works on Linux only.
 */
function isReplaced(): boolean {
  const isDetached = nullMode(2) === readAndWrite || nullMode(0) === readAndWrite
  return nullMode(stdout) === readAndWrite && !isDetached
}

/** Major number 1, minor number 3. */
const nullDevice = 0x103
const readAndWrite = 2

/** The mode in which a descriptor of the null device was opened; undefined for any other descriptor. */
function nullMode(descriptor: number): number | undefined {
  try {
    const stats = fstatSync(descriptor)
    if (!stats.isCharacterDevice() || stats.rdev !== nullDevice) return undefined
    const [, flags = ''] = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8')) ?? []
    return Number.parseInt(flags, 8) & 3
  } catch {
    return undefined
  }
}

// Node would exit with 1, which means violations in the audited system.
process.on('uncaughtException', (error) => {
  if (process.listenerCount('uncaughtException') > 1) return // a worker ends its runs first: end-in-order.ts
  process.exitCode = 4
  process.stderr.write(`hookdrift: this is a bug: ${error.stack ?? messageOf(error)}\n`, () => process.exit(4))
})

// In place of the command line, which the list of processes shows to other users.
const [, , ...safeArguments] = process.argv.map(withoutPassword)
if (safeArguments.some((text, at) => text !== process.argv[at + 2]))
  process.title = ['hookdrift', ...safeArguments].join(' ')

process.exitCode = await runCommand(process.argv.slice(2), openProcessContext(process))
