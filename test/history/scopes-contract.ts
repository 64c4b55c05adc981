import { describe, expect, it } from 'vitest'
import { readRunRecord } from '../../src/history/sql/read-run.ts'
import { explainViews } from '../../src/history/sqlite/views.ts'
import { historyTables } from '../../src/history/table-rows.ts'
import { openContractFixture, type Place } from './contract-fixture.ts'
import { aChange, aContext, aNotice, anApproval, at, aVersion, aViolation, orders, payments } from './samples.ts'

const documented = explainViews().map(({ view }) => view)

/** Tables that have no form for readers of some projects: messages are about whole runs, and the rest is for runs alone. */
const hidden = [
  ...['channel', 'notification', 'incident', 'unnotified_scan'],
  ...['reading', 'run_plan', 'task', 'service_gate', 'worker'],
]
/** These show some of their columns. */
const narrowed = new Set(['migration', 'lease', 'checkpoint'])

const allTables = {
  sqlite: "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%' ORDER BY name",
  postgres: `SELECT relname::text AS name FROM pg_class WHERE relkind IN ('r', 'v')
    AND relnamespace = 'hookdrift'::regnamespace ORDER BY relname`,
}

/** What every backend promises to readers of some projects. */
export function describeScopes(name: string, makePlace: () => Place): void {
  describe(`${name}: a history of some projects`, () => {
    const fixture = openContractFixture(makePlace)
    const own = [payments.name, 'acme/never-scanned']
    const ofPayments = () => fixture.history.within({ has: (project) => own.includes(project), mayHaveOf: () => false })
    const readAll = (table: string) =>
      ofPayments().ask((session) => session.all<Record<string, unknown>>(`SELECT * FROM hookdrift.${table}`))

    async function fill() {
      await fixture.run(
        async (draft) => {
          for (const project of [payments, orders]) {
            await draft.stage(project, [aVersion(`${project.uid} a`)])
            await draft.stageChanges(project, [aChange(`${project.uid} a`)])
            await draft.stageViolations(project, {
              confirmed: [],
              violations: [aViolation(`${project.uid} a`, {}, project)],
            })
            await draft.stageNotice(project, aNotice('endpoints', `about ${project.name}`))
          }
          const { projects, policy, ...context } = aContext()
          const exceptions = policy.exceptions.map((one) => ({ ...one, match: 'orders', projects: [orders.name] }))
          const terms = { rule: 'endpoint/*', owner: 'ada', expires: '2026-12-24', configured_at: null }
          const waivers = [payments, orders].map(({ name }) => ({ ...terms, reason: `of ${name}`, projects: [name] }))
          const times = { cron: '0 22 * * *', timezone: 'UTC', duration: '2h' }
          const windows = [[payments.name], [orders.name], null, ['acme/*']].map((projects) => {
            return { ...times, name: `of ${projects ?? 'all'}`, projects }
          })
          await draft.stageContext({
            ...context,
            scope: { ...context.scope, unscanned: [orders.name, 'acme/never-scanned'] },
            policy: { ...policy, exceptions: [...policy.exceptions, ...exceptions], waivers, windows },
            projects: [payments, orders].flatMap(({ name: project }) => projects.map((one) => ({ ...one, project }))),
          })
        },
        [payments, orders],
      )
      await fixture.history.approve([anApproval(payments, 1), anApproval(orders, 1)])
      const signed = { by: 'ada', at: at(2) }
      const projects = [payments.name, orders.name]
      await fixture.history.note({ text: 'of both', happenedAt: at(1), ref: null, projects, signed })
    }

    it('has every table and view of the schema by its name, or that one is named here as hidden', async () => {
      await fill()
      const names = await fixture.place.inDatabase((db) => db.column<string>(allTables[db.dialect]))
      expect(names).toEqual(expect.arrayContaining([...historyTables.map((table) => table.name), ...documented]))
      const shown: string[] = []
      for (const table of names) {
        const [rows, whole] = [
          await readAll(table).catch(() => undefined),
          await fixture.place.inDatabase((db) =>
            db.all<Record<string, unknown>>(`SELECT * FROM hookdrift.${table} LIMIT 1`),
          ),
        ]
        if (rows === undefined) continue
        shown.push(table)
        const [row] = rows
        if (row === undefined || narrowed.has(table)) continue
        expect([table, Object.keys(row).sort()]).toEqual([table, Object.keys(whole[0] ?? {}).sort()])
        expect([table, JSON.stringify(rows)]).toEqual([table, expect.not.stringMatching(/orders/i)])
      }
      expect(names.filter((table) => !shown.includes(table) && !hidden.includes(table))).toEqual([])
      expect(hidden.filter((table) => shown.includes(table))).toEqual([])
      for (const table of ['version', 'change', 'violation', 'notice', 'approval', 'recorded_note', 'evaluation'])
        expect([table, (await readAll(table)).length]).toEqual([table, 1])
      const record = await readRunRecord(ofPayments(), 1)
      expect(record?.policy.exceptions).toMatchObject([{ setting: 'off', match: null, projects: null }])
      expect(record?.policy.waivers).toMatchObject([{ reason: `of ${payments.name}`, projects: null }])
      expect(record?.policy.windows).toMatchObject(
        [`of ${payments.name}`, 'of all', 'of acme/*'].map((name) => ({ name, projects: null })),
      )
      expect(record?.scope.unscanned).toEqual(['acme/never-scanned'])
    })

    it('follows a project that gets another name', async () => {
      await fill()
      const scoped = ofPayments()
      const projects = () => scoped.ask((session) => session.column('SELECT uid FROM hookdrift.project'))
      expect(await projects()).toEqual([payments.uid])
      await fixture.run(undefined, [
        { ...payments, name: 'acme/renamed' },
        { ...orders, name: payments.name },
      ])
      expect(await projects()).toEqual([orders.uid])
    })

    it('is not written to', async () => {
      await fill()
      for (const table of ['recorded_note', 'run', 'channel'])
        await expect(ofPayments().ask((session) => session.run(`DELETE FROM hookdrift.${table}`))).rejects.toThrow()
      expect(await readAll('recorded_note')).toHaveLength(1)
    })
  })
}
