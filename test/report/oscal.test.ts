import { describe, expect, it } from 'vitest'
import { builtInFrameworkIds } from '../../src/compliance/built-in-frameworks.ts'
import { builtInFramework } from '../../src/compliance/framework.ts'
import type { Report } from '../../src/model/report.ts'
import { complianceOscal } from '../../src/report/compliance/compliance-oscal.ts'
import { oscal } from '../../src/report/oscal.ts'
import { nameUuid } from '../../src/report/oscal-results.ts'
import { composeCompliance } from '../compliance/checked-compliance.ts'
import { evaluatedSamples } from './evaluated-sample.ts'
import { aReport, samples } from './sample-reports.ts'

const options = { colour: false, width: 80, full: true }
const resultsOf = (report: Report) => JSON.parse(oscal(report, options))['assessment-results']

/** The fields that OSCAL 1.1.2 publishes of assessment results; those that it requires are marked. */
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

describe('the OSCAL report by control', () => {
  it.each(builtInFrameworkIds)('contains published fields only, and a token of each control: %s', (id) => {
    const compliance = composeCompliance({ report: evaluatedSamples.small, framework: builtInFramework(id) })
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
})

interface Finding {
  readonly target: { readonly 'target-id': string }
}

interface Selection {
  readonly 'include-controls'?: readonly { readonly 'control-id': string }[]
}

describe('the OSCAL report', () => {
  it.each(Object.entries({ ...samples, evaluated: evaluatedSamples.small }))(
    'contains published fields only, and all required ones: %s',
    (_, report) => expectPublished(oscal(report, options)),
  )

  it('has no empty list, and no dangling reference', () => {
    const [clean] = resultsOf(samples.clean).results
    expect(Object.keys(clean)).not.toContain('observations')
    const [result] = resultsOf(evaluatedSamples.small).results
    const defined = result['local-definitions']['inventory-items'].map((item: { uuid: string }) => item.uuid)
    for (const { subjects = [] } of result.observations)
      for (const subject of subjects) expect(defined).toContain(subject['subject-uuid'])
    const selected = result['reviewed-controls']['control-selections'][0]['include-controls']
    expect(selected).toEqual([{ 'control-id': 'pci-dss_4.2.1' }, { 'control-id': 'soc2_CC6.7' }])
  })

  it('lists every walk that was not complete, and every rule that was not evaluated', () => {
    const [result] = resultsOf(evaluatedSamples.incomplete).results
    const gaps = result.observations.filter(({ types }: { types: string[] }) => types.includes('coverage'))
    expect(gaps).toHaveLength(6)
    expect(gaps[5].description).toBe('acme/payments: endpoint/name-convention was not evaluated: it throws: TypeError')
    expect(gaps[2].description).toContain(
      'The walk of subscriptions of acme/payments is partial: page 4 did not arrive',
    )
  })

  it('has stable identifiers for a run, and others for another run', () => {
    const [one, again] = [aReport(), aReport()].map((report) => resultsOf(report).uuid)
    const other = resultsOf(aReport({ run: { ...samples.clean.run, number: 18 } })).uuid
    expect(again).toBe(one)
    expect(other).not.toBe(one)
    expect(nameUuid('a', 'b')).not.toBe(nameUuid('ab'))
  })
})
