import { afterAll, describe, expect, it } from 'vitest'
import { openEventfulSite } from './eventful-site.ts'
import { withWholeCommands } from './shell-words.ts'

describe('the pages of a past run', async () => {
  const site = await openEventfulSite()
  const [{ fingerprint: accepted, name }] = (await site.json('accept', '--list')).rows
  afterAll(async () => {
    expect(site.faults).toEqual([])
    await site[Symbol.asyncDispose]()
  })

  const read = (path: string) => site.read(path)

  it('know no approval that came after it, and say where the command does', async () => {
    const first = await read('/baselines?run=1')
    expect(first).toContain('No state was approved by the end of this run.')
    expect(withWholeCommands(first)).toContain('hookdrift baseline show --all</code>')
    expect(first).toContain('It lists later approvals too.')
    const second = await read('/baselines?run=2')
    expect(second).toContain('What differs in run 2 <span class="count">')
    expect(withWholeCommands(second)).toContain('hookdrift baseline diff --run 2</code>')
    expect(await read('/baselines')).toContain('What differs in the last run <span class="count">')
  })

  it('know no acceptance and no revocation that came after it', async () => {
    for (const [run, isAccepted, isRevoked] of [
      ['?run=2', false, false],
      ['?run=4', true, false],
      ['', true, true],
    ] as const) {
      const violation = await read(`/violations/${accepted}${run}`)
      expect([run, violation.includes('Accepted by kim'), violation.includes('Revoked by lee')]).toEqual([
        run,
        isAccepted,
        isRevoked,
      ])
      const waivers = await read(`/waivers${run}`)
      expect([run, waivers.includes(`>${name}</a> <code>`)]).toEqual([run, isAccepted])
      expect([run, waivers.includes('Accepted by kim'), waivers.includes('id="ended"')]).toEqual([
        run,
        isAccepted,
        isRevoked,
      ])
    }
  })

  it('count the runs by then', async () => {
    expect(await read('/runs?run=1')).toContain('<p>1 of 1 run</p>')
    expect(await read('/runs?run=2')).toContain('<p>2 of 2 runs</p>')
    expect(await read('/runs')).toContain('<p>4 of 4 runs</p>')
  })

  it('offer no action of today', async () => {
    const [open] = (await site.json('violations', '--run', '1', '--open')).rows
    const page = await read(`/violations/${open.fingerprint}?run=1`)
    expect(withWholeCommands(page)).toContain(
      `hookdrift timeline ${open.uid} --project ${open.project} --kind endpoint --run 1`,
    )
    expect(page).not.toContain('hookdrift accept')
  })
})
