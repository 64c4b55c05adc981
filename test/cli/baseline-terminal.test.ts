import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { breakOne, openCliFixture } from './cli-fixture.ts'
import { command } from './run-in-process.ts'
import { typeKeys } from './type-keys.ts'

const hasPython = (() => {
  try {
    execFileSync('python3', ['-c', 'import pty'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()

describe.skipIf(!hasPython)('hookdrift baseline approve at a terminal', () => {
  it('shows what it ends, asks, and approves nothing unless the person says yes', async () => {
    await using cli = await openCliFixture({}, 'policy: ./policy.yaml\n')
    cli.directory.write('policy.yaml', 'extends: []\nrules: { drift/unexpected: {} }\n')
    const config = ['--config', cli.directory.file('hookdrift.yaml')]
    const baseline = (...args: string[]) =>
      command(['baseline', ...args, ...config], { cwd: cli.directory.path, env: cli.env })
    await cli.audit()
    await baseline('approve')
    breakOne(cli)
    await cli.audit()
    const approve = (keys: string, ...more: string[]) =>
      typeKeys(['baseline', 'approve', ...config, ...more], {
        cwd: cli.directory.path,
        env: cli.env,
        steps: keys === '' ? [] : [['Approve?', keys]],
      })
    const runs = async () =>
      JSON.parse((await baseline('show', '--format', 'json')).stdout).rows.map(({ run }: { run: number }) => run)

    // The suggested answer is no.
    for (const keys of ['\r', 'n', '\u0003']) {
      const { code, output, missed } = await approve(keys)
      expect([code, missed]).toEqual([2, null])
      expect(output).toContain('This ends 1 violation with the next run: 1 medium')
      expect(output).toContain('hookdrift: nothing was approved')
    }
    expect(await runs()).toEqual([1, 1])
    expect((await approve('y')).output).toContain('Approved the state of run 2')
    expect(await runs()).toEqual([2, 2])
    const unasked = await approve('', '--run', '1', '--yes')
    expect([unasked.code, unasked.output.includes('Approve?')]).toEqual([0, false])
  }, 120_000)
})
