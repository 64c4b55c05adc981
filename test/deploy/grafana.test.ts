import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { grafanaFiles } from '../../scripts/reference/grafana.ts'
import { changeEndpoint } from '../../src/demo/edits.ts'
import type { EndpointRow } from '../../src/demo/rows.ts'
import { at, openFleetFixture } from '../audit/fleet-fixture.ts'
import { checkout, textOf } from './build-image.ts'

const folder = join(checkout, 'deploy/grafana')
const read = (name: string) => readFileSync(join(folder, name), 'utf8')
const dashboard = JSON.parse(read('dashboards/hookdrift.json'))
const { datasources } = parse(read('provisioning/datasources/hookdrift.yaml'))

describe('the files for Grafana', () => {
  it.each(Object.entries(grafanaFiles))('%s is current (`npm run reference` rewrites it)', (name, file) => {
    if (process.env.UPDATE_PAGES !== undefined) writeFileSync(join(folder, name), file())
    else expect(read(name)).toBe(file())
  })

  it('have a Grafana rule for each Prometheus rule, with the same expression, patience and labels', () => {
    const inPrometheus = parse(textOf('docs/monitoring/alerts.yaml')).groups
    const inGrafana = parse(read('provisioning/alerting/hookdrift.yaml')).groups
    const essence = (rules: readonly Record<string, unknown>[], name: string, expression: (rule: never) => unknown) =>
      rules.map((rule) => [rule[name], expression(rule as never), rule.for ?? '0s', rule.labels])
    expect(
      essence(inGrafana[0].rules, 'title', ({ data }: { data: { model: { expr: string } }[] }) => data[0]?.model.expr),
    ).toEqual(essence(inPrometheus[0].rules, 'alert', ({ expr }) => expr))
    expect([inGrafana.length, inPrometheus.length]).toEqual([1, 1])
  })

  it('have rules with ids that Grafana takes, and values that it fills in', () => {
    const [{ rules }] = parse(read('provisioning/alerting/hookdrift.yaml')).groups
    const ids: readonly string[] = rules.map(({ uid }: { uid: string }) => uid)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.filter((uid) => !/^[\w-]{1,40}$/.test(uid))).toEqual([])
    for (const { condition, data, annotations } of rules) {
      expect(data.map(({ refId }: { refId: string }) => refId)).toContain(condition)
      expect(JSON.stringify(annotations)).not.toMatch(/\$value\b/)
    }
  })

  it('say of every panel what it shows, in a sentence', () => {
    const panels: readonly { title: string; description?: string }[] = dashboard.panels
    expect(panels.length).toBeGreaterThan(10)
    expect(panels.filter(({ description = '' }) => !/^[A-Z].+\.$/.test(description)).map(({ title }) => title)).toEqual(
      [],
    )
  })

  it('name only data sources that are provisioned', () => {
    const known = [...datasources.map(({ uid }: { uid: string }) => uid), '__expr__', `\${datasource}`]
    const used = `${read('provisioning/alerting/hookdrift.yaml')}${read('dashboards/hookdrift.json')}`.matchAll(
      /(?:datasourceUid: |"uid": ")([\w${}-]+)/g,
    )
    expect([...used].map(([, uid]) => uid).filter((uid) => uid !== dashboard.uid && !known.includes(uid))).toEqual([])
  })
})

/** As the plugin fills it in. */
const filled = (sql: string, from: number, to: number) =>
  sql.replaceAll('$__from', String(from)).replaceAll('$__to', String(to))

describe('the queries of the dashboard', () => {
  const queryOf = (title: string) =>
    dashboard.panels.find((panel: { title: string }) => panel.title === title).targets[0].queryText
  const annotation = dashboard.annotations.list.find(({ name }: { name: string }) => name === 'Drift').target.queryText

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
