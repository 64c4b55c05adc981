import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { makeAuditedHistory } from '../history/audited-history.ts'
import { hasPostgres, makeDatabase } from '../history/postgres/databases.ts'
import { openCliFixture } from './cli-fixture.ts'
import { refusal } from './refusal.ts'
import { command } from './run-in-process.ts'
import { openDirectory } from './start-process.ts'

let directory: ReturnType<typeof openDirectory>
beforeEach(() => {
  directory = openDirectory()
})
afterEach(() => directory[Symbol.dispose]())

const run = (line: string) => command(line, { cwd: directory.path })

let audited: Buffer
beforeAll(async () => {
  audited = await makeAuditedHistory()
})
const writeHistory = () => writeFileSync(directory.file('hookdrift.db'), audited)

describe('hookdrift history copy', () => {
  it('moves a file, says where the key is, and sends audits to the new place', async () => {
    await using cli = await openCliFixture()
    const at = (name: string) => cli.directory.file(name)
    await cli.audit()
    const copied = await command('history copy hookdrift.db new/place.db', { cwd: cli.directory.path })
    expect(copied).toMatchObject({ code: 0, stderr: '' })
    expect(copied.stdout.replaceAll(/\d+ rows/g, 'N rows').replaceAll(/\s+/g, ' ')).toBe(
      `${at('new/place.db')}: runs up to 1, N rows, verified. ${at('hookdrift.db')} was moved: it refuses runs from now on. Name the new place where this one was named. The installation key is not copied: copy ${at('hookdrift.key')} to ${at('new')}. `,
    )
    const refused = await cli.audit()
    expect(refused.code).toBe(5)
    expect(refused.stderr).toContain(`the history ${at('hookdrift.db')} was moved to ${at('new/place.db')} at`)
    const status = await cli.run('status')
    expect(status.stdout).toContain(`This history was moved to ${at('new/place.db')} 20`)
    expect((await cli.json('doctor')).rows).toContainEqual({
      check: 'history',
      service: null,
      status: 'fail',
      detail: expect.stringContaining(`was moved to ${at('new/place.db')} at 20`),
      remediation: expect.stringMatching(/^Name the new place/),
    })
    expect((await cli.audit(`--history ${at('new/place.db')}`)).code).toBe(0)
    // The way back: the copy has all that the old place has.
    const back = await command('history copy new/place.db hookdrift.db', { cwd: cli.directory.path })
    expect(back).toMatchObject({ code: 0, stdout: expect.stringContaining('hookdrift.db: runs up to 2') })
    expect((await cli.audit()).code).toBe(0)
  })

  it('refuses at once to copy a history to itself, also by a link', async () => {
    writeHistory()
    symlinkSync('hookdrift.db', directory.file('link.db'))
    for (const to of ['hookdrift.db', 'link.db']) {
      expect(await run(`history copy hookdrift.db ${to}`)).toMatchObject(
        refusal(`history copy: ${directory.file(to)} is the history to copy, and is not replaced`),
      )
    }
  })

  it('leaves the original in use with --snapshot', async () => {
    writeHistory()
    const copied = await run('history copy --snapshot hookdrift.db copy.db --format json')
    expect(JSON.parse(copied.stdout)).toMatchObject({
      run: { number: 5 },
      rows: [{ from: directory.file('hookdrift.db'), to: directory.file('copy.db'), moved: false, key_file: null }],
    })
    expect(await run('history copy --snapshot hookdrift.db copy.db')).toMatchObject(
      refusal(`${directory.file('copy.db')} contains a history already`),
    )
  })

  it.each([
    ['a missing history', 'none.db copy.db', 4, 'there is no history at'],
    ['one place', 'hookdrift.db ./hookdrift.db', 2, 'is the history to copy'],
    ['another URL', 'hookdrift.db mysql://user:secret@host/db', 2, '(mysql://…)'],
    ['a wrong parameter', 'hookdrift.db postgres://u:secret@host/db?x=1', 2, 'has the parameter "x"'],
  ])('refuses %s', async (_, places, code, message) => {
    writeHistory()
    const refused = await run(`history copy ${places}`)
    expect(refused).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(message) })
    expect(refused.stderr).not.toContain('secret')
  })
})

describe('hookdrift history upgrade', () => {
  it('leaves a file of the newest schema as it is', async () => {
    writeHistory()
    const upgraded = await run('history upgrade --history hookdrift.db --format json')
    expect(JSON.parse(upgraded.stdout).rows).toEqual([
      { history: directory.file('hookdrift.db'), from_schema: 1, to_schema: 1 },
    ])
  })

  it('refuses a file that is not there', async () => {
    expect(await run('history upgrade --history none.db')).toMatchObject({ code: 4 })
  })
})

describe.skipIf(!hasPostgres)('a history on a server', () => {
  it('comes from a file and goes back to one', async () => {
    writeHistory()
    directory.write('hookdrift.key', `${'1'.repeat(64)}\n`)
    const place = await makeDatabase({ empty: true })
    const copied = await run(`history copy hookdrift.db ${place.url}`)
    expect(copied).toMatchObject({ code: 0, stderr: '' })
    expect(copied.stdout).toContain(`\nexport HOOKDRIFT_SEAL_KEY="hex:$(cat ${directory.file('hookdrift.key')})"\n`)
    expect(await run(`history copy ${place.url} back.db`)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/The installation key is not copied: give the new place the same one\.\n$/),
    })
    expect(await run('verify --deep --history back.db')).toMatchObject({ code: 0 })
    await place.remove()
  })

  it('is given the key of a file by a command that a shell reads as it is', async () => {
    mkdirSync(directory.file('my histories'))
    writeFileSync(directory.file('my histories/hookdrift.db'), audited)
    directory.write('my histories/hookdrift.key', `${'1'.repeat(64)}\n`)
    const place = await makeDatabase({ empty: true })
    const copied = await run(`history copy 'my histories/hookdrift.db' ${place.url} --snapshot`)
    const command = copied.stdout.split('\n').find((line) => line.startsWith('export HOOKDRIFT_SEAL_KEY='))
    const shown = execFileSync('sh', ['-c', `${command}; echo "$HOOKDRIFT_SEAL_KEY"`], { encoding: 'utf8' })
    expect(shown).toBe(`hex:${'1'.repeat(64)}\n`)
    await place.remove()
  })

  it('is made by an upgrade, once', async () => {
    const place = await makeDatabase({ empty: true })
    const upgrade = () => run(`history upgrade --history ${place.url}`)
    expect((await upgrade()).stdout).toMatch(/ was made, with schema 1\.\n$/)
    expect((await upgrade()).stdout).toMatch(/ has the newest schema, 1\.\n$/)
    await place.remove()
  })
})
