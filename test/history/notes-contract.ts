import { describe, expect, it } from 'vitest'
import type { NewNote } from '../../src/history/notes.ts'
import { keepNothing } from '../../src/history/retention.ts'
import { lastNote, listNotes, readNotesBetween } from '../../src/history/sql/notes.ts'
import { readRunRecord } from '../../src/history/sql/read-run.ts'
import { type MakePlace, openContractFixture } from './contract-fixture.ts'
import { request } from './move/copied.ts'
import { aChange, at, commit, orders, payments, walkAll } from './samples.ts'

const [paymentsName, ordersName] = [payments.name, orders.name]

function aNote(text: string, hour: number, other: Partial<NewNote> = {}) {
  return { text, happenedAt: at(hour), ref: null, projects: [], signed: { by: 'ada', at: at(9) }, ...other }
}

/** What every backend promises about what people note. */
export function describeNotes(name: string, makePlace: MakePlace): void {
  describe(`${name}: a history with notes`, () => {
    const fixture = openContractFixture(makePlace)

    const textsOf = (notes: readonly { readonly text: string }[]) => notes.map(({ text }) => text)
    const faults = async () => {
      const { checks } = await (await fixture.place.upkeep(fixture.machines.process(7))).verify(request)
      return checks.flatMap(({ ok, detail }) => (ok === false ? [detail] : []))
    }

    it('keeps them as they were written, in the order in which they were recorded', async () => {
      const { history } = fixture
      expect([await lastNote(history), await listNotes(history)]).toEqual([0, []])
      const signed = { by: 'ada', at: at(9), osUser: 'root' }
      const hostile = aNote('a"\'\\\u202e\n{"b":1}', 1, { ref: 'https://ci.example.com/1', signed })
      const row = await history.note({ ...hostile, projects: [paymentsName, 'acme/"odd"'] })
      expect(row).toEqual({
        id: 1,
        at: at(1),
        text: hostile.text,
        ref: hostile.ref,
        by: 'ada',
        projects: [paymentsName, 'acme/"odd"'],
        notedAt: at(9),
        osUser: 'root',
      })
      const second = await history.note(aNote('second', 0))
      expect(second).toMatchObject({ id: 2, projects: [], osUser: undefined })
      expect([await lastNote(history), await listNotes(history)]).toEqual([2, [row, second]])
      const { notedAt: _, osUser: __, ...plain } = row
      expect(await readNotesBetween(history, at(1), at(1))).toEqual([plain])
      expect(textsOf(await readNotesBetween(history, at(0), at(1)))).toEqual([hostile.text, 'second'])
      expect(await readNotesBetween(history, at(1.1), at(9))).toEqual([])
    })

    it('takes them while a run is being written, and links them with the run that is committed next', async () => {
      const draft = await fixture.begin()
      await walkAll(draft)
      await fixture.history.note(aNote('during the run', 1))
      await commit(draft)
      await fixture.history.note(aNote('after it', 2))
      expect(await faults()).toEqual([])
      await fixture.run()
      expect(await faults()).toEqual([])
      await fixture.place.inDatabase((db) => db.run("UPDATE hookdrift.recorded_note SET text = 'x' WHERE id = 1"))
      expect((await faults()).join()).toContain('not as run 1 committed it: notes')
    })

    it('names those of the time of its changes in the record of a run, also those that come later', async () => {
      await fixture.run()
      const between = { after: at(1), before: null }
      const record = await fixture.run(async (draft) => {
        await draft.stageChanges(payments, [aChange('a', { change: 'modified', between })])
      })
      expect(record.changes[0]?.between).toEqual({
        after: at(1),
        before: record.finished_at,
        after_run: 1,
        before_run: 2,
      })
      expect(record.notes).toEqual([])
      for (const hour of [0.9, 1, 2, 99]) await fixture.history.note(aNote(`at ${hour}`, hour))
      expect(textsOf((await readRunRecord(fixture.history, 2))?.notes ?? [])).toEqual(['at 2', 'at 1'])
      expect((await readRunRecord(fixture.history, 1))?.notes).toEqual([])
    })

    it('shows readers of some projects what is about these, and about all', async () => {
      await fixture.run(undefined, [orders, payments])
      await fixture.history.note(aNote('of all', 1))
      await fixture.history.note(aNote('of both', 1, { projects: [ordersName, paymentsName] }))
      await fixture.history.note(aNote('of the other', 1, { projects: [ordersName] }))
      const has = (project: string) => project === paymentsName
      const scoped = fixture.history.within({ has, mayHaveOf: () => true })
      const shown = [
        { text: 'of all', projects: [] },
        { text: 'of both', projects: [paymentsName] },
      ]
      expect(await listNotes(scoped)).toMatchObject(shown)
      expect(await readNotesBetween(scoped, at(0), at(2))).toMatchObject(shown.toReversed())
    })

    it('keeps them when runs are pruned, and shows them in a view', async () => {
      await fixture.run()
      await fixture.history.note(aNote('deploy', 1, { ref: 'https://ci.example.com/1', projects: [paymentsName] }))
      for (let run = 2; run <= 4; run++) await fixture.run()
      const upkeep = await fixture.place.upkeep(fixture.machines.process(7))
      const { plan } = await upkeep.prune({ keep: { ...keepNothing, last: 1 }, options: {}, toolVersion: '0.1.0' })
      expect(plan.find(({ number }) => number === 2)?.reasons).toEqual([])
      expect(textsOf(await listNotes(fixture.history))).toEqual(['deploy'])
      expect(await faults()).toEqual([])
      const rows = await fixture.place.inDatabase((db) => db.all('SELECT * FROM hookdrift.note'))
      expect(rows).toEqual([
        {
          id: 1,
          at: at(1),
          text: 'deploy',
          ref: 'https://ci.example.com/1',
          projects: JSON.stringify([paymentsName]),
          noted_at: at(9),
          noted_by: 'ada',
          noted_as: null,
        },
      ])
      await fixture.place.inDatabase((db) => db.run('DELETE FROM hookdrift.recorded_note'))
      expect((await faults()).join()).toContain('checkpoint')
    })
  })
}
