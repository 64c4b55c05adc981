import { describe, expect, it } from 'vitest'
import { readRunRecord } from '../../src/history/sql/read-run.ts'
import { openContractFixture, type Place } from './contract-fixture.ts'
import { aStart, at, aVersion, commit, latestRun, payments, walkAll } from './samples.ts'

/** What every backend promises of the lease: one run writes at a time. */
export function describeLease(name: string, makePlace: () => Place): void {
  describe(`${name}: the lease`, () => {
    const fixture = openContractFixture(makePlace)
    const { begin, stateOf, doEverything, aFirstRun } = fixture

    it('refuses a second run while the first one lives, and names its owner', async () => {
      await begin()
      await fixture.machines.pass(3)
      const refused = (await fixture.place.open(fixture.machines.process(200, 'beta'))).begin(aStart())
      await expect(refused).rejects.toMatchObject({
        exitCode: 5,
        message: expect.stringMatching(/process 100 on alpha, for 3 s \(since 2026-03-01T00:00:00.000Z\)/),
        advice: expect.stringContaining('a history of its own'),
      })
      await expect((await fixture.place.open(fixture.owner)).begin(aStart())).rejects.toThrow('another run writes to')
    })

    it('is free after a commit and after an abandonment', async () => {
      await commit(await begin())
      const other = await fixture.place.open(fixture.machines.process(200, 'beta'))
      await (await other.begin(aStart())).abandon(at(2))
      await expect(begin()).resolves.toMatchObject({ run: 3 })
      await other.close()
    })

    it('is renewed by the heartbeat for the whole run', async () => {
      const draft = await begin()
      for (let beat = 0; beat < 10; beat += 1) await fixture.machines.pass(5)
      const refused = (await fixture.place.open(fixture.machines.process(200, 'beta'))).begin(aStart())
      await expect(refused).rejects.toThrow('for 50 s')
      await expect(commit(draft)).resolves.toMatchObject({ number: 1 })
    })

    it('is taken over at once when its process is gone', async () => {
      await begin()
      fixture.owner.kill()
      const draft = await (await fixture.place.open(fixture.machines.process(101))).begin(aStart())
      expect([draft.run, draft.interrupted]).toEqual([2, [1]])
      await commit(draft)
    })

    it('is taken over from another machine only after its heartbeats were missed', async () => {
      await begin()
      fixture.owner.kill()
      const other = await fixture.place.open(fixture.machines.process(200, 'beta'))
      await fixture.machines.pass(fixture.place.expiryS - 1)
      await expect(other.begin(aStart())).rejects.toThrow('another run writes to')
      await fixture.machines.pass(1)
      const draft = await other.begin(aStart())
      expect(draft.interrupted).toEqual([1])
      await commit(draft)
      await other.close()
    })

    it('is taken over from another machine where its last heartbeat is by a clock that was ahead', async () => {
      await fixture.machines.pass(86_400)
      await begin()
      fixture.owner.kill()
      await fixture.machines.pass(-86_400)
      const other = await fixture.place.open(fixture.machines.process(200, 'beta'))
      const draft = await other.begin(aStart())
      expect(draft.interrupted).toEqual([1])
      await commit(draft)
      await other.close()
    })

    it('keeps a paused owner that wakes up from writing', async () => {
      const first = await aFirstRun()
      const paused = await begin()
      await doEverything(paused)
      fixture.owner.pause()
      await fixture.machines.pass(fixture.place.expiryS)
      const other = await fixture.place.open(fixture.machines.process(200, 'beta'))
      const taken = await other.begin(aStart(at(3)))
      const before = await stateOf(taken)
      // The paused one wakes in the middle of the other's run.
      await paused.stage(payments, [aVersion('late')])
      await expect(commit(paused)).rejects.toMatchObject({
        exitCode: 5,
        message: expect.stringContaining('run 2 no longer owns the lease'),
      })
      await paused.abandon(at(4))
      expect(await stateOf(taken)).toEqual(before)
      await walkAll(taken)
      const record = await commit(taken)
      expect(record.violations.map(({ uid, state }) => [uid, state])).toEqual([
        ['a', 'continuing'],
        ['b', 'continuing'],
      ])
      expect(await latestRun(fixture.history)).toBe(3)
      expect(await readRunRecord(fixture.history, 2)).toBeUndefined()
      expect(await readRunRecord(fixture.history, 1)).toEqual(first)
      await other.close()
    })
  })
}
