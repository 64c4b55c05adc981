import { once } from 'node:events'
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { refusal } from './refusal.ts'
import { command } from './run-in-process.ts'
import { type Ended, openDirectory, startProgram, wordsOf } from './start-process.ts'

const main = join(import.meta.dirname, '../../src/cli/main.ts')
const compiled = join(import.meta.dirname, '../../node_modules/.cache/hookdrift')
const bin = openDirectory()
bin.write('hookdrift', `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`)
chmodSync(bin.file('hookdrift'), 0o755)
afterAll(() => bin[Symbol.dispose]())

/** What a person types in a shell, as a process of its own. */
const start = (line: string, cwd: string, env: Readonly<Record<string, string>> = {}) =>
  startProgram('sh', ['-c', line], {
    cwd,
    env: { NODE_COMPILE_CACHE: compiled, ...env, PATH: `${bin.path}:${process.env.PATH}` },
  })
const type = (line: string, cwd: string, env?: Readonly<Record<string, string>>): Promise<Ended> =>
  start(line, cwd, env).ended

/** The commands of the last part of a report. */
function nextOf(report: string): readonly string[] {
  const [, next = ''] = report.split('\nWhat next\n')
  return next.split('\n').flatMap((line) => line.match(/^ {2}(\S.*?)(?= {2}|$)/)?.[1] ?? [])
}

/** Commands within the lines of a report, which wrap. */
const namedIn = (report: string) =>
  [...report.replace(/\n +/g, ' ').matchAll(/`(hookdrift .+?)`|Put back: (hookdrift restore \S+ \S+)/g)].flatMap(
    ([, fix, repair]) => fix ?? repair ?? [],
  )

/** Starts the gateway of a demo, and waits until it answers: then stdout gets the configuration. */
async function startGateway(line: string, cwd: string) {
  const gateway = start(`exec ${line}`, cwd)
  const { stdout } = gateway.child
  if (stdout === null) throw new Error('no stdout')
  await Promise.race([once(stdout, 'data'), gateway.ended])
  return gateway
}

async function stop({ child, ended }: Awaited<ReturnType<typeof startGateway>>) {
  child.kill('SIGTERM')
  return ended
}

describe('hookdrift demo', () => {
  const directory = openDirectory()
  const kept = directory.file('hookdrift-demo')
  let shown = ''
  beforeAll(async () => {
    const { code, stdout, stderr } = await type('hookdrift demo', directory.path)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    shown = stdout
  })
  afterAll(() => directory[Symbol.dispose]())

  it('says where its files are and what removes them, and shows no secret', () => {
    expect(shown).toContain('kept in hookdrift-demo; `rm -r hookdrift-demo` removes them.')
    expect(shown).toMatch(/First audit: /)
    expect(shown).toMatch(/Second audit\. In hookdrift-demo, `hookdrift audit` would have exited with 1,/)
    expect(shown).not.toContain('letmein')
  })

  it('keeps files for this user alone, and no secret in them', () => {
    expect(statSync(kept).mode & 0o777).toBe(0o700)
    const names = ['demo-key', 'hookdrift.db', 'hookdrift.key', 'hookdrift.yaml', 'policy.yaml']
    expect(readdirSync(kept)).toEqual(names)
    for (const name of names) {
      expect(statSync(join(kept, name)).mode & 0o777).toBe(0o600)
      expect(readFileSync(join(kept, name)).includes('letmein')).toBe(false)
    }
    expect(readFileSync(join(kept, 'demo-key'), 'utf8')).toMatch(/^CO\.demo\w+\.not-a-real-key-/)
  })

  it('ends as an audit in that directory does', async () => {
    const { stdout } = await type('cd hookdrift-demo && hookdrift report', directory.path)
    expect(shown).toContain(`\n\n${stdout.slice(0, stdout.indexOf('\nWhat next\n'))}`)
    const [change, ...others] = nextOf(shown)
    expect(change).toBe('cd hookdrift-demo')
    expect(others.slice(0, -3)).toEqual(nextOf(stdout))
    expect(others.slice(-3)).toEqual([
      'hookdrift demo --serve --keep .',
      'hookdrift docs tutorial',
      'hookdrift init --directory DIRECTORY',
    ])
  })

  it('names commands that work there, to the letter', async () => {
    const named = [...new Set([...namedIn(shown.slice(shown.indexOf('\nSecond audit.'))), ...nextOf(shown)])]
    expect(named.filter((line) => line.startsWith('hookdrift restore ')).length).toBeGreaterThan(2)
    const questions = ['violations', 'status', 'runs', 'report --format html', "query 'SELECT * FROM open_violation'"]
    const promised = new Map([
      // With another run, it is what the next test expects.
      ['hookdrift audit', undefined],
      // It runs until it is stopped, and the next test starts it.
      ['hookdrift demo --serve --keep .', undefined],
      // It asks, and needs a terminal.
      ['hookdrift init --directory DIRECTORY', 2],
    ])
    for (const line of [...named, ...questions.map((words) => `hookdrift ${words}`)]) {
      const code = promised.has(line) ? promised.get(line) : 0
      if (code === undefined || line === 'cd hookdrift-demo') continue
      const said = await command(line.replace(/^hookdrift /, ''), { cwd: kept })
      expect({ line, code: said.code, stderr: code === 0 ? said.stderr : '' }).toEqual({ line, code, stderr: '' })
    }
  })

  it('serves pages from what it keeps', async () => {
    const server = start('exec hookdrift serve --listen 127.0.0.1:0', kept)
    const said = await new Promise<string>((resolve) => {
      server.child.stdout?.on('data', (text) => resolve(`${text}`))
      server.ended.then(({ stderr }) => resolve(stderr), resolve)
    })
    const [url = said] = /http:\/\/\S+(?=\/ )/.exec(said) ?? []
    expect((await fetch(`${url}/`)).status).toBe(200)
    await stop(server)
  })

  it('has a gateway that starts again as the history has seen it', async () => {
    const gateway = await startGateway('hookdrift demo --serve 0 --keep hookdrift-demo', directory.path)
    const unchanged = expect.stringMatching(/: run 3, .*; no drift\. Exit\s+code 1\.\nScanned 3 projects completely/s)
    expect(await type('hookdrift audit', kept)).toMatchObject({ code: 1, stdout: unchanged, stderr: '' })
    const { code, stderr } = await stop(gateway)
    expect(code).toBe(143)
    expect(stderr).toContain('\nAudit it: hookdrift audit --config hookdrift-demo/hookdrift.yaml\n')
    expect(stderr).not.toContain('A colleague')
    const advice = (named: string) => `: \`hookdrift demo --serve --keep ${named}\` starts it\n`
    for (const [line, cwd, named] of [
      ['hookdrift audit', kept, '.'],
      ['hookdrift audit -q -c hookdrift-demo/hookdrift.yaml', directory.path, 'hookdrift-demo'],
      ['hookdrift doctor', kept, '.'],
    ] as const) {
      const ended = await type(line, cwd)
      expect({ line, code: ended.code }).toEqual({ line, code: 3 })
      expect(ended.stderr).toContain(advice(named))
    }
    // The configuration names the port of the last time.
    const again = await startGateway('hookdrift demo --serve --keep .', kept)
    expect((await type('hookdrift audit -q', kept)).code).toBe(1)
    await stop(again)
  }, 120_000)

  it('refuses another seed for that gateway', async () => {
    expect(await command('demo --serve --seed other --keep hookdrift-demo', { cwd: directory.path })).toEqual(
      refusal('--seed other: the demo that is kept there has the seed "hookdrift"'),
    )
  })

  it('begins anew in the directory of an earlier demo, and leaves there what others wrote', async () => {
    const options = { cwd: directory.path, env: {} }
    directory.write('hookdrift-demo/mine.txt', 'mine')
    const { code, stdout } = await command('demo --seed "à\n1"', options)
    expect(code).toBe(0)
    expect(stdout).toContain('kept in hookdrift-demo, in place of an earlier demo; ')
    expect(readFileSync(join(kept, 'mine.txt'), 'utf8')).toBe('mine')
    expect(JSON.parse((await command('runs --format json', { cwd: kept })).stdout).rows).toHaveLength(2)
    expect((await command('demo', options)).code).toBe(0)
  })

  it('overwrites nothing that a person edited, and no history that is open', async () => {
    const before = readFileSync(join(kept, 'policy.yaml'), 'utf8')
    directory.write('hookdrift-demo/policy.yaml', 'extends: [strict]\n')
    expect(await command('demo', { cwd: directory.path })).toEqual(
      refusal('the configuration or the policy in hookdrift-demo was edited since a demo wrote it'),
    )
    expect(readFileSync(join(kept, 'policy.yaml'), 'utf8')).toBe('extends: [strict]\n')
    directory.write('hookdrift-demo/policy.yaml', before)
    directory.write('hookdrift-demo/hookdrift.db-wal', '')
    expect(await command('demo', { cwd: directory.path })).toEqual(refusal('the history in hookdrift-demo is open'))
  })
})

describe('the directory of a demo', () => {
  it('is one that nothing else made', async () => {
    using directory = openDirectory()
    mkdirSync(directory.file('hookdrift-demo'))
    directory.write('hookdrift-demo/hookdrift.yaml', 'services: []\n')
    const said = refusal(/^hookdrift: the directory hookdrift-demo is not empty, and no demo made it\n {2}name another/)
    for (const line of ['demo', 'demo --keep hookdrift-demo', 'demo --serve 0 --keep hookdrift-demo']) {
      expect(await command(line, { cwd: directory.path })).toEqual(said)
    }
    expect(readdirSync(directory.file('hookdrift-demo'))).toEqual(['hookdrift.yaml'])
  })

  it('is not there with --no-keep', async () => {
    using directory = openDirectory()
    const { code, stdout, stderr } = await command('demo --no-keep', { cwd: directory.path })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('\nNothing is kept: ')
    expect(nextOf(stdout)).toEqual(['hookdrift docs tutorial', 'hookdrift init'])
    expect(readdirSync(directory.path)).toEqual([])
  })

  it.skipIf(process.platform !== 'linux')(
    'is missing where it cannot be made, and a chosen one is an error',
    async () => {
      // No user may write there, root neither.
      const cwd = '/proc/self'
      const { code, stdout } = await command('demo', { cwd })
      expect(code).toBe(0)
      expect(stdout).toMatch(/\nNothing is kept: .* The directory hookdrift-demo cannot be made: .*--keep\.\n/)
      expect(await command('demo --keep other', { cwd })).toEqual(refusal('cannot make the directory other: '))
    },
  )

  it('is where the user wants it, here too', async () => {
    using directory = openDirectory()
    const { code, stdout } = await command('demo --keep .', { cwd: directory.path })
    expect(code).toBe(0)
    expect(stdout).toContain(`\`rm -r ${directory.path}\` removes them`)
    expect(nextOf(stdout)[0]).toMatch(/^hookdrift rules /)
    expect((await command('violations', { cwd: directory.path })).code).toBe(0)
  })

  it('names a history elsewhere', async () => {
    using directory = openDirectory()
    const options = { cwd: directory.path, env: {} }
    await command('demo --keep kept --history runs.db', options)
    const { code, stderr } = await command('verify', { cwd: directory.file('kept') })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(readdirSync(directory.file('kept'))).toEqual(['demo-key', 'hookdrift.yaml', 'policy.yaml'])
    expect((await command('demo --keep kept --history others.db', options)).code).toBe(0)
  })

  it('is found in spite of variables that name other files', async () => {
    using directory = openDirectory()
    const env = { HOOKDRIFT_CONFIG: 'none.yaml', HOOKDRIFT_HISTORY: directory.file('none.db') }
    const { stdout } = await command('demo', { cwd: directory.path, env })
    const lines = nextOf(stdout).filter((line) => /hookdrift (timeline|restore|violations) /.test(line))
    expect(lines).toHaveLength(3)
    for (const line of lines) {
      const options = { cwd: directory.file('hookdrift-demo'), env }
      expect(await command(line.replace(/^hookdrift /, ''), options)).toMatchObject({ code: 0, stderr: '' })
    }
    expect(readdirSync(directory.path)).toEqual(['hookdrift-demo'])
  })

  it.each([
    ['TMPDIR=./none', '--no-keep', 2, 'cannot make a temporary directory none/hookdrift-demo-'],
    ['ulimit -f 0;', '', 4, 'cannot write to '],
  ] as const)('is named where it cannot be written: %s', async (before, line, code, message) => {
    using directory = openDirectory()
    const words = ['-c', `${before} "$0" "$@"`, process.execPath, main, 'demo', ...wordsOf(line)]
    const said = await startProgram('sh', words, { cwd: directory.path }).ended
    expect(said).toMatchObject({ code, stderr: expect.stringContaining(`hookdrift: ${message}`) })
  })

  it('gets the same story twice, except for port and times', async () => {
    using directory = openDirectory()
    const bare = (said: string) =>
      said
        .replace(/127\.0\.0\.1:\d+/g, 'HOST')
        .replace(/\d{4}-\d\d-\d\d[T ][\d:.]+( UTC|Z)?/g, 'TIME')
        .replace(/\b\d+(\.\d+)? m?s\b/g, 'DURATION')
        .replace(', in place of an earlier demo', '')
        .replace(/ +/g, ' ')
    const options = { cwd: directory.path, env: { HOOKDRIFT_SEAL_KEY: 'not-a-real-key-but-long-enough-for-one' } }
    const one = await command('demo --seed x', options)
    const two = await command('demo --seed x', options)
    expect(bare(one.stdout)).toBe(bare(two.stdout))
  })
})
