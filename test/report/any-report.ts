import fc from 'fast-check'
import { changeTypes } from '../../src/model/change.ts'
import { coverageStatuses } from '../../src/model/coverage.ts'
import type { Json } from '../../src/model/json.ts'
import type { Report } from '../../src/model/report.ts'
import { kinds, listings } from '../../src/model/resource.ts'
import { severities, violationStates } from '../../src/model/violation.ts'
import { aReport } from './sample-reports.ts'

/** Everything that a terminal could mistake for an order, and half characters. */
const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.string({
    unit: fc.oneof(
      fc.constantFrom('\x1b', '\x9b', '\x07', '\r', '\n', '\t', ' ', '"', '\\', '/', '~', 'é', '漢', '👍', 'sealed:'),
      fc.constantFrom('\u202e', '\u2066', '\u200b', '\u200d', '\ufeff', '\u2028', '\u2029', '\u061c', '\u{e0041}'),
      fc.integer({ min: 0xd800, max: 0xdfff }).map((unit) => String.fromCharCode(unit)),
    ),
    maxLength: 200,
  }),
)

const name = fc.oneof(fc.constant(''), hostile)
const required = hostile.filter((text) => text !== '')
const pointer = hostile.map((text) => `/${text.replaceAll('~', '~0')}`)
const time = fc
  .date({ min: new Date('2026-01-01'), max: new Date('2027-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString())
const fingerprint = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 32, maxLength: 32 })

// JSON has no -0, and what comes from JSON.parse has the prototype that fast-check may leave out.
const json = fc
  .jsonValue({ stringUnit: 'binary' })
  .map((value): Json => JSON.parse(JSON.stringify({ value, __proto__: null })).value)
const value = fc.oneof(hostile, json)

const coverage = fc
  .record({
    project: required,
    listing: fc.constantFrom(...listings),
    status: fc.constantFrom(...coverageStatuses),
    reason: hostile,
    filter: fc.option(hostile),
    pages: fc.nat(),
    items: fc.nat(),
    requests: fc.nat(),
    retries: fc.nat(),
    duration_ms: fc.nat(),
  })
  .map((walk) => (walk.status === 'complete' ? { ...walk, reason: null } : walk))

const change = fc
  .record({
    project: required,
    kind: fc.constantFrom(...kinds),
    uid: required,
    name,
    change: fc.constantFrom(...changeTypes),
    fields: fc.array(fc.record({ path: pointer, before: value, after: value }), { maxLength: 4 }),
    referrers: fc.array(required, { maxLength: 7 }),
  })
  .map((drift) => (drift.change === 'modified' ? drift : { ...drift, fields: [] }))

const violation = fc.record({
  fingerprint,
  rule: required,
  severity: fc.constantFrom(...severities),
  state: fc.constantFrom(...violationStates),
  project: required,
  kind: fc.constantFrom(...kinds),
  uid: required,
  name,
  path: fc.oneof(fc.constant(''), pointer),
  message: hostile,
  first_seen: time,
  last_seen: time,
})

/** Any document that the schema allows, its texts as bad as they get. */
export const anyReport: fc.Arbitrary<Report> = fc
  .record({
    coverage: fc.array(coverage, { maxLength: 6 }),
    notices: fc.array(fc.record({ project: required, listing: fc.constantFrom(...listings), text: hostile }), {
      maxLength: 2,
    }),
    drift: fc.array(change, { maxLength: 6 }),
    violations: fc.array(violation, { maxLength: 6 }),
    failOn: fc.constantFrom(...severities),
  })
  .map(aReport)
