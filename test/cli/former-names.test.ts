import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildCommandLine } from '../../scripts/reference/command-tree.ts'
import { readFormerNames } from '../../src/cli/former-names.ts'
import { command } from './run-in-process.ts'
import { openDirectory } from './start-process.ts'

const directory = openDirectory()
const kept = { cwd: directory.file('kept'), env: { DEMO_KEY: 'k' } }
beforeAll(() => command('demo --keep kept', { cwd: directory.path, env: {} }))
afterAll(() => directory[Symbol.dispose]())

describe('the old name of a command', () => {
  it.each([
    ['causes', 'violations --by-cause'],
    ['causes --run 1 --kind endpoint -f json', 'violations --by-cause --run 1 --kind endpoint -f json'],
    ['coverage --incomplete -f csv', 'status --listings --incomplete -f csv'],
    ['--color never coverage -f json', '--color never status --listings -f json'],
    ['accept --list --run 1 -f json', 'waivers list --acceptances --run 1 -f json'],
    ['accept -f json --list', 'waivers list --acceptances -f json'],
    ['causes --severity high', 'violations --by-cause --severity high'],
    ['config check -f json', 'doctor --offline -f json'],
    ['config check -c policy.yaml', 'doctor --offline -c policy.yaml'],
    ['config check --no-secrets', 'doctor --offline --no-secrets'],
    ['causes --help', 'violations --help'],
    ['help config check', 'help doctor'],
    ['help coverage', 'help status'],
  ])('runs as the new one, and says so on stderr: %s', async (old, now) => {
    const [former, present] = await Promise.all([command(old, kept), command(now, kept)])
    const [notice, ...rest] = former.stderr.split('\n')
    expect(notice).toMatch(/^hookdrift: `hookdrift [a-z -]+` is `hookdrift [a-z -]+` now$/)
    expect({ ...former, stderr: rest.join('\n') }).toEqual(present)
  })

  it('is not in the help, and never completed', async () => {
    const program = await buildCommandLine()
    const former = program.commands.map((each) => each.name()).filter((name) => readFormerNames([name]).notice)
    expect(former).toEqual([])
    expect((await command(['__complete', 'zsh', '--', 'cause'], kept)).stdout).toBe('none\n')
  })

  it.each([
    [['note', 'causes']],
    [['docs', 'coverage']],
    [['accept', '1', '--', '--list']],
    [['config', 'show']],
    [['rules']],
  ])('is left alone where it names no command: %j', (words) => expect(readFormerNames(words)).toEqual({ words }))
})

describe('an option that asks another question', () => {
  it.each([
    [
      'violations --by-cause --severity high',
      '--severity does not go with --by-cause',
      'takes --run, --project, --kind',
    ],
    ['status --listings --max-age 2h', '--max-age does not go with --listings', 'takes --run, --project, --incomplete'],
    ['status --incomplete', '--incomplete goes with --listings', 'add --listings, or remove --incomplete'],
    ['doctor --no-secrets', '--no-secrets goes with --offline', 'add --offline'],
    ['waivers list --acceptances -p demo/orders', '--project does not go with --acceptances', 'takes --run'],
  ])('is refused with options of the usual one: %s', async (line, message, advice) => {
    const { code, stdout, stderr } = await command(line, kept)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(message)
    expect(stderr).toContain(advice)
  })
})
