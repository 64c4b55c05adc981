import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { changeTypes } from '../../src/model/change.ts'
import { coverageStatuses } from '../../src/model/coverage.ts'
import { kinds, listings } from '../../src/model/resource.ts'
import { severities, violationStates } from '../../src/model/violation.ts'
import { json } from '../../src/report/json.ts'
import { tries } from '../thoroughness.ts'
import { arbitraryReport } from './arbitrary-report.ts'
import { aChange, aReport, aViolation, aWalk, samples } from './sample-reports.ts'

const options = { colour: false, width: 80, full: false }
const schema = JSON.parse(readFileSync(new URL('../../config/report.schema.json', import.meta.url), 'utf8'))
const validate = new Ajv2020({ strict: true, allErrors: true, allowUnionTypes: true }).compile(schema)

describe('the JSON report', () => {
  it.each(Object.entries(samples))('follows its schema: %s', (_, report) => {
    validate(JSON.parse(json(report, options)))
    expect(validate.errors).toBeNull()
  })

  it('is parsed back to the same document, and follows its schema, with any content', () => {
    fc.assert(
      fc.property(arbitraryReport, (report) => {
        const document = JSON.parse(json(report, options))
        expect(document).toEqual(report)
        validate(document)
        expect(validate.errors).toBeNull()
      }),
      { numRuns: tries(100, { locally: 30 }) },
    )
  })

  it('contains no character that a terminal obeys or hides', () => {
    fc.assert(
      fc.property(arbitraryReport, (report) => {
        expect(/[^\P{Cc}\n]|[\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.exec(json(report, options))).toBeNull()
      }),
      { numRuns: tries(100, { locally: 30 }) },
    )
    expect(json(aReport({ violations: [aViolation({ name: '\x9b\u2028\u202e\u{e0041}' })] }), options)).toContain(
      String.raw`"name": "\u009b\u2028\u202e\udb40\udc41"`,
    )
  })

  it('has the same bytes for any order of members', () => {
    const reversed = JSON.parse(JSON.stringify(samples.small), (_, value) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).reverse())
        : value,
    )
    expect(json(reversed, options)).toBe(json(samples.small, options))
  })

  it('keeps a member called __proto__', () => {
    const before = JSON.parse('{"__proto__":{"a":1}}')
    const report = aReport({ drift: [aChange({ fields: [{ path: '/v', before, after: null }] })] })
    expect(json(report, options)).toContain('"__proto__": {')
  })

  it('begins with the summary and ends its last line', () => {
    const lines = json(samples.clean, options).split('\n')
    expect(lines.slice(0, 2)).toEqual(['{', '  "schema": "hookdrift.report/3",'])
    expect(lines.slice(-2)).toEqual(['}', ''])
  })
})

describe('the schema of the report', () => {
  const report = aReport({
    coverage: [aWalk({ status: 'partial', cause: 'network', reason: 'page 2 was cut' })],
    notices: [{ code: 'fields_changed', project: 'acme/payments', listing: null, text: 'shows more' }],
    drift: [aChange({ fields: [{ path: '/status', before: null, after: 'active' }] })],
    violations: [aViolation()],
  })

  it('allows unknown members at every level', () => {
    const more = JSON.parse(JSON.stringify(report), (_, value) =>
      typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value, added_later: 1 } : value,
    )
    validate(more)
    expect(validate.errors).toBeNull()
  })

  it('requires every member', () => {
    for (const path of membersOf(report)) {
      const copy = structuredClone(report)
      const parent = path.slice(0, -1).reduce((at: unknown, step) => Reflect.get(Object(at), step), copy)
      Reflect.deleteProperty(Object(parent), path.at(-1) ?? '')
      expect({ path, valid: validate(copy) }).toEqual({ path, valid: false })
    }
  })

  it.each([
    ['an unknown severity', { violations: [{ ...aViolation(), severity: 'fatal' }] }],
    ['an unknown state', { violations: [{ ...aViolation(), state: 'open' }] }],
    ['a path that is not a JSON Pointer', { violations: [aViolation({ path: 'url' })] }],
    ['a time without its zone', { violations: [aViolation({ first_seen: '2026-11-21T03:04:00' })] }],
    ['a complete walk with a reason', { coverage: [aWalk({ reason: 'but' })] }],
    ['an incomplete walk without one', { coverage: [aWalk({ status: 'failed' })] }],
    ['fields of what was removed', { drift: [{ ...report.drift[0], change: 'removed' }] }],
    ['a negative count', { coverage: [aWalk({ items: -1 })] }],
    ['another schema', { schema: 'hookdrift.report/1' }],
  ])('refuses %s', (_, parts) => {
    expect(validate({ ...report, ...parts })).toBe(false)
  })

  it('lists the words of the model, all and in their order', () => {
    const { kind, listing, severity, coverage, change, violation } = schema.$defs
    expect(kind.enum).toEqual(kinds)
    expect(listing.enum).toEqual(listings)
    expect(severity.enum).toEqual(severities)
    expect(coverage.properties.status.enum).toEqual(coverageStatuses)
    expect(change.properties.change.enum).toEqual(changeTypes)
    expect(violation.properties.state.enum).toEqual(violationStates)
  })
})

/** Paths of all members, without the items of lists themselves. */
function membersOf(value: unknown): string[][] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, member]) => [
    ...(Array.isArray(value) ? [] : [[key]]),
    ...membersOf(member).map((path) => [key, ...path]),
  ])
}
