import { existsSync, realpathSync } from 'node:fs'
import { dirname } from 'node:path'
import { AuditError } from '../../model/errors.ts'

/**
 * File systems that several machines share. Their locks are kept by each machine for itself or not at all, and the
 * shared memory beside a SQLite file is not shared: two runs would both hold the lease. 9p and virtiofs are left out,
 * because whole containers stand on them.
 */
const networkTypes =
  /^(?:nfs\d*|cifs|smb\d*|smbfs|ncpfs?|afs|coda|ceph|lustre|glusterfs|beegfs|gpfs|davfs|fuse\.(?:sshfs|glusterfs\w*|ceph\w*|s3fs|s3ql|goofys|gcsfuse|rclone|davfs2?|smbnetfs|curlftpfs|juicefs|blobfuse2?|mount-s3))$/

/**
 * Refuses a history that lies on a network file system.
 * `mounts`: as `/proc/self/mountinfo` lists them; undefined where the system does not.
 * @throws AuditError.failure
 */
export function refuseNetworkFileSystem(file: string, mounts: string | undefined): void {
  if (mounts === undefined) return
  const type = fileSystemAt(realPlace(file), mounts)
  if (type === undefined || !networkTypes.test(type)) return
  throw AuditError.failure(
    `the history ${file} lies on a network file system (${type}), where two runs can write at once`,
    {
      advice:
        'keep it on a disk of this machine and take copies elsewhere with `hookdrift backup`; HOOKDRIFT_ALLOW_NETWORK_FILE_SYSTEM=1 uses it all the same, see docs/how-to/keep-the-history.md',
    },
  )
}

/** Type of the file system that a path lies on; of mounts over each other the last one counts. */
export function fileSystemAt(path: string, mounts: string): string | undefined {
  let found: { point: string; type: string } | undefined
  for (const line of mounts.split('\n')) {
    const [before = '', after = ''] = line.split(' - ')
    const point = before
      .split(' ')[4]
      ?.replace(/\\([0-7]{3})/g, (_, octal) => String.fromCharCode(Number.parseInt(octal, 8)))
    const type = after.split(' ')[0]
    if (point === undefined || !type || !isWithin(path, point)) continue
    if (found === undefined || point.length >= found.point.length) found = { point, type }
  }
  return found?.type
}

function isWithin(path: string, point: string): boolean {
  return point === '/' || path === point || path.startsWith(`${point}/`)
}

/** Where a file is or would be, symbolic links followed. */
function realPlace(file: string): string {
  let place = file
  while (!existsSync(place) && dirname(place) !== place) place = dirname(place)
  return realpathSync(place)
}
