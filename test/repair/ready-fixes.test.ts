import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { changeData, updateProject } from '../../src/demo/edits.ts'
import type { ProjectData } from '../../src/demo/rows.ts'
import { type Json, type JsonObject, withValueAt } from '../../src/model/json.ts'
import { nearestWithin } from '../../src/questions/ready-changes.ts'
import { rules } from '../../src/rules/rules.ts'
import { policyOf } from '../audit/audit-harness.ts'
import { at } from '../audit/fleet-fixture.ts'
import { type HistoryFixture, openHistoryFixture } from '../questions/history-fixture.ts'
import { type Break, endpointBreaks, projectBreaks, sourceBreaks, subscriptionBreaks } from '../rules/broken-rows.ts'
import { richEndpoint, richProject, richSource, richSubscription } from './rich-rows.ts'
import { sendTo, valuesFrom } from './send-rows.ts'

/** No option is at its default. */
const options = {
  'endpoint/timeout-high': 'max_seconds: 45.5',
  'endpoint/timeout-low': 'min_seconds: 4.2',
}
const optionsOf = (rule: string) => Object.entries(options).find(([id]) => id === rule)?.[1] ?? ''

/** What each rule asks for under these options. A rule with a fix that is not here fails. */
const expected: Readonly<Record<string, Json>> = {
  'endpoint/form-encoded': 'application/json',
  'endpoint/inactive': 'active',
  'endpoint/paused-long': 'active',
  'endpoint/signature-simple': true,
  'endpoint/timeout-high': 45,
  'endpoint/timeout-low': 5,
  'project/dynamic-urls-unmatched': false,
  'project/tls-not-enforced': true,
  'subscription/at-most-once': 'at_least_once',
}

const fixable = rules.flatMap(({ id, fix }) => (fix === undefined ? [] : [id]))
const yaml = `extends: []\nrules:\n${fixable.map((rule) => `  ${rule}: { ${optionsOf(rule)} }\n`).join('')}`
const policy = policyOf(yaml)
const hourMs = 3_600_000

let history: HistoryFixture
let project: string
let policyFile: string
/** The uid of what breaks each rule. */
const broken = new Map<string, string>()

/** Breaks a row for each of these rules. */
function breakRows<Row extends { readonly uid: string }>(
  rows: readonly Row[],
  breaks: Readonly<Record<string, Break<Row>>>,
  rich: Partial<Row>,
): readonly Row[] {
  const wanted = Object.entries(breaks).filter(([rule]) => fixable.includes(rule))
  return rows.map((row, index) => {
    const [rule, change] = wanted[index] ?? []
    if (rule === undefined || change === undefined) return { ...row, ...rich }
    broken.set(rule, row.uid)
    return change.row({ ...row, ...rich }, row)
  })
}

beforeAll(async () => {
  const sizes = { endpointsPerProject: 10, subscriptionsPerProject: 10, sourcesPerProject: 3 }
  history = await openHistoryFixture({ fleet: { incomingEvery: 0, ...sizes }, service: { release: 'later' } })
  policyFile = history.write('bounds.yaml', yaml)
  const { fleet } = history.fixture
  const { uid, config } = at(fleet.projects(), 0)
  project = uid
  changeData(fleet, project, (data): ProjectData => {
    return {
      endpoints: breakRows(data.endpoints, endpointBreaks, richEndpoint),
      subscriptions: breakRows(data.subscriptions, subscriptionBreaks, richSubscription),
      sources: breakRows(data.sources, sourceBreaks, richSource),
    }
  })
  updateProject(fleet, project, richProject)
  // A URL template, without which the setting decides nothing.
  broken.set('project/dynamic-urls-unmatched', project)
  updateProject(fleet, project, { allow_unmatched_dynamic_urls: true })
  changeData(fleet, project, (data) => ({
    ...data,
    endpoints: data.endpoints.map((row, index) =>
      index > 0 ? row : { ...row, url: 'https://{tenant}.example.com/x' },
    ),
  }))
  for (const [rule, change] of Object.entries(projectBreaks).filter(([id]) => fixable.includes(id))) {
    broken.set(rule, project)
    updateProject(fleet, project, change(config))
  }
  await audit()
  history.fixture.harness.advance(24 * hourMs)
  await audit()
})
afterAll(() => history[Symbol.asyncDispose]())

const audit = () => history.fixture.audit({ policy })

/** As the service's tables hold it. */
function rowOf(uid: string): JsonObject {
  const { fleet } = history.fixture
  const { endpoints, subscriptions, sources } = fleet.open(project)
  const found = [fleet.project(project), ...endpoints, ...subscriptions, ...sources].find((row) => row?.uid === uid)
  const { updated_at: _, ...row } = JSON.parse(JSON.stringify(found))
  return row
}

const restore = (...args: string[]) => history.rows(['restore', ...args, '--policy', policyFile])

describe('a ready fix', () => {
  it.each(fixable)('of %s ends its violation, and changes nothing else', async (id) => {
    const rule = rules.find((each) => each.id === id)
    const fix = rule?.fix
    const uid = broken.get(id)
    if (rule === undefined || fix === undefined || uid === undefined) throw new Error(`nothing breaks ${id}`)
    if ('bound' in fix) expect(Object.keys(rule.options.shape)).toContain(fix.option)
    const before = rowOf(uid)
    const answer = await restore(uid, '--rule', id)
    expect(answer.fixes).toMatchObject([{ rule: id, path: fix.path, to: expected[id] }])
    expect(answer).toMatchObject({ state: null, left_to_you: [] })
    expect(JSON.stringify(answer)).not.toMatch(/sealed:|not-a-real-key/)
    expect(await sendTo(history.fixture, answer.rows, valuesFrom(answer.rows, before))).toEqual(
      answer.rows.map(() => 202),
    )
    expect(rowOf(uid)).toEqual(withValueAt(before, fix.path, expected[id] ?? null))

    const { violations, drift } = await audit()
    const ended = violations.filter(({ state }) => state === 'resolved')
    expect(ended.map((each) => `${each.rule} ${each.uid} ${each.resolution}`)).toEqual([`${id} ${uid} fixed`])
    expect(violations.filter(({ state }) => state === 'opened')).toEqual([])
    expect(drift.map(({ fields }) => fields.map(({ path }) => path))).toEqual([[fix.path]])
  })

  it('is the nearest whole number within a bound, and none where that is 0', () => {
    expect([nearestWithin('most', 7.5), nearestWithin('least', 7.5), nearestWithin('most', 0.5)]).toEqual([
      ...[7, 8, undefined],
    ])
  })
})
