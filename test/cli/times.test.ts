import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CliFixture, openCliFixture } from './cli-fixture.ts'
import { command } from './run-in-process.ts'

/** Every option and argument that takes a run or a time, `TIME` in its place. */
const options = [
  ['report', '--run', 'TIME'],
  ['report', '--at', 'TIME'],
  ['report', '--framework', 'soc2', '--from', 'TIME'],
  ['report', '--framework', 'soc2', '--from', '1', '--to', 'TIME'],
  ['state', '--at', 'TIME'],
  ['diff', 'TIME'],
  ['diff', '1', 'TIME'],
  ['violations', '--since', 'TIME'],
  ['policy', 'replay', '--policy', 'policy.yaml', '--since', 'TIME'],
  ['baseline', 'approve', '--by', 'me', '--run', 'TIME'],
]
const understood = [
  ...[
    '1',
    'latest',
    'latest~1',
    'today',
    'yesterday',
    '7d',
    '2w',
    '90m',
    '999999999w',
    '2026-11-21',
    '2026-11-21T03:00',
  ],
  ...['2026-11-21T03:00:00Z', '2026-11-21T03:00:00.5+01:00'],
]
const refused = [
  ...['soon', 'latest~', '-1', '7 days', 'Nov 20 2026', '2026-02-31', '2026-11-21T25:00:00Z', '2026-1-1'],
  '2026-11-21 03:00',
]

describe.each(options)('%s %s %s %s %s %s', (...words) => {
  let cli: CliFixture
  beforeAll(async () => {
    cli = await openCliFixture({ projects: 1, endpointsPerProject: 1 }, 'policy: ./policy.yaml\n')
    cli.directory.write('policy.yaml', 'extends: [recommended]\n')
    await cli.audit(['--quiet'])
    await cli.audit(['--quiet'])
  })
  afterAll(() => cli[Symbol.asyncDispose]())

  const ask = (time: string) =>
    command([...words.filter(Boolean).map((word) => (word === 'TIME' ? time : word)), '--history', 'hookdrift.db'], {
      cwd: cli.directory.path,
      env: cli.env,
    })

  it.each(understood)('understands %s', async (time) => {
    const { code, stderr } = await ask(time)
    // The history may hold no run of that time.
    const expected = code === 0 ? /^$/ : /no run was committed (from|by|since)|is not before --to/
    expect(stderr).toMatch(expected)
    if (/^(1|latest)$/.test(time)) expect(code).toBe(0)
  })

  it.each(refused)('refuses %s', async (time) => {
    const { code, stderr } = await ask(time)
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(/is not a (run or a time|valid time)|unknown option|too many arguments/),
    })
  })
})
