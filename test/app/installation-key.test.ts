import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { findInstallationKey, installationKey } from '../../src/app/installation-key.ts'
import { type HistoryFile, readLocation } from '../../src/history/location.ts'
import { openDirectory } from '../cli/start-process.ts'

const configured = 'not-a-real-key-of-the-configuration'
const given = 'not-a-real-key-of-the-environment'

it('takes the key of the environment, then of the configuration, and makes a file only without both', () => {
  using directory = openDirectory()
  const keyFile = join(directory.path, 'hookdrift.key')
  const location: HistoryFile = { kind: 'file', path: join(directory.path, 'h.db'), keyFile, displayName: 'h.db' }
  const withKey = { ...location, sealKey: configured }
  expect(findInstallationKey(location, {})).toBeUndefined()
  expect(installationKey(withKey, { HOOKDRIFT_SEAL_KEY: given }).key.toString()).toBe(given)
  expect(installationKey(withKey, { HOOKDRIFT_SEAL_KEY: '' }).key.toString()).toBe(configured)
  expect(findInstallationKey(withKey, {})?.key.toString()).toBe(configured)
  expect(existsSync(keyFile)).toBe(false)

  const { key } = installationKey(location, {})
  expect(readFileSync(keyFile, 'utf8')).toBe(`${key.toString('hex')}\n`)
  expect(findInstallationKey(location, {})?.key).toEqual(key)
})

it('leaves no file where the disk is full, so that the next audit makes one', () => {
  using directory = openDirectory()
  const location = readLocation('hookdrift.db', directory.path)
  const module = new URL('../../src/app/installation-key.ts', import.meta.url).href
  const program = `import(${JSON.stringify(module)}).then((m) => m.installationKey(${JSON.stringify(location)}, {}))`
  const { stderr } = spawnSync('sh', ['-c', 'ulimit -f 0; exec "$0" -e "$1"', process.execPath, program], {
    encoding: 'utf8',
    env: { ...process.env, NODE_COMPILE_CACHE: '' },
  })
  expect(stderr).toContain('cannot use the installation key')
  expect(existsSync(join(directory.path, 'hookdrift.key'))).toBe(false)
  expect(installationKey(location, {}).key).toHaveLength(32)
})

it('leaves no file where the process is killed while it writes one', () => {
  using directory = openDirectory()
  const location = readLocation('hookdrift.db', directory.path)
  const module = new URL('../../src/app/installation-key.ts', import.meta.url).href
  const program = `
    require('node:fs').writeFileSync = () => process.kill(process.pid, 'SIGKILL')
    require('node:module').syncBuiltinESMExports()
    import(${JSON.stringify(module)}).then((m) => m.installationKey(${JSON.stringify(location)}, {}))`
  const { signal } = spawnSync(process.execPath, ['-e', program], { env: { ...process.env, NODE_COMPILE_CACHE: '' } })
  expect(signal).toBe('SIGKILL')
  expect(existsSync(join(directory.path, 'hookdrift.key'))).toBe(false)
  expect(installationKey(location, {}).key).toHaveLength(32)
  expect(readdirSync(directory.path)).toEqual(['hookdrift.key'])
})

it('takes what a key file contains, after hex:', () => {
  using directory = openDirectory()
  const location = readLocation('hookdrift.db', directory.path)
  const { key } = installationKey(location, {})
  const server = readLocation('postgres://db.example.com/audits', '/nowhere')
  expect(installationKey(server, { HOOKDRIFT_SEAL_KEY: `hex:${key.toString('hex')}` }).key).toEqual(key)
  const other = `hex:${'g'.repeat(64)}`
  expect(installationKey(server, { HOOKDRIFT_SEAL_KEY: other }).key.toString()).toBe(other)
})

it('refuses a short key', () => {
  const location = readLocation('hookdrift.db', '/nowhere')
  expect(() => installationKey(location, { HOOKDRIFT_SEAL_KEY: 'short' })).toThrow(
    expect.objectContaining({ exitCode: 2, message: 'HOOKDRIFT_SEAL_KEY is shorter than 32 characters' }),
  )
})

it('makes no key for a history on a server, which several machines share', () => {
  const location = readLocation('postgres://user:not-a-real-password@db.example.com/audits', '/nowhere')
  for (const read of [installationKey, findInstallationKey]) {
    expect(() => read(location, { HOOKDRIFT_SEAL_KEY: '' })).toThrow(
      expect.objectContaining({
        exitCode: 2,
        message: 'no installation key is given for the history postgres://db.example.com/audits',
        advice: expect.stringContaining('openssl rand -hex 32'),
      }),
    )
    expect(read(location, { HOOKDRIFT_SEAL_KEY: given })?.key.toString()).toBe(given)
    expect(read({ ...location, sealKey: configured }, {})?.key.toString()).toBe(configured)
  }
})
