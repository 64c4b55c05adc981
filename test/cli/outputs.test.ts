import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Output } from '../../src/app/process-context.ts'
import { runCommand } from '../../src/cli/run-command.ts'
import { breakOne, openCliFixture } from './cli-fixture.ts'
import { refusal } from './refusal.ts'
import { command } from './run-in-process.ts'
import { openDirectory, startProgram, wordsOf } from './start-process.ts'

const main = join(import.meta.dirname, '../../src/cli/main.ts')

/** Starts hookdrift in a shell, with what the shell does to its streams. */
function redirected(line: string, redirection: string, options: Parameters<typeof startProgram>[2]) {
  return startProgram('sh', ['-c', `"$0" "$@" ${redirection}`, process.execPath, main, ...wordsOf(line)], options).ended
}

const directory = openDirectory()
const cwd = () => directory.file('kept')
beforeAll(async () => {
  await command('demo --keep kept', { cwd: directory.path })
})
afterAll(() => directory[Symbol.dispose]())

/** Runs a command in this process, on a stdout that fails at once or a while after it was written to. */
async function onBroken(line: string, when: 'at once' | 'later') {
  const stdout = new Writable({
    write(_chunk, _encoding, done) {
      const error = Object.assign(new Error('i/o error, write'), { code: 'EIO' })
      if (when === 'at once') done(error)
      else setImmediate(() => done(error))
    },
  })
  const stderr = new PassThrough()
  const streams = { stdout: stdout satisfies Output, stderr: stderr satisfies Output }
  const code = await runCommand(wordsOf(line), { ...streams, env: {}, cwd })
  stderr.end()
  return { code, stderr: await text(stderr) }
}

describe('an unwritable stdout', () => {
  it.each([
    '--help',
    'audit --help',
    '--version',
    'rules',
    'verify --history hookdrift.db',
    'verify --history hookdrift.db --format json',
    'report --history hookdrift.db',
    'report --history hookdrift.db --format json',
    'status --history hookdrift.db',
    'runs --history hookdrift.db --format csv',
    'violations --history hookdrift.db',
    'query --views',
    'demo --no-keep',
  ])('is reported by %s', async (line) => {
    for (const when of ['at once', 'later'] as const) {
      expect(await onBroken(line, when)).toEqual({
        code: 4,
        stderr: expect.stringMatching(/^hookdrift: cannot write to stdout: the device reports an error\n {2}[^\n]+\n$/),
      })
    }
  })
})

const isLinux = existsSync('/dev/full') && existsSync('/proc/self/fdinfo')

describe.skipIf(!isLinux)('an unwritable stdout is an error in one sentence', () => {
  it.each([
    ['on a full disk', '> /dev/full', 'no space is left'],
    ['that came closed', '>&-', 'it is closed'],
    ['that is open for reading only', '1< /dev/null', 'it is closed'],
  ])('%s', async (_, redirection, reason) => {
    const { code, signal, stderr } = await redirected('rules', redirection, { cwd: cwd() })
    expect({ code, signal }).toEqual({ code: 4, signal: null })
    expect(stderr).toMatch(new RegExp(`^hookdrift: cannot write to stdout: ${reason}\n  [^\n]+\n$`))
  })

  it('that came closed, with stderr at the null device', async () => {
    expect(await redirected('rules', '>&- 2>/dev/null', { cwd: cwd() })).toMatchObject({ code: 4 })
  })

  it('on a disk that takes a part of it', async () => {
    const whole = (await command('--help', { cwd: cwd() })).stdout.length
    expect(
      await startProgram('sh', ['-c', 'ulimit -f 1 && "$0" "$@" > cut', process.execPath, main, '--help'], {
        cwd: directory.path,
      }).ended,
    ).toMatchObject(refusal('cannot write to stdout: ', 4))
    expect(statSync(directory.file('cut')).size).toBeLessThan(whole)
  })

  it('and the run is committed and can be reported again', async () => {
    await using cli = await openCliFixture()
    const options = { cwd: cli.directory.path, env: cli.env }
    expect(await redirected('audit', '> /dev/full', options)).toMatchObject({ code: 4, signal: null })
    breakOne(cli)
    expect(await redirected('audit --format json', '>&-', options)).toMatchObject({ code: 4, signal: null })
    expect(cli.query('SELECT number, state FROM run ORDER BY number')).toEqual([
      { number: 1, state: 'committed' },
      { number: 2, state: 'committed' },
    ])
    expect((await cli.run('report')).code).toBe(0)
  })
})

describe.skipIf(!isLinux)('an unwritable stderr', () => {
  it('does not end a run: the run is committed and reported, and the exit code shows the loss', async () => {
    await using cli = await openCliFixture()
    const options = { cwd: cli.directory.path, env: { ...cli.env, HOOKDRIFT_LOG: 'trace' } }
    const { code, signal, stdout } = await redirected('audit --format json', '2> /dev/full', options)
    expect({ code, signal }).toEqual({ code: 4, signal: null })
    expect(JSON.parse(stdout).verdict.exit_code).toBe(0)
    expect(cli.query('SELECT state FROM run')).toEqual([{ state: 'committed' }])
  })

  it('changes nothing when there is no message', async () => {
    expect(await redirected('rules', '2> /dev/full', { cwd: cwd() })).toMatchObject({ code: 0 })
    expect(await redirected('rules', '2>&-', { cwd: cwd() })).toMatchObject({ code: 0 })
  })
})

describe('a caller that discards the output', () => {
  it.each(['> /dev/null', '>> /dev/null 2>&-', '>&- 2>&- < /dev/null'])(
    'gets the same exit code: %s',
    async (redirection) => {
      expect(await redirected('rules', redirection, { cwd: cwd() })).toMatchObject({ code: 0, stderr: '' })
    },
  )

  it('may stop reading', async () => {
    const pipe = '{ "$0" "$@"; echo "$?" >&2; } | head -n 1'
    const piped = startProgram('sh', ['-c', pipe, process.execPath, main, 'rules'], { cwd: cwd() })
    expect(await piped.ended).toMatchObject({ code: 0, stderr: '0\n' })
  })
})

it.skipIf(!isLinux)('names a working directory that was removed, and calls it no bug', async () => {
  const inRemoved = 'mkdir gone && cd gone && rmdir ../gone && exec "$0" "$@"'
  const { ended } = startProgram('sh', ['-c', inRemoved, process.execPath, main, 'status'], { cwd: directory.path })
  const said = /^hookdrift: the working directory no longer exists\n {2}change to another directory/
  expect(await ended).toMatchObject(refusal(said, 4))
})

describe('an error outside of any awaited promise', () => {
  it('is an internal error with its own exit code, not that of violations', async () => {
    const bug = `process.on('newListener', (name) => {
      if (name === 'SIGTERM') setImmediate(() => { throw new Error('in a callback') })
    })`
    const preloaded = ['--import', `data:text/javascript,${encodeURIComponent(bug)}`]
    const args = [...preloaded, main, 'demo', '--serve', '0']
    expect(await startProgram(process.execPath, args, { cwd: directory.path }).ended).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('hookdrift: this is a bug: Error: in a callback\n'),
    })
  })
})
