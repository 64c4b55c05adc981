import { describe, expect, it } from 'vitest'
import type { NewAcceptance } from '../../src/history/acceptances.ts'
import { openContractFixture, type Place } from './contract-fixture.ts'
import { at, aViolation, orders, payments } from './samples.ts'

function anAcceptance(other: Partial<NewAcceptance> = {}): NewAcceptance {
  const { fingerprint, rule, kind, uid, path } = aViolation('a')
  const signed = { reason: 'it was meant', by: 'lee', at: at(1.7) }
  return { project: payments, fingerprint, rule, kind, uid, path, ...signed, ...other }
}

/** What every backend promises about violations that people accept. */
export function describeAcceptances(name: string, makePlace: () => Place): void {
  describe(`${name}: a history with acceptances`, () => {
    const fixture = openContractFixture(makePlace)

    const { run } = fixture
    const withViolation = () =>
      run((draft) => draft.stageViolations(payments, { confirmed: [], violations: [aViolation('a')] }))

    it('shows them in the runs during which they hold', async () => {
      await withViolation()
      await fixture.history.accept([anAcceptance()])
      const { severity, name, message } = aViolation('a')
      const { project: _, ...acceptance } = anAcceptance()
      const accepted = [{ ...acceptance, project: payments.name, severity, name, message }]
      expect((await run()).accepted).toEqual(accepted)
      const [first] = await fixture.history.acceptances()
      await fixture.history.revokeAcceptances([first?.id ?? 0], { by: 'ops', at: at(2.7) })
      expect((await run()).accepted).toEqual([])
      const past = await Promise.all([1, 2, 3].map(async (number) => (await fixture.history.readRun(number))?.accepted))
      expect(past).toEqual([[], accepted, []])
    })

    it('shows them only where their project was scanned', async () => {
      await withViolation()
      await fixture.history.accept([anAcceptance()])
      expect((await run(undefined, [orders])).accepted).toEqual([])
      expect((await run()).accepted).toHaveLength(1)
    })

    it('shows them without severity and message when their violation is no longer known', async () => {
      await withViolation()
      await fixture.history.accept([anAcceptance({ fingerprint: 'f'.repeat(32) })])
      expect((await run()).accepted).toMatchObject([{ severity: null, name: '', message: '', by: 'lee' }])
    })
  })
}
