import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { refusal } from './refusal.ts'
import { command } from './run-in-process.ts'
import { openDirectory, startHookdrift, startProgram, wordsOf } from './start-process.ts'

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

describe('the demo', () => {
  it('runs in an empty directory and leaves it empty', async () => {
    using directory = openDirectory()
    const { code, stdout, stderr } = await command('demo', { cwd: directory.path, env: {} })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/First audit: /)
    expect(stdout).toMatch(/Second audit:/)
    expect(stdout).toMatch(/would have exited with 1/)
    expect(stdout).not.toContain('letmein')
  })

  it('keeps its files in the given directory and does not touch others', async () => {
    using directory = openDirectory()
    const options = { cwd: directory.path, env: {} }
    const { code, stdout } = await command('demo --keep kept', options)
    expect(code).toBe(0)
    expect(stdout).toContain('hookdrift report --history kept/hookdrift.db --format html')
    const report = await command('report --history kept/hookdrift.db --format html', options)
    expect(report.stdout).toMatch(/^<!doctype html>/)
    const again = await command('demo --keep kept', options)
    expect(again).toMatchObject({
      code: 2,
      stderr: 'hookdrift: --keep kept: the directory is not empty\n  name one that does not exist\n',
    })
  })

  it('keeps a configuration that names the given history', async () => {
    using directory = openDirectory()
    const env = {}
    await command('demo --keep kept --history runs.db', { cwd: directory.path, env })
    const { code, stderr } = await command('verify', { cwd: join(directory.path, 'kept'), env })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  })

  it.each([
    ['TMPDIR=./none', '', 2, 'cannot make a temporary directory none/hookdrift-demo-'],
    ['ulimit -f 0;', '--keep kept', 4, 'cannot write to '],
  ] as const)('says what it cannot write: %s', async (before, line, code, message) => {
    using directory = openDirectory()
    const main = join(import.meta.dirname, '../../src/cli/main.ts')
    const words = ['-c', `${before} "$0" "$@"`, process.execPath, main, 'demo', ...wordsOf(line)]
    const said = await startProgram('sh', words, { cwd: directory.path }).ended
    expect(said).toMatchObject({ code, stderr: expect.stringContaining(`hookdrift: ${message}`) })
  })

  it('prints the same story twice, except for port and times', async () => {
    using directory = openDirectory()
    const bare = (text: string) =>
      text
        .replace(/127\.0\.0\.1:\d+/g, 'HOST')
        .replace(/\d{4}-\d\d-\d\d[T ][\d:.]+( UTC|Z)?/g, 'TIME')
        .replace(/\b\d+(\.\d+)? m?s\b/g, 'DURATION')
        .replace(/ +/g, ' ')
    const options = { cwd: directory.path, env: { HOOKDRIFT_SEAL_KEY: 'not-a-real-key-but-long-enough-for-one' } }
    const one = await command('demo --seed x', options)
    const two = await command('demo --seed x', options)
    expect(bare(one.stdout)).toBe(bare(two.stdout))
  })
})
