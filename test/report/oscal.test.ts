import { describe, expect, it } from 'vitest'
import type { Report } from '../../src/model/report.ts'
import { type BuiltInFrameworkId, builtInFrameworkIds } from '../../src/report/compliance/built-in-frameworks.ts'
import { complianceOscal, nameUuid } from '../../src/report/compliance/compliance-oscal.ts'
import { builtInFramework } from '../../src/report/compliance/framework.ts'
import { composeCompliance } from '../compliance/checked-compliance.ts'
import { evaluatedSamples } from './evaluated-sample.ts'
import { aReport, options, samples } from './sample-reports.ts'

/** The fields that OSCAL 1.2.1 publishes of assessment results; those that it requires are marked. */
const published = {
  root: ['uuid!', 'metadata!', 'import-ap!', 'local-definitions', 'results!', 'back-matter'],
  metadata: [
    ...['title!', 'published', 'last-modified!', 'version!', 'oscal-version!', 'revisions', 'document-ids', 'props'],
    ...['links', 'roles', 'locations', 'parties', 'responsible-parties', 'actions', 'remarks'],
  ],
  result: [
    ...['uuid!', 'title!', 'description!', 'start!', 'end', 'props', 'links', 'local-definitions'],
    ...['reviewed-controls!', 'attestations', 'assessment-log', 'observations', 'risks', 'findings', 'remarks'],
  ],
  observation: [
    ...['uuid!', 'title', 'description!', 'props', 'links', 'methods!', 'types', 'origins', 'subjects'],
    ...['relevant-evidence', 'collected!', 'expires', 'remarks'],
  ],
  finding: [
    ...['uuid!', 'title!', 'description!', 'props', 'links', 'origins', 'target!'],
    ...['implementation-statement-uuid', 'related-observations', 'related-risks', 'remarks'],
  ],
  item: ['uuid!', 'description!', 'props', 'links', 'responsible-parties', 'implemented-components', 'remarks'],
  property: ['name!', 'uuid', 'ns', 'value!', 'class', 'group', 'remarks'],
} as const

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const token = /^(\p{L}|_)(\p{L}|\p{N}|[.\-_])*$/u

function faultsOf(object: object, fields: readonly string[]): string[] {
  const known = new Set(fields.map((field) => field.replace('!', '')))
  const missing = fields.filter((field) => field.endsWith('!') && !Object.hasOwn(object, field.slice(0, -1)))
  return [...missing, ...Object.keys(object).filter((member) => !known.has(member))]
}

/** Published fields only, and all required ones. `text`: of a report in OSCAL. */
function expectPublished(text: string): void {
  const root = JSON.parse(text)['assessment-results']
  const [result] = root.results
  expect(faultsOf(root, published.root)).toEqual([])
  expect(faultsOf(root.metadata, published.metadata)).toEqual([])
  expect(faultsOf(result, published.result)).toEqual([])
  const observations = result.observations ?? []
  const findings = result.findings ?? []
  const items = result['local-definitions']?.['inventory-items'] ?? []
  for (const observation of observations) expect(faultsOf(observation, published.observation)).toEqual([])
  for (const finding of findings) expect(faultsOf(finding, published.finding)).toEqual([])
  for (const item of items) expect(faultsOf(item, published.item)).toEqual([])
  const named = [root.metadata, result, ...observations, ...findings, ...items]
  for (const { name, value, ...rest } of named.flatMap(({ props }) => props ?? [])) {
    expect(faultsOf({ name, value, ...rest }, published.property)).toEqual([])
    expect([name, value]).toEqual([expect.stringMatching(token), expect.stringMatching(/^\S(.*\S)?$/)])
  }
  const uuids = [root, result, ...observations, ...findings, ...items].map((object) => object.uuid)
  expect(new Set(uuids).size).toBe(uuids.length)
  for (const one of uuids) expect(one).toMatch(uuid)
}

const complianceOf = (report: Report, id: BuiltInFrameworkId = 'soc2') =>
  composeCompliance({ report, framework: builtInFramework(id) })
const resultsOf = (report: Report) => JSON.parse(complianceOscal(complianceOf(report), options))['assessment-results']

describe('the OSCAL report by control', () => {
  it.each(builtInFrameworkIds)('contains published fields only, and a token of each control: %s', (id) => {
    const compliance = complianceOf(evaluatedSamples.small, id)
    const text = complianceOscal(compliance, options)
    expectPublished(text)
    const [result] = JSON.parse(text)['assessment-results'].results
    const targets: string[] = result.findings.map((finding: Finding) => finding.target['target-id'])
    expect(targets.filter((target) => !token.test(target))).toEqual([])
    const covered = compliance.controls.filter(({ state }) => state !== 'not_covered')
    expect(new Set(targets).size).toBe(covered.length)
    const reviewed = result['reviewed-controls']['control-selections'].flatMap((selection: Selection) =>
      (selection['include-controls'] ?? []).map((control) => control['control-id']),
    )
    expect(targets.filter((target) => !reviewed.includes(target))).toEqual([])
  })

  it.each(Object.entries({ ...samples, evaluated: evaluatedSamples.small, unread: evaluatedSamples.incomplete }))(
    'contains published fields only, and all required ones: %s',
    (_, report) => expectPublished(complianceOscal(complianceOf(report), options)),
  )

  it('has no empty list, and no dangling reference', () => {
    const [clean] = resultsOf(samples.clean).results
    expect(Object.keys(clean)).not.toContain('observations')
    const [result] = resultsOf(evaluatedSamples.small).results
    const uuidsOf = (all: readonly { readonly uuid: string }[]) => all.map((one) => one.uuid)
    const defined = uuidsOf(result['local-definitions']['inventory-items'])
    const subjects = result.observations.flatMap((one: Observation) => one.subjects ?? [])
    expect(subjects.length).toBeGreaterThan(0)
    for (const subject of subjects) expect(defined).toContain(subject['subject-uuid'])
    const related = result.findings.flatMap((finding: Finding) => finding['related-observations'] ?? [])
    expect(related.length).toBeGreaterThan(0)
    for (const one of related) expect(uuidsOf(result.observations)).toContain(one['observation-uuid'])
  })

  it('lists every walk that was not complete and that a control needs, and says what was not evaluated', () => {
    const [result] = resultsOf(evaluatedSamples.incomplete).results
    const gaps = result.observations.filter(({ types }: Observation) => types.includes('coverage'))
    const { controls } = complianceOf(evaluatedSamples.incomplete)
    const needed = new Set(
      controls.flatMap(({ coverage }) => coverage.gaps.map((gap) => `${gap.project} ${gap.listing}`)),
    )
    expect(gaps).toHaveLength(needed.size)
    const said: string[] = gaps.map(({ description }: Observation) => description)
    expect(said).toContainEqual(
      expect.stringContaining('The walk of subscriptions of acme/payments is partial: page 4 did not arrive'),
    )
    const reasons = controls.flatMap(({ state, reason }) => (state === 'not_covered' ? [] : [reason]))
    const shown: string[] = result.findings.map(({ description }: Observation) => description)
    expect(reasons.length).toBeGreaterThan(0)
    for (const reason of reasons) expect(shown).toContain(reason)
  })

  it('has stable identifiers for a run, and others for another run', () => {
    const [one, again] = [aReport(), aReport()].map((report) => resultsOf(report).uuid)
    const other = resultsOf(aReport({ run: { ...samples.clean.run, number: 18 } })).uuid
    expect(again).toBe(one)
    expect(other).not.toBe(one)
    expect(nameUuid('a', 'b')).not.toBe(nameUuid('ab'))
  })
})

interface Observation {
  readonly description: string
  readonly types: readonly string[]
  readonly subjects?: readonly { readonly 'subject-uuid': string }[]
}

interface Finding {
  readonly target: { readonly 'target-id': string }
  readonly 'related-observations'?: readonly { readonly 'observation-uuid': string }[]
}

interface Selection {
  readonly 'include-controls'?: readonly { readonly 'control-id': string }[]
}
