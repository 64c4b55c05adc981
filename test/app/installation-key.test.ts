import { existsSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { findInstallationKey, installationKey } from '../../src/app/installation-key.ts'
import { readLocation } from '../../src/history/location.ts'
import { openDirectory } from '../cli/start-process.ts'

const configured = 'not-a-real-key-of-the-configuration'
const given = 'not-a-real-key-of-the-environment'

it('takes the key of the environment, then of the configuration, and makes a file only without both', () => {
  using directory = openDirectory()
  const location = readLocation('hookdrift.db', directory.path)
  const withKey = { ...location, sealKey: configured }
  expect(findInstallationKey(location, {})).toBeUndefined()
  expect(installationKey(withKey, { HOOKDRIFT_SEAL_KEY: given }).key.toString()).toBe(given)
  expect(installationKey(withKey, { HOOKDRIFT_SEAL_KEY: '' }).key.toString()).toBe(configured)
  expect(findInstallationKey(withKey, {})?.key.toString()).toBe(configured)
  expect(existsSync(location.keyFile)).toBe(false)

  const { key } = installationKey(location, {})
  expect(readFileSync(location.keyFile, 'utf8')).toBe(`${key.toString('hex')}\n`)
  expect(findInstallationKey(location, {})?.key).toEqual(key)
})

it('refuses a short key', () => {
  const location = readLocation('hookdrift.db', '/nowhere')
  expect(() => installationKey(location, { HOOKDRIFT_SEAL_KEY: 'short' })).toThrow(
    expect.objectContaining({ exitCode: 2, message: 'HOOKDRIFT_SEAL_KEY is shorter than 32 characters' }),
  )
})
