import { beforeEach, describe, expect, it } from 'vitest'
import type { Acceptance, NewAcceptance } from '../../src/history/acceptances.ts'
import type { History } from '../../src/history/history.ts'
import { listAcceptances } from '../../src/history/sql/acceptances.ts'
import { readRunRecord } from '../../src/history/sql/read-run.ts'
import { openContractFixture, type Place } from './contract-fixture.ts'
import { at, aViolation, commit, orders, payments, walkAll } from './samples.ts'
import { opening, turning } from './violation-steps.ts'

function anAcceptance(other: Partial<NewAcceptance> = {}) {
  const { fingerprint, rule, kind, uid, path } = aViolation('a')
  const signed = { reason: 'it was meant', valueDigest: null, by: 'lee', at: at(1.7) }
  return { project: payments, fingerprint, rule, kind, uid, path, ...signed, ...other }
}

/** What every backend promises about violations that people accept. */
export function describeAcceptances(name: string, makePlace: () => Place): void {
  describe(`${name}: a history with acceptances`, () => {
    const fixture = openContractFixture(makePlace)
    let history: History
    beforeEach(() => {
      history = fixture.history
    })

    const { run } = fixture
    const withViolation = () => run(opening('a'))

    it('shows them in the runs during which they hold', async () => {
      await withViolation()
      await history.accept([anAcceptance()])
      const { severity, name, message } = aViolation('a')
      const { project: _, valueDigest: __, ...acceptance } = anAcceptance()
      const accepted = [{ ...acceptance, project: payments.name, severity, name, message }]
      expect((await run()).accepted).toEqual(accepted)
      const [first] = await listAcceptances(history)
      await history.revokeAcceptances([first?.id ?? 0], { by: 'ops', at: at(2.7) })
      expect((await run()).accepted).toEqual([])
      const past = await Promise.all([1, 2, 3].map(async (number) => (await readRunRecord(history, number))?.accepted))
      expect(past).toEqual([[], accepted, []])
    })

    it('shows them only where their project was scanned', async () => {
      await withViolation()
      await history.accept([anAcceptance()])
      expect((await run(undefined, [orders])).accepted).toEqual([])
      expect((await run()).accepted).toHaveLength(1)
    })

    it('ends them with the run that says why, and keeps what it ended', async () => {
      await withViolation()
      const [kept, another] = ['e', 'f'].map((digit) => anAcceptance({ fingerprint: digit.repeat(32) }))
      await history.accept([
        anAcceptance({ valueDigest: 'd'.repeat(64), osUser: 'ops' }),
        ...[kept, another].flatMap((one) => one ?? []),
      ])
      const draft = await fixture.begin()
      await walkAll(draft)
      const ofProject = async () => (await draft.acceptancesOf([payments, orders])).get(payments.name) ?? []
      const shown = (rows: readonly Acceptance[]) =>
        rows.map(({ id, valueDigest, osUser, ended }) => [id, valueDigest, osUser, ended?.by])
      const before = [1, 'd'.repeat(64), 'ops', undefined]
      expect(shown(await ofProject())).toEqual([
        before,
        [2, null, undefined, undefined],
        [3, null, undefined, undefined],
      ])
      await draft.endAcceptances(payments, new Map([[1, 'value_changed']]))
      await draft.endAcceptances(payments, new Map([[3, 'restored']]))
      expect(shown(await ofProject()).map(([id, , , ended]) => [id, ended])).toEqual([
        [1, 'value_changed'],
        [2, undefined],
        [3, 'restored'],
      ])
      // Not yet for others.
      expect((await listAcceptances(history)).map(({ ended }) => ended)).toEqual([undefined, undefined, undefined])
      const { accepted } = await commit(draft)
      expect(accepted.map(({ fingerprint }) => fingerprint)).toEqual(['e'.repeat(32)])
      const ended = { at: at(2) }
      const all = await listAcceptances(history)
      expect(all.map((one) => one.ended)).toEqual([
        { ...ended, by: 'value_changed' },
        undefined,
        { ...ended, by: 'restored' },
      ])
      // What is over cannot be revoked.
      await history.revokeAcceptances([1, 2], { by: 'ops', at: at(2.7), osUser: 'root' })
      expect((await listAcceptances(history)).map(({ revoked }) => revoked)).toEqual([
        undefined,
        { by: 'ops', at: at(2.7), osUser: 'root' },
        undefined,
      ])
    })

    it('ends nothing with a run that was given up, nor of a project that it dropped', async () => {
      await withViolation()
      await history.accept([anAcceptance()])
      const end = async () => {
        const draft = await fixture.begin()
        await walkAll(draft)
        await draft.endAcceptances(payments, new Map([[1, 'removed']]))
        return draft
      }
      await (await end()).abandon(at(2.5))
      const draft = await end()
      await draft.discard(payments)
      await commit(draft)
      expect((await listAcceptances(history)).map(({ ended }) => ended)).toEqual([undefined])
    })

    it('lists them with the name that the resource last had in a committed run, as long as that is known', async () => {
      await withViolation()
      const unknown = anAcceptance({ fingerprint: 'f'.repeat(32) })
      await history.accept([anAcceptance(), unknown])
      const names = async () => (await listAcceptances(history)).map(({ name, project }) => [name, project.name])
      const before = [
        [aViolation('a').name, payments.name],
        ['', payments.name],
      ]
      expect(before[0]?.[0]).not.toBe('')
      expect(await names()).toEqual(before)
      const draft = await fixture.begin()
      await walkAll(draft)
      await turning('a', { name: 'renamed' })(draft)
      expect(await names()).toEqual(before)
      await commit(draft)
      expect(await names()).toEqual([
        ['renamed', payments.name],
        ['', payments.name],
      ])
    })

    it('lists them with the name that their project has by now, for those who may know of that', async () => {
      await withViolation()
      await history.accept([anAcceptance()])
      const renamed = { ...payments, name: 'acme/renamed' }
      await run(undefined, [renamed, { ...orders, name: payments.name }])
      const namesFor = async (name: string) => {
        const scope = { has: (project: string) => project === name, mayHaveOf: () => false }
        return (await listAcceptances(history.within(scope))).map(({ project }) => project.name)
      }
      expect(await namesFor(payments.name)).toEqual([])
      expect(await namesFor(renamed.name)).toEqual([renamed.name])
    })

    it('shows them without severity and message when their violation is no longer known', async () => {
      await withViolation()
      await history.accept([anAcceptance({ fingerprint: 'f'.repeat(32) })])
      expect((await run()).accepted).toMatchObject([{ severity: null, name: '', message: '', by: 'lee' }])
    })
  })
}
