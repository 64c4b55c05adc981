import { mkdirSync, readdirSync, realpathSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { keepNothing } from '../../src/history/retention.ts'
import { fileSystemAt } from '../../src/history/sqlite/network-file-system.ts'
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
    expect(fileSystemAt(path, mounts)).toBe(type)
  })
})

describe('a history', () => {
  it.each(['nfs', 'nfs4', 'cifs', 'smb3', 'fuse.sshfs', 'ceph'])(
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

  it.each(['ext4', 'overlay', 'tmpfs', 'fuse.mergerfs', '9p'])('on %s is opened', async (type) => {
    await open(file, mount('/', type))
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
