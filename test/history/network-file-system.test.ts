import { mkdirSync, readdirSync, readFileSync, realpathSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { keepNothing } from '../../src/history/retention.ts'
import { mountOf, refuseNetworkFileSystem } from '../../src/history/sqlite/network-file-system.ts'
import { openSqliteHistory } from '../../src/history/sqlite/sqlite-history.ts'
import { sqliteUpkeep } from '../../src/history/sqlite/sqlite-upkeep.ts'
import { temporaryDatabasePaths } from './database-fixture.ts'
import { Machines } from './processes.ts'

const mount = (point: string, type: string) => `36 35 98:0 / ${point} rw,noatime shared:1 - ${type} host:/share rw`

const nextPath = temporaryDatabasePaths()
let file: string
beforeEach(() => {
  file = join(realpathSync(dirname(nextPath())), 'hookdrift.db')
})

const open = (at: string, mounts: string | undefined) =>
  openSqliteHistory(at, { ...new Machines().process(1), mounts: () => mounts }).close()

describe('the file system of a path', () => {
  const mounts = [
    mount('/', 'overlay'),
    mount('/data', 'ext4'),
    mount('/data/team\\040share', 'nfs4'),
    mount('/over', 'nfs'),
    mount('/over', 'xfs'),
    'nonsense',
    '',
  ].join('\n')
  it.each([
    ['/data/h.db', 'ext4'],
    ['/database/h.db', 'overlay'],
    ['/data/team share/h.db', 'nfs4'],
    ['/data/team sharer/h.db', 'ext4'],
    ['/over/h.db', 'xfs'],
  ])('%s is %s', (path, type) => {
    expect(mountOf(path, mounts)?.type).toBe(type)
  })
})

describe('a history', () => {
  it.each(['nfs', 'nfs4', 'cifs', 'smb3', 'fuse.sshfs', 'ceph', 'ocfs2', 'vboxsf'])(
    'on %s is refused before a file is created',
    (type) => {
      const mounts = `${mount('/', 'ext4')}\n${mount(dirname(file), type)}`
      expect(() => open(join(dirname(file), 'new', 'h.db'), mounts)).toThrow(
        expect.objectContaining({
          exitCode: 4,
          message: expect.stringContaining(`(${type})`),
          advice: expect.stringContaining('HOOKDRIFT_ALLOW_NETWORK_FILE_SYSTEM=1'),
        }),
      )
      expect(() => mkdirSync(join(dirname(file), 'new'))).not.toThrow()
    },
  )

  it('is refused behind a symbolic link too', () => {
    const share = join(dirname(file), 'share')
    mkdirSync(share)
    symlinkSync(share, join(dirname(file), 'link'))
    const mounts = `${mount('/', 'ext4')}\n${mount(share, 'nfs')}`
    expect(() => open(join(dirname(file), 'link', 'h.db'), mounts)).toThrow(/network file system/)
  })

  it('is refused behind a link to a file that the first run would make', () => {
    const share = join(dirname(file), 'share')
    mkdirSync(share)
    symlinkSync('share/h.db', join(dirname(file), 'middle.db'))
    symlinkSync('middle.db', join(dirname(file), 'link.db'))
    const mounts = `${mount('/', 'ext4')}\n${mount(share, 'nfs')}`
    expect(() => open(join(dirname(file), 'link.db'), mounts)).toThrow(/network file system/)
    expect(readdirSync(share)).toEqual([])
  })

  it.each([
    [
      'a network file system',
      ...['gfs2', 'orangefs', 'pvfs2', 'panfs', 'wekafs', 'JuiceFS', 'beegfs', 'lustre', 'gpfs', 'smbfs', 'afs'],
    ],
    ['a folder shared with the host', 'vboxsf', 'prl_fs', 'prl_fs_freeze', 'vmhgfs', 'drvfs', 'fakeowner'],
    [
      'a FUSE mount that is not known as a disk of this machine',
      ...['fuse', 'fuse.mfs', 'fuse.weed', 'fuse.quobyte', 'fuse.alluxio-fuse', 'fuse.ossfs', 'fuse.geesefs'],
      ...['fuse.objectivefs', 'fuse.vmhgfs-fuse', 'fuse.grpcfuse', 'fuse.rclone', 'fuse.juicefs', 'fuse.ceph-fuse'],
    ],
  ])('is refused on %s, of any name', (what, ...types) => {
    for (const type of types) {
      expect(() => refuseNetworkFileSystem(file, mount('/', type))).toThrow(`is on ${what} (${type}), where two runs`)
    }
  })

  it('is refused on a drive of Windows, and opened on the other mounts of its kind', async () => {
    const of9p = (options: string) => `36 35 0:40 / / rw - 9p C:\\ rw,${options}`
    expect(() => open(file, of9p('aname=drvfs;path=C:\\;uid=1000'))).toThrow(/a folder shared with the host \(9p\)/)
    await open(file, of9p('trans=fd,directfs'))
  })

  const local = ['ext4', 'overlay', 'tmpfs', 'virtiofs', 'fuse.mergerfs', 'fuse.fuse-overlayfs', 'fuseblk']
  it.each([...local, 'fuse.gocryptfs', 'fuse.zfs-fuse'])('on %s is opened', async (type) => {
    await open(file, mount('/', type))
  })

  it('on a mount that is not known says on the page what the program says', () => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/how-to/keep-the-history.md'), 'utf8')
    const said = () => refuseNetworkFileSystem('/data/hookdrift.db', mount('/', 'fuse.rclone'))
    const bare = (text: string) => text.replaceAll(/\s+/g, ' ')
    expect(said).toThrow(expect.objectContaining({ message: expect.toSatisfy((text) => bare(page).includes(text)) }))
    expect(said).toThrow(expect.objectContaining({ advice: expect.toSatisfy((text) => bare(page).includes(text)) }))
  })

  it('on a network file system is not pruned', async () => {
    await open(file, undefined)
    const mounts = `${mount('/', 'ext4')}\n${mount(dirname(file), 'nfs')}`
    const upkeep = sqliteUpkeep(file, { ...new Machines().process(1), mounts: () => mounts })
    const order = { keep: { ...keepNothing, last: 1 }, options: {}, toolVersion: '0.1.0' }
    await expect(upkeep.prune(order)).rejects.toThrow(/network file system/)
  })

  it('is opened when mounts are unknown', async () => {
    await open(file, undefined)
  })
})
