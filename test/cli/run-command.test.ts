import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { refusal } from './refusal.ts'
import { command } from './run-in-process.ts'
import { openDirectory, startHookdrift } from './start-process.ts'

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'))

describe('hookdrift', () => {
  it('prints its version', async () => {
    using directory = openDirectory()
    expect(await command('--version', { cwd: directory.path })).toEqual({
      code: 0,
      stdout: `${version}\n`,
      stderr: '',
    })
  })

  it('prints help with commands, exit codes and environment', async () => {
    using directory = openDirectory()
    const { code, stdout, stderr } = await command('help all', { cwd: directory.path })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^Usage: hookdrift /)
    for (const word of ['audit', 'demo', 'Exit codes:', 'HOOKDRIFT_HISTORY', 'HOOKDRIFT_SEAL_KEY', 'HOOKDRIFT_LOG']) {
      expect(stdout).toContain(word)
    }
  })

  it('prints no terminal control from a mistyped name', async () => {
    using directory = openDirectory()
    expect(await command(['status', '--history', 'a\u001b[31m\u202e'], { cwd: directory.path })).toEqual(
      refusal('a\\x1b[31m\\u202e\n', 4),
    )
  })

  it('prints help for a command', async () => {
    using directory = openDirectory()
    const { code, stdout } = await command('audit --help', { cwd: directory.path })
    expect(code).toBe(0)
    const options = '--config --history --project --format --output --fail-on --quiet'
    for (const option of options) expect(stdout).toContain(option)
  })

  it('behaves the same as a process', async () => {
    using directory = openDirectory()
    const [help, wrong] = await Promise.all([
      startHookdrift('--help', { cwd: directory.path }).ended,
      startHookdrift('audit', { cwd: directory.path }).ended,
    ])
    expect(help).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/^Usage: hookdrift /) })
    expect(wrong).toEqual({
      code: 2,
      signal: null,
      stdout: '',
      stderr: expect.stringMatching(
        /^hookdrift: cannot read the configuration hookdrift\.yaml: .*\n {2}run `hookdrift init`, set HOOKDRIFT_URL and HOOKDRIFT_KEY, name another file .*\n(?: {4}.*\n)+$/,
      ),
    })
  })

  it('survives a reader that goes away', async () => {
    using directory = openDirectory()
    const { child, ended } = startHookdrift('--help', { cwd: directory.path })
    child.stdout?.destroy()
    expect(await ended).toMatchObject({ code: 0, stderr: '' })
  })
})

describe('a mistake in the command line', () => {
  it.each([
    ['stauts', "unknown command 'stauts'\n  (Did you mean status?)\n  `hookdrift help all` lists"],
    ['audit --nope', "unknown option '--nope'\n  `hookdrift audit --help` lists"],
    [['policy', 'nope'], "unknown command 'nope'\n  `hookdrift policy --help` lists"],
    ['diff', "missing required argument 'from'\n  `hookdrift diff --help` lists"],
    ['diff 1 --patch --format csv', '--patch is JSON, but --format is csv\n  remove one of them\n'],
    ["status --history ''", '--history is empty\n  is a shell variable not set?'],
    ["audit --project ''", '--project is empty\n'],
    ["demo --serve ''", '--serve is empty\n'],
    ["backup ''", 'FILE is empty\n'],
    ['demo --keep package.json/x', 'cannot make the directory package.json/x: '],
  ])('%s is reported in words, with what to do next', async (line, message) => {
    const { code, stdout, stderr } = await command(line, { cwd: join(import.meta.dirname, '../..') })
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(`hookdrift: ${message}`)
    expect(stderr).not.toContain('    at ')
  })
})

describe('JSON', () => {
  it.each(['runs', 'status', 'violations', 'verify', 'prune --keep-last 1 --dry-run'])(
    'names the run in the same members: %s',
    async (line) => {
      using directory = openDirectory()
      await command('demo --keep kept', { cwd: directory.path })
      const { stdout } = await command(`${line} --format json`, { cwd: directory.file('kept') })
      const { schema, run } = JSON.parse(stdout)
      expect({ schema, run }).toEqual({
        schema: `hookdrift.${line.split(' ')[0]}/3`,
        run: { number: 2, started_at: expect.any(String), finished_at: expect.any(String), state: 'committed' },
      })
    },
  )
})
