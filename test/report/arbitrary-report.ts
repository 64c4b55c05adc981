import fc from 'fast-check'
import { changeTypes } from '../../src/model/change.ts'
import { coverageCauses, coverageStatuses } from '../../src/model/coverage.ts'
import { endingKinds } from '../../src/model/decision.ts'
import { type GapCause, gapCauses } from '../../src/model/gap.ts'
import type { Json } from '../../src/model/json.ts'
import type { Report } from '../../src/model/report.ts'
import { kinds, listings } from '../../src/model/resource.ts'
import { failOnChoices, resolutions, severities, violationStates } from '../../src/model/violation.ts'
import { anyCharacter } from '../any-character.ts'
import { aReport } from './sample-reports.ts'

/** What some reader would act on: a browser, a spreadsheet, a forge, a chat, a viewer of SARIF, an XML parser. */
const attacks = [
  ...['<script>alert(1)</script>', '<img src=x onerror=alert(1)>', '<!--', ']]>', '&lt;', '&#0;', '<![CDATA['],
  ...['[a](http://evil.example)', '](http://evil.example)', '![x](//evil.example/x.png)', '<http://evil.example>'],
  ...[
    'http://evil.example',
    'www.evil.example',
    'evil.example',
    'me@evil.example',
    'javascript:alert(1)',
    'ftp://x.yz',
  ],
  ...['[x]: http://evil.example', '@team', '#4711', 'GH-1', ':boom:', '$x$', 'deadbeefdeadbeef', '**b**', '~~s~~'],
  ...['`', '``', '```', '|', '\\|', '\\`', '\\', '\\[', '{0}', '- ', '1. ', '# ', '> ', '---', '    code', '***'],
  ...['=1+1', '+1', '-1', '@SUM(1)', ';=1', '"', '",=1', "'=1", '＝1', '\t=1', '%0A=1', '=cmd|x'],
  ...['\ufffe', '\uffff', '\0', '\x08', '\ud800', 'e\u0301', '\u115f', '(opened)', '\nhigh x y (opened)'],
]

/** Everything that a reader could mistake for an order, and half characters. */
export const hostileText = fc.oneof(
  fc
    .array(fc.oneof(fc.constantFrom(...attacks), fc.constantFrom('a', ' ', ' b ', '.')), { maxLength: 8 })
    .map((all) => all.join('')),
  fc.string({ unit: anyCharacter, maxLength: 30 }),
  fc.string({
    unit: fc.oneof(
      fc.constantFrom('\x1b', '\x9b', '\x07', '\r', '\n', '\t', ' ', '"', '\\', '/', '~', 'é', '漢', '👍', 'sealed:'),
      fc.constantFrom('\u202e', '\u2066', '\u200b', '\u200d', '\ufeff', '\u2028', '\u2029', '\u061c', '\u{e0041}'),
      fc.integer({ min: 0xd800, max: 0xdfff }).map((unit) => String.fromCharCode(unit)),
    ),
    maxLength: 200,
  }),
)

const name = fc.oneof(fc.constant(''), hostileText)
const required = hostileText.filter((text) => text !== '')
const pointer = hostileText.map((text) => `/${text.replaceAll('~', '~0')}`)
const time = fc
  .date({ min: new Date('2026-01-01'), max: new Date('2027-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString())
const fingerprint = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 32, maxLength: 32 })

// JSON has no -0, and what comes from JSON.parse has the prototype that fast-check may leave out.
const json = fc
  .jsonValue({ stringUnit: anyCharacter })
  .map((value): Json => JSON.parse(JSON.stringify({ value, __proto__: null })).value)
const value = fc.oneof(hostileText, json)

const coverage = fc
  .record({
    project: required,
    listing: fc.constantFrom(...listings),
    status: fc.constantFrom(...coverageStatuses),
    cause: fc.constantFrom(...coverageCauses),
    reason: hostileText,
    filter: fc.option(hostileText),
    pages: fc.nat(),
    items: fc.nat(),
    requests: fc.nat(),
    retries: fc.nat(),
    duration_ms: fc.nat(),
  })
  .map((walk) => (walk.status === 'complete' ? { ...walk, cause: null, reason: null } : walk))

const change = fc
  .record({
    project: required,
    kind: fc.constantFrom(...kinds),
    uid: required,
    name,
    change: fc.constantFrom(...changeTypes),
    fields: fc.array(fc.record({ path: pointer, before: value, after: value }), { maxLength: 4 }),
    referrers: fc.array(required, { maxLength: 7 }),
    between: fc.record({
      after: fc.option(time),
      before: time,
      after_run: fc.option(fc.integer({ min: 1, max: 9 })),
      before_run: fc.integer({ min: 1, max: 9 }),
    }),
    window: fc.option(required),
    notes: fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 4 }),
    repairs: fc.array(fc.record({ rule: required, fingerprint: required }), { maxLength: 2 }),
  })
  .map((drift) => (drift.change === 'modified' ? drift : { ...drift, fields: [] }))

const endedBy = fc.record({
  kind: fc.constantFrom(...endingKinds),
  by: fc.option(hostileText),
  reason: fc.option(hostileText),
  at: fc.option(time),
  run: fc.option(fc.integer({ min: 1, max: 99 })),
  configured_at: fc.option(fc.record({ file: hostileText, line: fc.integer({ min: 1, max: 9999 }) })),
})

const violation = fc.record({
  fingerprint,
  rule: required,
  severity: fc.constantFrom(...severities),
  state: fc.constantFrom(...violationStates),
  resolution: fc.constantFrom(null, ...resolutions),
  ended_by: fc.option(endedBy),
  project: required,
  kind: fc.constantFrom(...kinds),
  uid: required,
  name,
  owner: fc.option(hostileText),
  path: fc.oneof(fc.constant(''), pointer),
  message: hostileText,
  first_seen: time,
  last_seen: time,
  due_at: fc.option(time),
})

const waiver = fc.record(
  { owner: hostileText, reason: hostileText, expires: time, ticket: hostileText },
  { requiredKeys: ['owner', 'reason', 'expires'] },
)
const waivedOrNot = fc
  .tuple(violation, waiver)
  .map(([found, by]) => (found.state === 'waived' ? { ...found, waiver: by } : found))
  .map((found) => {
    const isEnded = found.state === 'resolved'
    const isGone = found.resolution === 'fixed' || found.resolution === 'removed' || found.resolution === null
    const ended = {
      resolution: isEnded ? found.resolution : null,
      ended_by: isEnded && !isGone ? found.ended_by : null,
    }
    return { ...found, ...ended }
  })

const acceptance = fc.record({
  fingerprint,
  rule: required,
  severity: fc.option(fc.constantFrom(...severities)),
  project: required,
  kind: fc.constantFrom(...kinds),
  uid: required,
  name,
  path: fc.oneof(fc.constant(''), pointer),
  message: hostileText,
  reason: hostileText,
  by: hostileText,
  at: time,
})

const rule = fc.record({
  id: required,
  kind: fc.constantFrom(...kinds),
  title: hostileText,
  remediation: hostileText,
  severity: fc.constantFrom(...severities),
  controls: fc.array(hostileText, { maxLength: 2 }),
  needs: fc.subarray([...kinds]),
})

const project = fc.record({
  project: required,
  labels: fc.dictionary(hostileText, hostileText, { maxKeys: 2 }),
  configured_at: fc.option(fc.record({ file: hostileText, line: fc.integer({ min: 1, max: 9999 }) })),
  resources: fc.dictionary(fc.constantFrom(...kinds), fc.nat(), { maxKeys: 2 }),
  evaluated_by_rule: fc.dictionary(hostileText, fc.nat(), { maxKeys: 2 }),
  not_compared: fc.subarray([...listings]),
  windows: fc.array(fc.record({ name: required, ticket: fc.option(hostileText), from: time, to: time }), {
    maxLength: 2,
  }),
})

const gap = fc.record({
  id: required,
  cause: fc.constantFrom(...(Object.keys(gapCauses) as GapCause[])),
  project: required,
  listing: fc.option(fc.constantFrom(...listings)),
  rule: fc.option(required),
  kind: fc.option(fc.constantFrom(...kinds)),
  field: fc.option(hostileText),
  resources: fc.nat(),
  uids: fc.array(required, { maxLength: 2 }),
  since: fc.record({ run: fc.integer({ min: 1 }), at: time }),
  text: required,
})

const note = fc.record({
  id: fc.integer({ min: 1, max: 4 }),
  at: time,
  text: hostileText,
  ref: fc.option(
    fc.oneof(
      hostileText,
      hostileText.map((text) => `https://${text}`),
    ),
  ),
  by: hostileText,
  projects: fc.array(required, { maxLength: 2 }),
})

/** Any document that the schema allows, its texts as bad as they get. */
export const arbitraryReport: fc.Arbitrary<Report> = fc
  .record({
    coverage: fc.array(coverage, { maxLength: 6 }),
    gaps: fc.array(gap, { maxLength: 4 }),
    notices: fc.array(
      fc.record({
        code: fc.constantFrom('clock_went_back' as const, 'rule_failed' as const, 'field_malformed' as const),
        project: fc.option(required),
        listing: fc.option(fc.constantFrom(...listings)),
        text: hostileText,
      }),
      { maxLength: 2 },
    ),
    drift: fc.array(change, { maxLength: 6 }),
    notes: fc.array(note, { maxLength: 4 }),
    violations: fc.array(waivedOrNot, { maxLength: 6 }),
    accepted: fc.array(acceptance, { maxLength: 3 }),
    projects: fc.uniqueArray(project, { maxLength: 2, selector: ({ project }) => project }),
    rules: fc.uniqueArray(rule, { maxLength: 2, selector: ({ id }) => id }),
    failOn: fc.constantFrom(...failOnChoices),
  })
  .map(aReport)
