import { existsSync, readFileSync, readlinkSync, realpathSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { AuditError } from '../../model/errors.ts'
import { matchesGlob } from '../../model/glob.ts'
import { keepLocal } from './describe-damage.ts'

/**
 * File systems that several machines share. Locks are local to each machine or missing, and the shared memory of a
 * SQLite file is not shared, so two runs could own the lease at once.
 */
const networkTypes = [
  ...['nfs*', 'cifs', 'smb*', 'ncp*', 'afs', 'coda', 'ceph', 'lustre', 'glusterfs', 'beegfs', 'gpfs', 'davfs', 'ocfs2'],
  ...['gfs', 'gfs2', 'orangefs', 'pvfs2', 'panfs', 'wekafs', 'quobyte', 'juicefs', 'acfs', 'cvfs'],
]
/** What a machine shares with its host. Without 9p and virtiofs, on which containers run: `tryPlace` tries those. */
const sharedTypes = ['vboxsf', 'prl_fs*', 'vmhgfs', 'hgfs', 'drvfs', 'fakeowner']
/** FUSE is mostly a way to files elsewhere: all but these, which are upon a directory or a disk of this machine. */
const localFuse = [
  ...[
    'fuseblk',
    'fuse.mergerfs',
    'fuse.mhddfs',
    'fuse.fuse-overlayfs',
    'fuse.unionfs*',
    'fuse.bindfs',
    'fuse.gocryptfs',
  ],
  ...['fuse.encfs', 'fuse.securefs', 'fuse.zfs*', 'fuse.ext*', 'fuse.fuse2fs', 'fuse.ntfs*', 'fuse.lklfuse'],
]

/** What a mount is where a history may not lie; undefined: it may. */
function refusalOf({ type, options }: Mount): string | undefined {
  const isOneOf = (types: readonly string[]) => types.some((pattern) => matchesGlob(type.toLowerCase(), pattern))
  if (isOneOf(networkTypes)) return 'a network file system'
  // Drives of Windows in its Linux.
  if (isOneOf(sharedTypes) || (type === '9p' && options.includes('drvfs'))) return 'a folder shared with the host'
  if (isOneOf(['fuse*']) && !isOneOf(localFuse)) return 'a FUSE mount that is not known as a disk of this machine'
  return undefined
}

/** The mounts of this machine. Only on Linux; elsewhere the file system is not checked. */
export function readMounts(): string | undefined {
  try {
    return readFileSync('/proc/self/mountinfo', 'utf8')
  } catch {
    return undefined
  }
}

/**
 * Refuses a history where other machines may write to it.
 * `mounts`: in the form of `/proc/self/mountinfo`; undefined where unavailable.
 * @throws AuditError.failure
 */
export function refuseNetworkFileSystem(file: string, mounts: string | undefined): void {
  const mount = mounts === undefined ? undefined : mountOf(nearestRealPath(file), mounts)
  const refused = mount && refusalOf(mount)
  if (refused === undefined) return
  throw AuditError.failure(`the history ${file} is on ${refused} (${mount?.type}), where two runs can write at once`, {
    advice: `${keepLocal}; if only this machine writes there, HOOKDRIFT_ALLOW_NETWORK_FILE_SYSTEM=1 skips this check`,
  })
}

interface Mount {
  readonly type: string
  /** Of the file system, such as `rw,trans=fd`. */
  readonly options: string
}

/** The mount of a path; of mounts over each other the last one counts. */
export function mountOf(path: string, mounts: string): Mount | undefined {
  let mount: (Mount & { readonly point: string }) | undefined
  for (const line of mounts.split('\n')) {
    const [before = '', after = ''] = line.split(' - ')
    const point = before
      .split(' ')[4]
      ?.replace(/\\([0-7]{3})/g, (_, octal) => String.fromCharCode(Number.parseInt(octal, 8)))
    const [type, , options = ''] = after.split(' ')
    if (point === undefined || !type || !isWithin(path, point)) continue
    if (mount === undefined || point.length >= mount.point.length) mount = { point, type, options }
  }
  return mount
}

function isWithin(path: string, point: string): boolean {
  return point === '/' || path === point || path.startsWith(`${point}/`)
}

/** The real path of a file, or of its closest existing parent. SQLite makes a file where a link leads. */
export function nearestRealPath(file: string): string {
  let path = file
  for (let links = 0; links < mostLinks && !existsSync(path); links++) path = targetOf(path)
  while (!existsSync(path) && dirname(path) !== path) path = dirname(path)
  return realpathSync(path)
}

/** As many as Linux follows. */
const mostLinks = 40

/** What a link names; of anything else, its path. */
function targetOf(path: string): string {
  try {
    return resolve(realpathSync(dirname(path)), readlinkSync(path))
  } catch {
    return path
  }
}
