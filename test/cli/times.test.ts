import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CliFixture, openCliFixture } from './cli-fixture.ts'
import { refusal } from './refusal.ts'

/** Every option and argument that takes a run or a time, up to it. */
const options = [
  'report --run',
  'report --at',
  'report --framework soc2 --from',
  'report --framework soc2 --from 1 --to',
  'state --at',
  'diff',
  'diff 1',
  'violations --since',
  'policy replay --policy policy.yaml --since',
  'baseline approve --by me --run',
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

describe.each(options)('%s', (line) => {
  let cli: CliFixture
  beforeAll(async () => {
    cli = await openCliFixture({ projects: 1, endpointsPerProject: 1 }, 'policy: ./policy.yaml\n')
    cli.directory.write('policy.yaml', 'extends: [recommended]\n')
    await cli.audit('--quiet')
    await cli.audit('--quiet')
  })
  afterAll(() => cli[Symbol.asyncDispose]())

  const ask = (time: string) => cli.run(`${line} '${time}'`)

  it.each(understood)('understands %s', async (time) => {
    const { code, stderr } = await ask(time)
    // The history may hold no run of that time.
    const expected = code === 0 ? /^$/ : /no run was committed (from|by|since)|is not before --to/
    expect(stderr).toMatch(expected)
    if (/^(1|latest)$/.test(time)) expect(code).toBe(0)
  })

  it.each(refused)('refuses %s', async (time) => {
    expect(await ask(time)).toEqual(refusal(/is not a (run or a time|valid time)|unknown option|too many arguments/))
  })
})
