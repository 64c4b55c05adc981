import { describe, expect, it } from 'vitest'
import { openLog } from '../../src/app/log.ts'
import { maintain, spaceWarning } from '../../src/app/perform-audit.ts'
import type { ProcessContext } from '../../src/app/process-context.ts'
import { generateFleet } from '../../src/demo/generate-fleet.ts'
import { startSimulatedService } from '../../src/demo/simulated-service.ts'
import { command } from '../cli/run-in-process.ts'
import { configurationFor, openDirectory } from '../cli/start-process.ts'
import { configure, withService } from '../config/config-fixture.ts'
import { closedPort } from '../service/front-ends.ts'

const mebibyte = 1024 * 1024

describe('the warning about disk space', () => {
  it.each([
    { size: 10 * mebibyte, free: 64 * mebibyte, warns: false },
    { size: 10 * mebibyte, free: 63 * mebibyte, warns: true },
    { size: 300 * mebibyte, free: 300 * mebibyte, warns: false },
    { size: 300 * mebibyte, free: 299 * mebibyte, warns: true },
  ])('with $free bytes free and a history of $size: $warns', ({ size, free, warns }) => {
    expect(spaceWarning({ displayName: 'h.db', size, free }) !== undefined).toBe(warns)
  })

  it('gives the figures and says what to do', () => {
    expect(spaceWarning({ displayName: '/data/h.db', size: 310_000_000, free: 41_000_000 })).toBe(
      'only 41 MB are free on the disk of the history /data/h.db, which takes 310 MB: make room, or prune the history (`hookdrift docs keep-the-history`)',
    )
  })
})

it('does not fail a committed run whose server is lost afterwards', async () => {
  const url = `postgres://127.0.0.1:${await closedPort()}/audits`
  const configuration = configure(withService({}, { history: url, retention: { keep_last: 1 } }))
  const warnings: string[] = []
  const terminal = { env: {}, stderr: { write: (text: string) => warnings.push(text) } } as unknown as ProcessContext // What it uses here.
  await maintain(configuration, terminal, openLog(terminal))
  expect(warnings.join('')).toContain('old runs were not pruned')
})

it('retention runs once a day after a run, and the pruned history verifies', async () => {
  using directory = openDirectory()
  const fleet = generateFleet({ projects: 1, incomingEvery: 0, endpointsPerProject: 3, clean: true })
  await using service = await startSimulatedService(fleet)
  // A release without published faults.
  service.behaviour.release = 'later'
  const here = { cwd: directory.path, env: { ACME_KEY: fleet.personalKey } }
  const config = directory.write('hookdrift.yaml', configurationFor(service.url, fleet))
  const audit = () => command(['audit', '--quiet', '--config', config], here)
  const verdictAlone = expect.stringMatching(/^hookdrift: Passed: [^\n]*\n$/)
  for (const _ of [1, 2, 3]) expect((await audit()).stderr).toEqual(verdictAlone)
  directory.write('hookdrift.yaml', configurationFor(service.url, fleet, 'retention: { keep_last: 1 }\n'))
  expect((await audit()).stderr).toEqual(verdictAlone)
  const numbers = async () => {
    const { stdout } = await command(
      ['prune', '--keep-last', '9', '--dry-run', '--format', 'json', '--config', config],
      here,
    )
    return JSON.parse(stdout).rows.map(({ number }: { number: number }) => number)
  }
  const after = await numbers()
  expect(after).toEqual([...after.filter((run: number) => run === 1), 4])
  await audit()
  expect(await numbers()).toEqual([...after, 5])
  const verified = await command(['verify', '--deep', '--config', config], here)
  expect(verified).toMatchObject({ code: 0, stderr: '' })
  const backedUp = await command(['backup', 'copy.db', '--config', config], here)
  expect(backedUp).toMatchObject({ code: 0, stdout: expect.stringContaining('runs up to 5') })
  expect((await command(['verify', '--history', 'copy.db', '--format', 'json'], here)).stdout).toContain('"ok": true')
})

describe('commands on a missing or foreign history', () => {
  it.each([
    [['prune', '--keep-last', 'x'], 2, 'Expected a number or "unlimited"'],
    [['prune', '--keep-within', '3q'], 2, 'Expected years, months, days and hours'],
    [['prune', '--history', 'none.db', '--keep-last', '1'], 4, 'there is no history at'],
    [['verify', '--history', 'none.db'], 4, 'there is no history at'],
    [['backup', 'copy.db', '--history', 'none.db'], 4, 'there is no history at'],
    [['backup'], 2, "missing required argument 'file'"],
  ])('fail with a message: %j', async (args, code, text) => {
    using directory = openDirectory()
    const said = await command(args, { cwd: directory.path })
    expect(said.code).toBe(code)
    expect(said.stderr).toContain(text)
  })

  it('refuse a file that is not a history', async () => {
    using directory = openDirectory()
    directory.write('text.db', 'services:\n  - name: acme\n'.repeat(100))
    for (const args of [['verify'], ['backup', 'copy.db'], ['prune', '--keep-last', '1']]) {
      const said = await command([...args, '--history', 'text.db'], { cwd: directory.path })
      expect(said).toMatchObject({
        code: 4,
        stdout: '',
        stderr: expect.stringContaining('text.db is not a hookdrift history'),
      })
    }
  })
})
