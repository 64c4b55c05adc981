import { copyFileSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bashCandidates, readBashLine } from '../../src/cli/complete-line.ts'
import { command } from './run-in-process.ts'
import { type CommandLine, openDirectory, wordsOf } from './start-process.ts'

const directory = openDirectory()
const kept = directory.file('kept')
beforeAll(async () => {
  await command('demo --keep kept', { cwd: directory.path, env: {} })
}, 60_000)
afterAll(() => directory[Symbol.dispose]())

/** What zsh gets for words of which the last is at the cursor: how, and the words. */
async function completed(line: CommandLine, options: Parameters<typeof command>[1] = { cwd: kept }) {
  const { code, stdout, stderr } = await command(['__complete', 'zsh', '--', ...wordsOf(line)], options)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const [how, ...lines] = stdout.trimEnd().split('\n')
  return { how, words: lines.map((line) => line.replace(/\t.*$/, '')) }
}

const projects = ['demo/orders', 'demo/partner-intake', 'demo/payments']

describe('completion', () => {
  it.each([
    ['pol', ['policy']],
    ['policy re', ['replay']],
    ['help verif', []],
    ['violations --se', ['--severity']],
    ['violations --severity ""', ['critical', 'high', 'medium', 'low', 'info']],
    ['violations --severity=cr', ['--severity=critical']],
    ['audit -f js', ['json', 'jsonl']],
    ['report --report js', ['json=', 'jsonl=']],
    [
      'violations --rule drift/f',
      ['drift/filter-removed', 'drift/filter-widened', 'drift/flapping', 'drift/function-changed'],
    ],
    ['rules drift/fl', ['drift/flapping']],
    ['rules --pack rec', ['recommended']],
    ['report --framework soc', ['soc2']],
    ['audit --project ""', projects],
    ['audit -p demo/orders demo/pay', ['demo/payments']],
    ['compare demo/orders ""', projects],
    ['diff ""', ['2', '1', 'latest', 'yesterday']],
    ['state --at la', ['latest']],
    ['docs run-in', ['run-in-ci']],
    ['completion ""', ['bash', 'zsh', 'fish']],
    ['report --run 2 --ru', []],
    ['--vers', ['--version']],
    ['nope --', ['--color', '--bom', '--version', '--help']],
    ['audit -- --f', []],
  ])('%s', async (line, expected) => {
    expect((await completed(line)).words).toEqual(expected)
  })

  it.each([
    ['backup ""', 'files'],
    ['history copy ""', 'files'],
    ['history copy hookdrift.db ""', 'files'],
    ['audit --config ""', 'files'],
    ['audit --report json=', 'files'],
    ['baseline export ""', 'directories'],
    ['audit --report js', 'none part'],
    ['query ""', 'none'],
  ])('leaves names of files to the shell: %s', async (line, how) => {
    expect((await completed(line)).how).toBe(how)
  })

  it('knows uids and fingerprints of the history, by their beginning', async () => {
    const { words: uids } = await completed("timeline ''")
    expect(uids.length).toBeGreaterThan(20)
    expect((await completed("impact ''")).words).toEqual(uids)
    const [first = ''] = uids
    expect((await completed(`restore ${first.slice(0, 20)}`)).words).toContain(first)
    const { words: fingerprints } = await completed("accept ''")
    expect(fingerprints[0]).toMatch(/^[0-9a-f]{32}$/)
    expect((await completed(`accept --revoke ${fingerprints[0]?.slice(0, 8) ?? ''}`)).words).toContain(fingerprints[0])
  })

  it('finds the history as commands do', async () => {
    const elsewhere = { cwd: directory.path }
    expect((await completed("audit -p ''", elsewhere)).words).toEqual([])
    const history = join(kept, 'hookdrift.db')
    expect((await completed(`audit --history ${history} -p ''`, elsewhere)).words).toEqual(projects)
    // A URL of a history has such a sign, too.
    copyFileSync(history, directory.file('a=b.db'))
    expect((await completed("audit --history=a=b.db -p ''", elsewhere)).words).toEqual(projects)
    expect((await completed("audit -c kept/hookdrift.yaml -p ''", elsewhere)).words).toEqual(projects)
    expect((await completed("audit -p ''", { ...elsewhere, env: { HOOKDRIFT_HISTORY: history } })).words).toEqual(
      projects,
    )
  })

  it('knows projects that were not audited yet, from the file and from the environment', async () => {
    const file = directory.write(
      'new.yaml',
      'services: [{ name: a, url: https://a.example, projects: [{ id: b }, { id: c, name: d }] }]\n',
    )
    expect((await completed(`audit -c ${file} -p ''`, { cwd: directory.path })).words).toEqual(['a/b', 'a/d'])
    const env = { HOOKDRIFT_URL: 'https://h.example', HOOKDRIFT_PROJECTS: 'pay=1,2' }
    expect((await completed("audit -p ''", { cwd: directory.path, env })).words).toEqual([
      'h.example/2',
      'h.example/pay',
    ])
  })
})

describe('completion prints no error and makes nothing', () => {
  const broken: readonly [string, (file: string) => void][] = [
    ['is not there', () => {}],
    ['is not a database', (file) => writeFileSync(file, 'text')],
    ['is empty', (file) => writeFileSync(file, '')],
    [
      'is of another schema',
      (file) => {
        copyFileSync(join(kept, 'hookdrift.db'), file)
        const db = new Database(file)
        db.pragma('journal_mode = DELETE')
        db.pragma('user_version = 3')
        db.close()
      },
    ],
  ]
  it.each(broken)('where the history %s', async (_, make) => {
    using own = openDirectory()
    const file = own.file('h.db')
    make(file)
    const before = readdirSync(own.path).map((name) => [name, readFileSync(own.file(name)).toString('base64')])
    for (const name of ['timeline', 'diff', 'audit', 'accept']) {
      const found = await completed(`${name} --history ${file} ${name === 'audit' ? '-p ' : ''}""`, { cwd: own.path })
      expect(found.words.filter((word) => !['latest', 'yesterday'].includes(word))).toEqual([])
    }
    expect(readdirSync(own.path).map((name) => [name, readFileSync(own.file(name)).toString('base64')])).toEqual(before)
  })

  it('where the configuration is broken', async () => {
    const file = directory.write('broken.yaml', 'services: [')
    expect((await completed(`audit -c ${file} -p ''`, { cwd: directory.path })).words).toEqual([])
  })

  it('leaves the history as it is', async () => {
    const file = join(kept, 'hookdrift.db')
    const before = [readFileSync(file).toString('base64'), statSync(file).mtimeMs]
    await completed("timeline ''")
    expect([readFileSync(file).toString('base64'), statSync(file).mtimeMs]).toEqual(before)
  })

  it('where a word is empty, odd or missing', async () => {
    for (const words of [[], [''], ['', ''], ['audit', '', ''], ['\u0000'], ['audit', '--project=', '']]) {
      await completed(words)
    }
  })
})

describe('a line of bash', () => {
  const breaks = ' \t\n"\'><=;|&(:'
  it.each([
    ['hookdrift ', { words: [], current: '', quote: '', keptLength: 0 }],
    ['hookdrift au', { words: [], current: 'au', quote: '', keptLength: 0 }],
    ['hookdrift timeline a\\ b', { words: ['timeline'], current: 'a b', quote: '', keptLength: 0 }],
    ['hookdrift timeline "a $(b', { words: ['timeline'], current: 'a $(b', quote: '"', keptLength: 0 }],
    ["hookdrift query 'a \\' b", { words: ['query', 'a \\'], current: 'b', quote: '', keptLength: 0 }],
    ['hookdrift audit --format=js', { words: ['audit'], current: '--format=js', quote: '', keptLength: 9 }],
    ['hookdrift x a"b c"d', { words: ['x'], current: 'ab cd', quote: '', keptLength: 1 }],
  ])('is read without being expanded: %s', (line, expected) => {
    expect(readBashLine(line, breaks)).toEqual(expected)
  })

  it.each([
    ['', 'a $(b) `c` ~ * "d" \'e\' !f\\g', 'a\\ \\$\\(b\\)\\ \\`c\\`\\ \\~\\ \\*\\ \\"d\\"\\ \\\'e\\\'\\ \\!f\\\\g'],
    ['"', 'a $(b) "c" `d` \\e', 'a \\$(b) \\"c\\" \\`d\\` \\\\e'],
    ['"', 'a!b', undefined],
    ["'", 'a $(b) "c" `d`', 'a $(b) "c" `d`'],
    ["'", "it's", undefined],
  ] as const)('gets a word quoted for an open %s: %s', (quote, value, expected) => {
    const found = { candidates: [{ value, about: '' }], files: 'none', isWhole: true } as const
    const words = bashCandidates(found, { words: [], current: '', quote, keptLength: 0 })
    expect(words).toEqual(expected === undefined ? [] : [expected])
  })
})
