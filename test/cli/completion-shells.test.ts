import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { command } from './run-in-process.ts'
import { openDirectory } from './start-process.ts'

/** Debian's packages `zsh` and `fish`; where a shell is not installed its tests are skipped, and say so. */
const has = (shell: string) => existsSync(`/usr/bin/${shell}`)

const directory = openDirectory()
const ran = directory.file('ran')
const kept = directory.file('kept')
/** Uids that a shell would act upon, if it read them as its own language. */
const hostile = {
  substitution: `evil-a $(touch ${directory.file('pwned')}) \`touch ${directory.file('pwned')}\``,
  quotes: `evil-b it's "quoted" !x`,
  lines: 'evil-c\ntouch pwned',
  separator: `evil-d;touch ${directory.file('pwned')}`,
  option: '--evil',
  pattern: 'evil-e\\x*?[~',
}

/** What is on PATH as `hookdrift`: it completes as the program does, and only notes other commands. */
const shim = `#!/bin/sh
if [ "$1" = __complete ]; then exec '${process.execPath}' '${join(import.meta.dirname, '../../src/cli/start.ts')}' "$@"; fi
printf '[%s]' "$@" >> '${ran}'
echo >> '${ran}'
`

beforeAll(async () => {
  await command('demo --keep kept', { cwd: directory.path, env: {} })
  const db = new Database(join(kept, 'hookdrift.db'))
  const ids = db.prepare("SELECT id FROM version WHERE kind = 'endpoint' AND to_run IS NULL").pluck().all()
  const rename = db.prepare('UPDATE version SET uid = ? WHERE id = ?')
  for (const [at, uid] of Object.values(hostile).entries()) rename.run(uid, ids[at])
  db.close()
  writeFileSync(directory.file('hookdrift'), shim, { mode: 0o755 })
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { stdout } = await command(`completion ${shell}`, { cwd: directory.path })
    writeFileSync(directory.file(`completion.${shell}`), stdout)
  }
}, 60_000)
afterAll(() => directory[Symbol.dispose]())

const env = () => ({
  PATH: `${directory.path}:${process.env.PATH}`,
  HOME: directory.path,
  TERM: 'dumb',
  LANG: 'C.UTF-8',
  NODE_COMPILE_CACHE: directory.file('cache'),
  HOOKDRIFT_HISTORY: '',
})

/** What a person types, `⇥` for the tab key, and the arguments that the command line then has. */
const typed: readonly [line: string, args: string][] = [
  ['hookdrift repo⇥--format=js⇥ --run 2', '[report][--format=json][--run][2]'],
  ['hookdrift violations --severity cr⇥', '[violations][--severity][critical]'],
  ['hookdrift policy rep⇥', '[policy][replay]'],
  ['hookdrift rules drift/fl⇥', '[rules][drift/flapping]'],
  ['hookdrift audit -p demo/pay⇥', '[audit][-p][demo/payments]'],
  ['hookdrift report --report sar⇥x.sarif', '[report][--report][sarif=x.sarif]'],
  ['hookdrift backup hookdrift.y⇥', '[backup][hookdrift.yaml]'],
  ['hookdrift diff 1 lat⇥', '[diff][1][latest]'],
  ['hookdrift timeline evil-a⇥', `[timeline][${hostile.substitution}]`],
  ['hookdrift timeline "evil-a⇥', `[timeline][${hostile.substitution}]`],
  ['hookdrift timeline evil-b⇥', `[timeline][${hostile.quotes}]`],
  ['hookdrift timeline evil-c⇥', '[timeline][evil-c]'],
  ['hookdrift timeline evil-d⇥', `[timeline][${hostile.separator}]`],
  ["hookdrift timeline 'evil-e⇥", `[timeline][${hostile.pattern}]`],
  ['hookdrift timeline evil-e⇥', `[timeline][${hostile.pattern}]`],
  ['hookdrift timeline --ev⇥', '[timeline][--ev]'],
]

/** Types the lines into the shell on a pseudo-terminal, and returns what was run. */
async function type(shell: string, start: string) {
  writeFileSync(ran, '')
  const child = spawn('script', ['-qec', shell, '/dev/null'], { cwd: kept, env: env() })
  let shown = ''
  child.stdout.on('data', (chunk) => {
    shown += chunk.toString()
  })
  const ended = new Promise((resolve) => child.on('close', resolve))
  const until = async (text: string) => {
    for (const end = Date.now() + 50_000; !shown.includes(text) && Date.now() < end; ) {
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  // Each result has the sum, and what is echoed does not.
  child.stdin.write(`${start}; echo ready-$((40 + 2))\n`)
  await until('ready-42')
  for (const [line] of typed) child.stdin.write(`${line.replaceAll('⇥', '\t')}\n`)
  child.stdin.write('echo done-$((40 + 2))\n')
  await until('done-42')
  child.stdin.end('exit\n')
  setTimeout(() => child.kill('SIGKILL'), 5_000).unref()
  await ended
  return readFileSync(ran, 'utf8').trimEnd().split('\n')
}

const expected = typed.map(([, args]) => args)

describe.skipIf(!has('script'))('on a terminal', () => {
  it.skipIf(!has('bash'))('bash completes each line, and runs nothing of it', async () => {
    expect(await type('bash --norc --noprofile -i', `source ${directory.file('completion.bash')}`)).toEqual(expected)
    expect(existsSync(directory.file('pwned'))).toBe(false)
  })

  it.skipIf(!has('zsh'))('zsh completes each line, and runs nothing of it', async () => {
    const start = `autoload -U compinit; compinit -u -D; source ${directory.file('completion.zsh')}`
    expect(await type('zsh -f -i', start)).toEqual(expected)
    expect(existsSync(directory.file('pwned'))).toBe(false)
  })
})

describe.skipIf(!has('fish'))('fish', () => {
  const offered = (line: string) => {
    const script = `source ${directory.file('completion.fish')}; complete -C $argv[1]`
    const { stdout, stderr } = spawnSync('fish', ['--no-config', '-c', script, line], {
      cwd: kept,
      env: env(),
      encoding: 'utf8',
      timeout: 30_000,
    })
    expect(stderr).toBe('')
    return stdout
      .trimEnd()
      .split('\n')
      .map((each) => each.replace(/\t.*$/, ''))
  }

  it('offers what can be written', () => {
    expect(offered('hookdrift poli')).toEqual(['policy'])
    expect(offered('hookdrift report --format=j')).toEqual(['--format=json', '--format=jsonl', '--format=junit'])
    expect(offered('hookdrift audit -p demo/')).toEqual(['demo/orders', 'demo/partner-intake', 'demo/payments'])
    expect(offered('hookdrift backup hookdrift.y')).toEqual(['hookdrift.yaml'])
    const { substitution, quotes, separator, pattern } = hostile
    expect(offered('hookdrift timeline evil')).toEqual([substitution, quotes, separator, pattern])
    expect(existsSync(directory.file('pwned'))).toBe(false)
  })
})
