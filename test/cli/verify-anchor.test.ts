import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CliFixture, openCliFixture } from './cli-fixture.ts'
import { command } from './run-in-process.ts'

let cli: CliFixture
let anchors: string[]
const run = (line: string) => command(line, { cwd: cli.directory.path, env: {} })

async function verify(line: string) {
  const { code, stdout, stderr } = await run(`verify --format json --history ${line}`)
  if (stdout === '') return { code, stderr }
  const { ok, anchor, checks } = JSON.parse(stdout)
  const { id: _, ...found } = checks.find(({ id }: { id: string }) => id === 'anchor') ?? {}
  return { code, ok, anchor, found }
}

/** Three runs; the copy `cut.db` has the first two, and `other.db` is another history of the same service. */
beforeAll(async () => {
  cli = await openCliFixture()
  anchors = []
  for (const number of [1, 2, 3]) {
    await cli.audit()
    anchors.push((await verify('hookdrift.db')).anchor ?? '')
    if (number === 2) expect(await run('backup cut.db --history hookdrift.db')).toMatchObject({ code: 0 })
  }
  for (let number = 1; number <= 3; number++) await cli.audit('--history other.db')
})
afterAll(() => cli[Symbol.asyncDispose]())

describe('the anchor of a history', () => {
  it.each([
    ['a report of it', ''],
    ['a report of it by control', '--framework soc2'],
  ])('is its last run with the digest that %s has, and is printed', async (_, option) => {
    const { stdout } = await run(`report --history hookdrift.db --format json ${option}`)
    const report = JSON.parse(stdout)
    expect(anchors).toEqual([1, 2, 3].map((number) => expect.stringMatching(new RegExp(`^${number}:[0-9a-f]{64}$`))))
    expect(anchors[2]).toBe(`${report.run.number}:${report.digests.chain}`)
    expect((await run('verify --history hookdrift.db')).stdout).toContain(anchors[2])
  })

  it('is found again, also after later runs', async () => {
    for (const [index, anchor] of anchors.entries()) {
      expect(await verify(`hookdrift.db --anchor ${anchor}`)).toMatchObject({
        code: 0,
        ok: true,
        found: { ok: true, detail: `run ${index + 1} and all runs before it are those of the anchor` },
      })
    }
  })

  it('is not that of another history, which verifies by itself', async () => {
    expect(await verify('other.db')).toMatchObject({ code: 0, ok: true })
    expect(await verify(`other.db --anchor ${anchors[2] ?? ''}`)).toMatchObject({
      code: 4,
      ok: false,
      found: { ok: false, means: 'the history was replaced or rewritten' },
    })
    const { code, stdout } = await run(`verify --history other.db --anchor ${anchors[2] ?? ''}`)
    expect(code).toBe(4)
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
      'other.db is intact by itself, and is not the history of the anchor.',
    )
  })

  it('is missing where the last runs were cut off, and where its run was pruned', async () => {
    expect(await verify('cut.db')).toMatchObject({ code: 0, ok: true, anchor: anchors[1] })
    const missing = { code: 4, ok: false, found: { ok: false, detail: expect.stringContaining('no digest of run') } }
    expect(await verify(`cut.db --anchor ${anchors[2] ?? ''}`)).toMatchObject(missing)
    expect(await run('backup pruned.db --history hookdrift.db')).toMatchObject({ code: 0 })
    expect(await run('prune --history pruned.db --keep-last 1')).toMatchObject({ code: 0 })
    expect(await verify(`pruned.db --anchor ${anchors[1] ?? ''}`)).toMatchObject(missing)
    expect(await verify(`pruned.db --anchor ${anchors[2] ?? ''}`)).toMatchObject({ code: 0, ok: true })
  })

  it.each(['17', '0:00', `1:${'A'.repeat(64)}`, `1:${'a'.repeat(63)}`, `-1:${'a'.repeat(64)}`])(
    'is refused where it is none: %s',
    async (text) => {
      expect(await verify(`hookdrift.db --anchor=${text}`)).toEqual({
        code: 2,
        stderr: expect.stringContaining(`--anchor is "${text}", expected the number of a run`),
      })
    },
  )
})
