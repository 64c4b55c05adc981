import { describe, expect, it } from 'vitest'
import type { Report } from '../../src/model/report.ts'
import { ocsf } from '../../src/report/ocsf.ts'
import { aFailedRule, aGap } from './a-gap.ts'
import { evaluatedSamples } from './evaluated-sample.ts'
import { aReport, aViolation, options, samples } from './sample-reports.ts'

const eventsOf = (report: Report) =>
  ocsf(report, options)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

/** The fields that OCSF 1.3.0 publishes of class 2003 and of the objects in it; those that it requires are marked. */
const published = {
  event: [
    ...['activity_id!', 'activity_name', 'category_uid!', 'category_name', 'class_uid!', 'class_name', 'comment'],
    ...['compliance!', 'confidence', 'confidence_id', 'confidence_score', 'count', 'device', 'duration', 'end_time'],
    ...['enrichments', 'finding_info!', 'message', 'metadata!', 'observables', 'raw_data', 'remediation', 'resources'],
    ...['severity', 'severity_id!', 'start_time', 'status', 'status_code', 'status_detail', 'status_id', 'time!'],
    ...['timezone_offset', 'type_name', 'type_uid!', 'unmapped', 'vendor_attributes'],
  ],
  compliance: ['control', 'requirements', 'standards!', 'status', 'status_code', 'status_detail', 'status_id'],
  finding_info: [
    ...['analytic', 'attacks', 'created_time', 'data_sources', 'desc', 'first_seen_time', 'kill_chain'],
    ...['last_seen_time', 'modified_time', 'product_uid', 'related_analytics', 'related_events', 'src_url', 'title'],
    ...['types', 'uid!'],
  ],
  metadata: [
    ...['correlation_uid', 'event_code', 'extensions', 'labels', 'log_level', 'log_name', 'log_provider'],
    ...['log_version', 'logged_time', 'modified_time', 'original_time', 'processed_time', 'product!', 'profiles'],
    ...['sequence', 'tenant_uid', 'uid', 'version!'],
  ],
  resource: [
    ...['cloud_partition', 'criticality', 'data', 'group', 'labels', 'name', 'namespace', 'owner', 'region', 'type'],
    ...['uid', 'version'],
  ],
} as const

function faultsOf(object: object, fields: readonly string[]): string[] {
  const known = new Set(fields.map((field) => field.replace('!', '')))
  const missing = fields.filter((field) => field.endsWith('!') && !Object.hasOwn(object, field.slice(0, -1)))
  return [...missing, ...Object.keys(object).filter((member) => !known.has(member))]
}

describe('the OCSF report', () => {
  it.each(Object.entries({ ...samples, evaluated: evaluatedSamples.small }))(
    'contains published fields only, and all required ones: %s',
    (_, report) => {
      for (const event of eventsOf(report)) {
        expect(faultsOf(event, published.event)).toEqual([])
        expect(faultsOf(event.compliance, published.compliance)).toEqual([])
        expect(faultsOf(event.finding_info, published.finding_info)).toEqual([])
        expect(faultsOf(event.metadata, published.metadata)).toEqual([])
        for (const resource of event.resources) expect(faultsOf(resource, published.resource)).toEqual([])
        expect(event).toMatchObject({ class_uid: 2003, category_uid: 2, type_uid: 200300 + event.activity_id })
      }
    },
  )

  it.each([
    ['opened', { activity_id: 1, status_id: 1, status: 'New' }, 'Fail'],
    ['continuing', { activity_id: 2, status_id: 99, status: 'continuing' }, 'Fail'],
    ['unknown', { activity_id: 2, status_id: 0, status: 'Unknown' }, 'Warning'],
    ['waived', { activity_id: 2, status_id: 3, status: 'Suppressed' }, 'Fail'],
    ['resolved', { activity_id: 3, status_id: 4, status: 'Resolved' }, 'Pass'],
  ] as const)('says %s in its own words next to those of the standard', (state, words, compliance) => {
    const [event] = eventsOf(aReport({ violations: [aViolation({ state })] }))
    expect(event).toMatchObject({ ...words, status_detail: state, compliance: { status: compliance } })
  })

  it('names the rule, the resource, the remediation and the frameworks', () => {
    const event = eventsOf(evaluatedSamples.small).find(
      ({ finding_info }) => finding_info.analytic?.uid === 'endpoint/timeout-high',
    )
    expect(event).toMatchObject({
      severity_id: 3,
      severity: 'Medium',
      message: 'timeout is 90 s (policy: at most 60 s)',
      finding_info: { title: 'Endpoint may hold a worker', first_seen_time: Date.parse('2026-11-19T22:15:00.000Z') },
      compliance: { standards: ['soc2', 'pci-dss'], requirements: ['soc2:CC6.7', 'pci-dss:4.2.1'] },
      resources: [{ name: 'orders', type: 'endpoint', namespace: 'acme/payments', labels: ['env=prod'] }],
      remediation: { desc: 'Lower the timeout.' },
    })
  })

  it('begins with a line for every walk that was not complete, neither passed nor failed', () => {
    const gaps = eventsOf(evaluatedSamples.incomplete).slice(0, 4)
    expect(
      gaps.map(({ status_detail, severity_id, compliance }) => [status_detail, severity_id, compliance.status]),
    ).toEqual([
      ['failed', 0, 'Warning'],
      ['failed', 0, 'Warning'],
      ['partial', 0, 'Warning'],
      ['suspect', 0, 'Warning'],
    ])
  })

  it('has a line for every rule that did not evaluate all of a project', () => {
    const gaps = [
      aFailedRule('endpoint/name-convention', 'it throws: TypeError'),
      aGap('endpoint/url-not-https', { text: 'endpoint/url-not-https missed 2 endpoints that show no /url' }),
    ]
    const unseen = eventsOf({ ...evaluatedSamples.small, gaps }).filter(
      ({ finding_info }) => finding_info.types[0] === 'coverage',
    )
    expect(unseen.map(({ message, compliance }) => [compliance.control, compliance.status, message])).toEqual([
      ['endpoint/name-convention', 'Warning', 'endpoint/name-convention was not evaluated: it throws: TypeError'],
      ['endpoint/url-not-https', 'Warning', 'endpoint/url-not-https missed 2 endpoints that show no /url'],
    ])
  })

  it('is empty without findings', () => {
    expect(ocsf(samples.clean, options)).toBe('')
  })
})
