import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { changeEndpoint } from '../../src/demo/edits.ts'
import type { EndpointRow } from '../../src/demo/rows.ts'
import { at, openFleetFixture } from '../audit/fleet-fixture.ts'
import { textOf } from './build-image.ts'
import { dashboard, dashboardFile, panels, rows } from './read-dashboard.ts'

const provisioned = (name: string) => textOf(`deploy/grafana/provisioning/${name}/hookdrift.yaml`)
const alerting = provisioned('alerting')
const datasources: readonly { uid: string; type: string }[] = parse(provisioned('datasources')).datasources

const historyType = 'frser-sqlite-datasource'

describe('the files for Grafana', () => {
  it('have a Grafana rule for each Prometheus rule, with the same expression, patience and labels', () => {
    const inPrometheus = parse(textOf('deploy/prometheus/alerts.yaml')).groups
    const inGrafana = parse(alerting).groups
    const essence = (rules: readonly Record<string, unknown>[], name: string, expression: (rule: never) => unknown) =>
      rules.map((rule) => [rule[name], expression(rule as never), rule.for ?? '0s', rule.labels])
    expect(
      essence(inGrafana[0].rules, 'title', ({ data }: { data: { model: { expr: string } }[] }) => data[0]?.model.expr),
    ).toEqual(essence(inPrometheus[0].rules, 'alert', ({ expr }) => expr))
    expect([inGrafana.length, inPrometheus.length]).toEqual([1, 1])
  })

  it('have rules with ids that Grafana takes, and values that it fills in', () => {
    const [{ rules }] = parse(alerting).groups
    const ids: readonly string[] = rules.map(({ uid }: { uid: string }) => uid)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.filter((uid) => !/^[\w-]{1,40}$/.test(uid))).toEqual([])
    for (const { condition, data, annotations } of rules) {
      expect(data.map(({ refId }: { refId: string }) => refId)).toContain(condition)
      expect(JSON.stringify(annotations)).not.toMatch(/\$value\b/)
    }
  })

  it('say of every panel what it shows, in a sentence', () => {
    expect(panels.length).toBeGreaterThan(10)
    expect(panels.filter(({ description = '' }) => !/^[A-Z].+\.$/.test(description)).map(({ title }) => title)).toEqual(
      [],
    )
  })

  it('name only data sources that are provisioned', () => {
    const known = datasources.map(({ uid }) => uid)
    const used = [...alerting.matchAll(/datasourceUid: ([\w-]+)/g)].map(([, uid = '']) => uid)
    expect(used.length).toBeGreaterThan(5)
    expect(used.filter((uid) => uid !== '__expr__' && !known.includes(uid))).toEqual([])
  })

  it('let people choose the data sources of the dashboard, among those of the types that are provisioned', () => {
    const choices: readonly { name: string; type: string; query: string; current: { value?: string } }[] =
      dashboard.templating.list
    expect(choices.map(({ type }) => type)).toEqual(['datasource', 'datasource'])
    const types = choices.map(({ query }) => query)
    expect(types).toEqual(datasources.map(({ type }) => type))
    for (const { query, current } of choices)
      if (current.value !== undefined)
        expect(datasources).toContainEqual(expect.objectContaining({ type: query, uid: current.value }))
    const used: unknown[] = []
    JSON.parse(textOf(dashboardFile), (key, value) => {
      if (key === 'datasource') used.push(value)
      return value
    })
    expect(used.length).toBeGreaterThan(30)
    const allowed = choices.map(({ name, query }) => ({ type: query, uid: `\${${name}}` }))
    for (const source of used) expect(allowed).toContainEqual(source)
  })

  it('ask the history only where people open it, in a row that says what it needs', () => {
    const ofHistory = panels.filter(({ datasource }) => datasource?.type === historyType)
    expect(ofHistory.map(({ title }) => title)).toEqual(['What changed', 'Open violations by resource'])
    expect(rows).toMatchObject([{ collapsed: true, title: expect.stringContaining(historyType), panels: ofHistory }])
    const notes: readonly { name: string; enable: boolean; datasource: { type: string } }[] = dashboard.annotations.list
    expect(notes.filter(({ datasource }) => datasource.type === historyType)).toMatchObject([
      { name: 'Drift (needs the history)', enable: false },
    ])
  })
})

/** As the plugin fills it in. */
const filled = (sql: string, from: number, to: number) =>
  sql.replaceAll('$__from', String(from)).replaceAll('$__to', String(to))

describe('the queries of the dashboard', () => {
  const queryOf = (title: string) => panels.find((panel) => panel.title === title)?.targets?.[0]?.queryText ?? ''
  const annotation = dashboard.annotations.list.find(({ name }: { name: string }) => name.startsWith('Drift')).target
    .queryText

  it('show the drift and the violations of a history', async () => {
    await using fixture = await openFleetFixture({ fleet: { endpointsPerProject: 4 } })
    await fixture.audit()
    const project = fixture.uidOf('payments')
    const change = (index: number, changes: Partial<EndpointRow>) => {
      const { uid } = at(fixture.dataOf('payments').endpoints, index)
      changeEndpoint(fixture.fleet, { project, uid }, (row) => ({ ...row, ...changes }))
    }
    change(0, { url: 'http://changed.example.com/in' })
    change(1, { name: 'renamed' })
    const { drift, violations, run } = await fixture.audit()
    const time = Math.floor(Date.parse(run.started_at) / 1000)
    const shown = (sql: string, from = 0, to = 4e12) => fixture.query(filled(sql, from, to))

    expect(shown(annotation)).toEqual([{ time, text: 'Run 2 of acme: 2 modified', tags: 'drift' }])
    expect(shown(annotation, 0, (time - 1) * 1000)).toEqual([])
    expect(shown(annotation, (time + 1) * 1000)).toEqual([])
    const changes = shown(queryOf('What changed'))
    expect(changes.map(({ uid }) => uid).sort()).toEqual(drift.map(({ uid }) => uid).sort())
    expect(changes).toContainEqual(expect.objectContaining({ time, change: 'modified', fields: '/url' }))
    const open = violations.filter(({ state }) => state === 'opened' || state === 'continuing')
    expect(open.length).toBeGreaterThan(0)
    expect(
      shown(queryOf('Open violations by resource'))
        .map(({ rule }) => rule)
        .sort(),
    ).toEqual(open.map(({ rule }) => rule).sort())
  })

  it('are the same in the editor and in the plugin', () => {
    const targets = JSON.stringify(dashboard).matchAll(
      /"queryText":("(?:[^"\\]|\\.)*"),"rawQueryText":("(?:[^"\\]|\\.)*")/g,
    )
    const pairs = [...targets].map(([, run, edited]) => [run, edited])
    expect(pairs).toHaveLength(3)
    for (const [run, edited] of pairs) expect(edited).toBe(run)
  })
})
