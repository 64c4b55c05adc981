import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type HistoryFixture, openHistoryFixture } from '../questions/history-fixture.ts'
import { refusal } from './refusal.ts'

describe('hookdrift note', () => {
  let history: HistoryFixture
  let uid: string

  beforeAll(async () => {
    history = await openHistoryFixture({ fleet: { projects: 2, endpointsPerProject: 3 } })
    await history.fixture.audit()
    history.fixture.harness.advance(3_600_000)
    uid = history.fixture.set({ http_timeout: 45 })
    await history.fixture.audit()
  })
  afterAll(() => history[Symbol.asyncDispose]())

  /** The clock of the fixture is in 2026, and that of commands is not. */
  const then = '2026-11-21T03:30:00Z'

  it('records what was done, and every answer about that time names it from then on', async () => {
    const ref = 'https://git.example.com/acme/hooks/-/commit/1f0c9a2b7d6e5f40312233445566778899aabbcc'
    const { rows } = await history.rows(`note 'deploy 4.2' --at ${then} --ref ${ref} --by ada`)
    expect(rows).toEqual([
      {
        id: 1,
        at: '2026-11-21T03:30:00.000Z',
        text: 'deploy 4.2',
        ref,
        by: 'ada',
        projects: [],
        noted_at: expect.any(String),
        os_user: expect.any(String),
      },
    ])
    const report = await history.rows('report')
    expect(report.notes).toEqual([
      { id: 1, at: '2026-11-21T03:30:00.000Z', text: 'deploy 4.2', ref, by: 'ada', projects: [] },
    ])
    expect(report.drift).toMatchObject([
      {
        uid,
        notes: [1],
        between: {
          after: '2026-11-21T03:01:00.000Z',
          before: '2026-11-21T04:02:00.000Z',
          after_run: 1,
          before_run: 2,
        },
      },
    ])
    const said = `In between: deploy 4.2 (ada, 03:30 UTC, ${ref})`
    const shown = async (line: string) => (await history.ask(line, { columns: 300 })).stdout
    expect((await shown('report')).replace(/\s+/g, ' ')).toContain(said)
    expect((await shown(`timeline ${uid}`)).replace(/\s+/g, ' ')).toContain(said)
    expect(await shown('report --format csv --section drift')).toContain(said)
    expect(await shown('report --format markdown')).toContain(said.replace(ref, `\`${ref}\``))
    expect(await shown('report --format html')).toContain(`<a href="${ref}" rel="noreferrer">`)
    const lines = (await shown('report --format jsonl')).split('\n').filter((line) => line !== '')
    expect(lines.map((line) => JSON.parse(line)).filter(({ type }) => type === 'note')).toMatchObject([{ id: 1, ref }])
    const { rows: moments, notes } = await history.rows(`timeline ${uid}`)
    expect(moments.at(-1)).toMatchObject({ change: 'modified', notes: [1], between: report.drift[0].between })
    expect([moments[0].between, notes]).toEqual([null, report.notes])
    expect((await history.rows('trend')).notes).toEqual(report.notes)
    expect(await shown('trend')).toContain('2026-11-21 03:30 UTC deploy 4.2 (ada,')
    expect((await history.rows("query 'SELECT text, noted_by FROM note'")).rows).toEqual([
      { text: 'deploy 4.2', noted_by: 'ada' },
    ])
    expect(report.verdict.text).not.toContain('deploy')
  })

  it('is about the projects that it names, and lists what is about some', async () => {
    const { projects } = await history.rows('report')
    const [first, second] = projects.map(({ project }: { project: string }) => project)
    const { rows } = await history.rows(`note 'keys rotated' --project ${second ?? ''} --by lee`)
    expect(rows).toMatchObject([{ projects: [second] }])
    const texts = async (...args: string[]) =>
      (await history.rows(['note', '--list', ...args])).rows.map(({ text }) => text)
    expect(await texts()).toEqual(expect.arrayContaining(['keys rotated', 'deploy 4.2']))
    expect(await texts('--project', first ?? '')).toEqual(['deploy 4.2'])
    expect((await history.ask('note --list')).stdout).toMatch(/ lee +acme\/\S+\n {4}keys rotated\n/)
  })

  it('masks what looks secret, and shows nothing that controls a terminal', async () => {
    const { rows } = await history.rows([
      'note',
      'rotated to password=hunter2-kJ7dQ2mXv9tRz4Lw \u001b[2J\u202e',
      '--by',
      'ada',
      '--at',
      '1h',
      '--ref',
      'https://ci.example.com/?token=kJ7dQ2mXv9tRz4LwPq8s',
    ])
    expect(JSON.stringify(rows)).not.toMatch(/kJ7dQ2mXv9tRz4Lw/)
    expect(rows).toMatchObject([{ text: expect.stringContaining('sealed:masked') }])
    // An empty place in a script puts the next word there.
    const token = ['ghp', 'k8Xq2LpZ9vRt3Wn7q5BdM4xT6yHsAbCdEfGh'].join('_')
    expect(JSON.stringify(await history.rows(`note 'deploy 4.3' --by ${token}`))).not.toContain(token)
    const { stdout } = await history.ask('note --list')
    expect(stdout).not.toMatch(/[\u001b\u202e]/)
  })

  it.each([
    ['', 'expected what was done, or --list'],
    ['--list x', 'expected what was done, or --list'],
    [`--list --at ${then}`, 'expected what was done, or --list'],
    ["' '", 'the text of a note is empty'],
    ['x'.repeat(501), 'the text of a note has 501 characters: at most 500'],
    [`x --ref ${'y'.repeat(501)}`, 'the ref of a note has 501 characters'],
    ['x --at soon', 'not a time: "soon"'],
    ['x --at 999999d', 'not a time: "999999d"'],
    ['x --at 2026-11-21', 'not a time: "2026-11-21"'],
    ['x --at 9999-01-01T00:00:00Z', 'is in the future'],
    ['x --project acme/nothing', 'no project "acme/nothing" was scanned yet'],
    ['--list --project acme/nothing', '--project acme/nothing matches none of acme/'],
    ["x --by ' '", '--by is empty'],
  ])('refuses %j', async (line, message) => {
    const before = (await history.rows('note --list')).rows.length
    expect(await history.ask(`note ${line}`)).toEqual(refusal(message))
    expect((await history.rows('note --list')).rows).toHaveLength(before)
  })
})
