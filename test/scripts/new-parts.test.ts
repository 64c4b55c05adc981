import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const checkout = resolve(import.meta.dirname, '../..')
let copy: string

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'hookdrift-new-parts-'))
  const parts = [
    'package.json',
    'src',
    'scripts',
    'config',
    'release',
    'migrations',
    'docs/rules',
    'test/report',
    'test/cli',
    'test/pages',
  ]
  for (const part of parts) cpSync(join(checkout, part), join(copy, part), { recursive: true })
  symlinkSync(join(checkout, 'node_modules'), join(copy, 'node_modules'))
})
afterAll(() => rmSync(copy, { recursive: true }))

const run = (...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: copy, encoding: 'utf8' })
  return { status, stdout, stderr }
}
const hookdrift = (...args: string[]) => run('src/cli/main.ts', ...args)

describe('npm run new:command', () => {
  it('adds a command that answers with its own schema', () => {
    expect(run('scripts/new-command.ts', 'owners', 'List the owners of endpoints')).toMatchObject({ status: 0 })
    expect(hookdrift('help', 'all').stdout).toMatch(/owners +List the owners of endpoints/)
    expect(hookdrift('demo', '--keep', 'kept').status).toBe(0)
    const { stdout } = hookdrift('owners', '--history', 'kept/hookdrift.db', '--format', 'json')
    expect(JSON.parse(stdout)).toMatchObject({
      schema: 'hookdrift.owners/1',
      rows: expect.arrayContaining([{ project: 'demo/payments', run: 2 }]),
    })
  })

  it('adds its address to the API', () => {
    const script = "import { apiEntries } from './src/cli/api/api-entries.ts'; console.log(Object.keys(apiEntries))"
    expect(run('--input-type=module-typescript', '-e', script)).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("'owners'"),
      stderr: '',
    })
  })

  it.each([
    [['runs', 'List runs'], 'src/questions/runs.ts exists already'],
    [['two words', 'List'], 'expected a word'],
    [['owners2', 'List'], 'expected a word'],
  ])('refuses %j', (args, problem) => {
    expect(run('scripts/new-command.ts', ...args)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(problem),
    })
  })
})

describe('npm run new:format', () => {
  it('adds a format with a test that reads it back', () => {
    expect(run('scripts/new-format.ts', 'ndjson', '.ndjson', 'a violation a line')).toMatchObject({ status: 0 })
    expect(hookdrift('report', '--help', 'all').stdout).toContain('ndjson')
    const script = `
      import { reports } from './test/report/all-reports.ts'
      import { formatTests } from './test/report/format-test.ts'
      import { samples } from './test/report/sample-reports.ts'
      const text = reports.ndjson(samples.small, { colour: false, width: 80, full: true })
      console.log(formatTests.ndjson.read(text).violations.length, samples.small.violations.length)`
    const { stdout, stderr } = run('--input-type=module-typescript', '-e', script)
    expect(stderr).toBe('')
    const [read, written] = stdout.trim().split(' ')
    expect(read).toBe(written)
    expect(Number(read)).toBeGreaterThan(0)
  })

  it.each([
    [['json', '.json', 'twice'], 'the format json exists already'],
    [['ndjson2', 'no-dot', 'x'], 'expected name, extension'],
  ])('refuses %j', (args, problem) => {
    expect(run('scripts/new-format.ts', ...args)).toMatchObject({ status: 2, stderr: expect.stringContaining(problem) })
  })
})
