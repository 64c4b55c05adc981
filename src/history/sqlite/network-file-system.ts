import { existsSync, readFileSync, readlinkSync, realpathSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { AuditError } from '../../model/errors.ts'

/**
 * File systems that several machines share. Locks are local to each machine or missing, and the shared memory of a
 * SQLite file is not shared, so two runs could own the lease at once. Without 9p and virtiofs: containers run on them.
 */
const networkTypes =
  /^(?:nfs\d*|cifs|smb\d*|smbfs|ncpfs?|afs|coda|ceph|lustre|glusterfs|beegfs|gpfs|davfs|fuse\.(?:sshfs|glusterfs\w*|ceph\w*|s3fs|s3ql|goofys|gcsfuse|rclone|davfs2?|smbnetfs|curlftpfs|juicefs|blobfuse2?|mount-s3))$/

/** The mounts of this machine. Only on Linux; elsewhere the file system is not checked. */
export function readMounts(): string | undefined {
  try {
    return readFileSync('/proc/self/mountinfo', 'utf8')
  } catch {
    return undefined
  }
}

/**
 * Refuses a history on a network file system.
 * `mounts`: in the form of `/proc/self/mountinfo`; undefined where unavailable.
 * @throws AuditError.failure
 */
export function refuseNetworkFileSystem(file: string, mounts: string | undefined): void {
  if (mounts === undefined) return
  const type = fileSystemAt(nearestRealPath(file), mounts)
  if (type === undefined || !networkTypes.test(type)) return
  throw AuditError.failure(
    `the history ${file} is on a network file system (${type}), where two runs can write at once`,
    {
      advice:
        'keep it on a local disk and copy it elsewhere with `hookdrift backup`; HOOKDRIFT_ALLOW_NETWORK_FILE_SYSTEM=1 skips this check, see `hookdrift docs keep-the-history`',
    },
  )
}

/** Type of the file system of a path; of mounts over each other the last one counts. */
export function fileSystemAt(path: string, mounts: string): string | undefined {
  let mount: { point: string; type: string } | undefined
  for (const line of mounts.split('\n')) {
    const [before = '', after = ''] = line.split(' - ')
    const point = before
      .split(' ')[4]
      ?.replace(/\\([0-7]{3})/g, (_, octal) => String.fromCharCode(Number.parseInt(octal, 8)))
    const type = after.split(' ')[0]
    if (point === undefined || !type || !isWithin(path, point)) continue
    if (mount === undefined || point.length >= mount.point.length) mount = { point, type }
  }
  return mount?.type
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
