import { expect, it } from 'vitest'
import type { Report } from '../../src/model/report.ts'
import type { Policy } from '../../src/policy/policy.ts'
import { policyOf } from './audit-harness.ts'
import { anEndpoint, openLiteral } from './literal-service.ts'

const rule = 'rules: { endpoint/inactive: high }'
const waived = policyOf(`extends: []
${rule}
waivers:
  - { rule: endpoint/inactive, match: { url_host: e1.example }, owner: lee, reason: moving, expires: 2027-01-31 }
`)
const overridden = policyOf(`extends: []
${rule}
overrides: [{ match: { url_host: e1.example }, rules: { endpoint/inactive: low } }]
`)
const off = policyOf(`extends: []
${rule}
overrides: [{ match: { url_host: e1.example }, rules: { endpoint/inactive: off } }]
`)

const inactive = anEndpoint('e1', { status: 'inactive' })
const { url: _, ...hidden } = inactive
const unparsable = { ...inactive, url: 'https://[bad/x' }

async function linesAfter(policy: Policy, ...items: readonly object[]): Promise<string[]> {
  await using fixture = await openLiteral({ endpoints: [] })
  const lines: string[] = []
  for (const item of items) {
    fixture.show({ endpoints: [item as typeof inactive, anEndpoint('e2')] })
    lines.push(lineOf(await fixture.audit({ policy })))
  }
  return lines
}

function lineOf({ violations, gaps }: Report): string {
  const found = violations.filter(({ kind }) => kind === 'endpoint')
  const said = found.map(({ state, severity, resolution }) => `${resolution ?? state} ${severity}`)
  return [...said, ...gaps.map(({ text }) => text)].join('; ')
}

it.each([
  ['is not shown', hidden, 'no url'],
  ['does not parse', unparsable, 'a malformed url'],
])('a waived violation stays waived, and a new one opens unwaived, where the address %s', async (_, item, what) => {
  const [known, unknown, again] = await linesAfter(waived, inactive, item, inactive)
  expect(known).toBe('waived high')
  expect(unknown).toContain('waived high; The waiver of endpoint/inactive for url_host e1.example could not be applied')
  expect(unknown).toContain(`to 1 endpoint that shows ${what} since run 2`)
  expect(again).toBe('waived high')
  const [fresh, shown] = await linesAfter(waived, item, inactive)
  expect(fresh).toContain('opened high; The waiver of endpoint/inactive')
  expect(shown).toBe('waived high')
})

it('a violation keeps the severity of an override that cannot be applied, and a new one has that of the rule', async () => {
  const [known, unknown, again] = await linesAfter(overridden, inactive, hidden, inactive)
  expect([known, again]).toEqual(['opened low', 'continuing low'])
  expect(unknown).toContain('continuing low; The override for url_host e1.example could not be applied to 1 endpoint')
  const [fresh, shown] = await linesAfter(overridden, hidden, inactive)
  expect(fresh).toContain('opened high; The override for url_host e1.example')
  expect(shown).toBe('continuing low')
})

it('a violation that an override may switch off or rate otherwise is not fixed where that is unknown', async () => {
  const [, unknown, shown] = await linesAfter(overridden, inactive, { ...hidden, status: 'active' }, anEndpoint('e1'))
  expect(unknown).toContain('unknown low; The override for')
  expect(shown).toBe('fixed low')
  const [silent, opened] = await linesAfter(off, inactive, hidden)
  expect(silent).toBe('')
  expect(opened).toContain('opened high; The override for')
})

it('so do violations of a rule across projects', async () => {
  const policy = policyOf(`extends: []
rules: { endpoint/secret-shared: medium }
waivers:
  - { rule: endpoint/secret-shared, match: { url_host: e1.example }, owner: lee, reason: moving, expires: 2027-01-31 }
`)
  await using fixture = await openLiteral({ endpoints: [anEndpoint('e1'), anEndpoint('e2')] })
  const statesOf = ({ violations }: Report) => violations.map(({ uid, state }) => `${uid} ${state}`).sort()
  expect(statesOf(await fixture.audit({ policy }))).toEqual(['e1 waived', 'e2 opened'])
  const { url: _, ...rest } = anEndpoint('e1')
  fixture.show({ endpoints: [rest, anEndpoint('e2')] })
  expect(statesOf(await fixture.audit({ policy }))).toEqual(['e1 waived', 'e2 continuing'])
})
