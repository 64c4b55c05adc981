import { createHash } from 'node:crypto'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { command } from './run-in-process.ts'
import { openDirectory } from './start-process.ts'

const fixtures = join(import.meta.dirname, '../fixtures/histories')
const golden = gunzipSync(readFileSync(join(fixtures, 'canaries-0008.db.gz')))
const canaries: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(join(fixtures, 'canaries-0008.json'), 'utf8'),
)
/** One of the texts that are sealed by their form alone. */
const note = canaries['approval note'] ?? ''
const keyFile = `${'01'.repeat(32)}\n`

let directory: ReturnType<typeof openDirectory>
beforeEach(() => {
  directory = openDirectory()
  writeFileSync(directory.file('hookdrift.db'), golden)
})
afterEach(() => directory[Symbol.dispose]())

const run = (args: readonly string[], env: Record<string, string> = {}) =>
  command([...args, '--history', 'hookdrift.db'], { cwd: directory.path, env })
const holds = (text: string) => readFileSync(directory.file('hookdrift.db')).includes(text)

describe('a command that opens an older history', () => {
  it.each([
    [['report', '--run', '1']],
    [['status', '--max-age', '9999d']],
    [['runs']],
    [['baseline', 'show']],
    [['notify', '--pending']],
    [['query', 'SELECT count(*) FROM run']],
    [['prune', '--keep-last', '9']],
  ])('%j reseals it and creates no key', async (args) => {
    expect(await run(args)).toMatchObject({ code: 0 })
    expect(existsSync(directory.file('hookdrift.db.before-0009'))).toBe(true)
    expect([holds(note), holds('sealed:masked')]).toEqual([false, true])
    expect(existsSync(directory.file('hookdrift.key'))).toBe(false)
    expect(await run(['verify'])).toMatchObject({ code: 0 })
  })

  it('uses the key next to it, or that of the environment', async () => {
    writeFileSync(directory.file('hookdrift.key'), keyFile, { mode: 0o600 })
    expect(await run(['runs'])).toMatchObject({ code: 0 })
    expect(holds(note)).toBe(false)
    expect(statSync(directory.file('hookdrift.db.before-0009')).mode & 0o777).toBe(0o600)
  })

  it('leaves it unchanged when the key cannot be used', async () => {
    writeFileSync(directory.file('hookdrift.key'), 'damaged', { mode: 0o600 })
    const digest = () =>
      createHash('sha256')
        .update(readFileSync(directory.file('hookdrift.db')))
        .digest('hex')
    const before = digest()
    expect(await run(['runs'])).toMatchObject({ code: 4, stderr: expect.stringContaining('is damaged') })
    expect(await run(['runs'], { HOOKDRIFT_SEAL_KEY: 'short' })).toMatchObject({ code: 2 })
    expect(digest()).toBe(before)
  })
})
