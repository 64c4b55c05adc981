import { hash, randomBytes } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { AuditError, reasonOf } from '../model/errors.ts'
import { dayMs } from '../model/time.ts'
import { thisProcess } from './system.ts'

/**
 * Writes a file so that readers see the old text or the new one, never a part. A path that is not a regular file, such
 * as `/dev/stdout` or a named pipe, is written to and never replaced; neither is a symbolic link.
 * @throws AuditError.failure when it cannot be written
 */
export function writeFileAtomically(
  file: string,
  text: string,
  { what = 'the report', mode = 0o600, advice = reportAgain }: { what?: string; mode?: number; advice?: string } = {},
): void {
  let draft: string | undefined
  try {
    if (isSpecialFile(file)) {
      // What the shell redirected to a file goes on there: opened by its name, it would begin anew.
      const descriptor = statSync(file).isFile() ? descriptorOf(file) : undefined
      writeFileSync(descriptor ?? file, text)
      return
    }
    const target = linkedFrom(file)
    // In a shared directory, another user may have linked a predictable name to a file of ours.
    draft = `${target}.${machine}-${process.pid}-${randomBytes(6).toString('hex')}.tmp`
    writeFileSync(draft, text, { mode, flag: 'wx' })
    // The umask took rights away, such as that of the units for systemd: those whom the file is for could not read it.
    if ((statSync(draft).mode & mode) !== mode) chmodSync(draft, mode)
    removeAbandoned(draft)
    renameSync(draft, target)
  } catch (error) {
    if (draft !== undefined) rmSync(draft, { force: true })
    throw AuditError.failure(`cannot write ${what} to ${file}: ${reasonOf(error)}`, {
      advice,
      cause: error,
    })
  }
}

const reportAgain = 'the run is committed: `hookdrift report` can print it again'

/**
 * Makes a whole file that survives a power cut, or none; never in place of another process's.
 * @throws NodeJS.ErrnoException `EEXIST` where the path exists
 */
export function writeNewFile(file: string, text: string, mode: number): void {
  const draft = `${file}.${randomBytes(6).toString('hex')}.tmp`
  try {
    writeFileSync(draft, text, { mode, flag: 'wx', flush: true })
    giveName(draft, file)
  } finally {
    rmSync(draft, { force: true })
  }
}

function giveName(draft: string, file: string): void {
  try {
    linkSync(draft, file)
  } catch (error) {
    if (lstatSync(file, { throwIfNoEntry: false }) !== undefined) throw error
    // Some file systems have no links.
    renameSync(draft, file)
  }
}

/** The file that a path leads to, also where it is not there yet. */
function linkedFrom(file: string): string {
  if (existsSync(file)) return realpathSync(file)
  const isLink = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true
  return isLink ? linkedFrom(resolve(dirname(file), readlinkSync(file))) : file
}

/** A device, a pipe, a directory; also a descriptor of this process that leads to a regular file. */
export function isSpecialFile(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats !== undefined && (!stats.isFile() || descriptorOf(path) !== undefined)
}

/** The number of the descriptor that `/dev/stdout` and the like name. */
function descriptorOf(path: string): number | undefined {
  const [, stream, number] = /^\/(?:dev\/(stdin|stdout|stderr)|(?:dev|proc\/self)\/fd\/(\d{1,5}))$/.exec(path) ?? []
  if (stream !== undefined) return ['stdin', 'stdout', 'stderr'].indexOf(stream)
  return number === undefined ? undefined : Number(number)
}

/** Identifies this boot of this machine and its process namespace. */
const machine = hash('sha256', `${thisProcess.host} ${thisProcess.bootId}`).slice(0, 8)
const draftForm = /\.(?:(?<machine>[0-9a-f]{8})-(?<pid>\d{1,10})-)?[0-9a-f]{12}\.tmp$/

/** Directories that this process has cleaned; once is enough. */
const cleaned = new Set<string>()

/** Removes drafts that killed processes left: those of dead processes here, and others after a day. */
function removeAbandoned(draft: string): void {
  const directory = dirname(draft)
  if (cleaned.has(directory)) return
  cleaned.add(directory)
  const now = statSync(draft).mtimeMs
  for (const name of readdirSync(directory)) {
    const parts = draftForm.exec(name)?.groups
    const path = join(directory, name)
    if (parts === undefined || path === draft) continue
    const isHere = parts.machine === machine
    const written = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now
    if (!(isHere ? !thisProcess.isAlive(Number(parts.pid)) : written + dayMs < now)) continue
    try {
      rmSync(path, { force: true })
    } catch {
      // A draft that cannot be removed must not prevent the report.
    }
  }
}
