import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { demoAddress, serveDemo } from '../../src/app/serve-demo.ts'
import { afternoonOf } from '../../src/demo/colleague.ts'
import { generateFleet } from '../../src/demo/generate-fleet.ts'
import { command } from './run-in-process.ts'
import { openDirectory, startHookdrift } from './start-process.ts'

const sizes = { endpointsPerProject: 12, sourcesPerProject: 4 }

describe('hookdrift demo --serve', () => {
  it('serves a fleet to this machine, prints its configuration and key, and ends with the signal', async () => {
    using directory = openDirectory()
    const running = startHookdrift(['demo', '--serve', '0', '--keep', 'try'], { cwd: directory.path })
    let stdout = ''
    running.child.stdout?.on('data', (text: string) => {
      stdout += text
    })
    while (!stdout.includes('partner-intake'))
      await new Promise((resolve) => running.child.stdout?.once('data', resolve))
    const fleet = generateFleet(sizes)
    const cwd = directory.file('try')
    expect(readFileSync(directory.file('try/hookdrift.yaml'), 'utf8')).toBe(stdout)
    expect(stdout).toMatch(/^ {4}url: http:\/\/127\.0\.0\.1:\d+$/m)
    const env = { DEMO_KEY: fleet.personalKey }
    const config = directory.file('try/hookdrift.yaml')
    const { code, stdout: report } = await command(['audit', '--config', config], { cwd, env })
    expect({ code, report }).toEqual({ code: 1, report: expect.stringMatching(/^Scanned 3 projects completely/) })
    running.child.kill('SIGTERM')
    const ended = await running.ended
    expect(ended.code).toBe(143)
    expect(ended.stderr).toContain(`  export DEMO_KEY=${fleet.personalKey}\n`)
  })

  it('makes one change a minute, until all are made', async () => {
    const fleet = generateFleet(sizes)
    const planned = afternoonOf(generateFleet(sizes)).map(
      ({ description, project }) => `A colleague ${description} (${project}).`,
    )
    const revisions = () => fleet.projects().reduce((sum, { uid }) => sum + fleet.revision(uid), 0)
    const messages: string[] = []
    const waits: number[] = []
    const stop = new AbortController()
    let before = -1
    const clock = {
      now: () => 0,
      async sleep(ms: number) {
        waits.push(ms)
        if (waits.length <= planned.length) {
          expect(revisions()).toBeGreaterThan(before)
          before = revisions()
        }
        if (waits.length > planned.length + 3) {
          stop.abort()
          throw new Error('stopped')
        }
      },
    }
    const print = (text: string) => messages.push(text)
    const order = { address: demoAddress('0'), fleet, changes: true, clock, ready: () => {}, print }
    await serveDemo(order, stop.signal)
    expect(messages.slice(2)).toEqual([...planned, 'All edits are made: nothing changes from here on.'])
    expect(new Set(waits)).toEqual(new Set([60_000]))
  })

  it('makes no change on request', async () => {
    const fleet = generateFleet({ seed: 'calm', endpointsPerProject: 12, sourcesPerProject: 4 })
    const revisions = () => JSON.stringify(fleet.projects().map(({ uid }) => fleet.open(uid)))
    const [before, stop] = [revisions(), new AbortController()]
    const said: string[] = []
    const clock = { now: () => 0, sleep: async () => stop.abort() }
    const print = (text: string) => said.push(text)
    await serveDemo(
      { address: demoAddress('0'), fleet, changes: false, clock, ready: () => {}, print },
      stop.signal,
    ).catch(() => {})
    expect([said.length, revisions()]).toEqual([2, before])
  })

  it.each(['nonsense', '1:2:3', '99999', '0.0.0.0'])('refuses the address %j and leaves no file', async (address) => {
    using directory = openDirectory()
    const { code, stderr } = await command(['demo', '--serve', address, '--keep', 'try'], { cwd: directory.path })
    expect(code).toBe(2)
    expect(stderr).toContain(`--serve ${address}: expected a port, or an address and a port`)
    expect(readdirSync(directory.path)).toEqual([])
  })

  it('reports an address that is in use', async () => {
    using directory = openDirectory()
    const { code, stderr } = await command(['demo', '--serve', '192.0.2.1:80'], { cwd: directory.path })
    expect(code).toBe(4)
    expect(stderr).toMatch(/^hookdrift: cannot listen on 192\.0\.2\.1:80: /)
  })
})
