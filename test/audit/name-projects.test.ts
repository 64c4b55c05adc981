import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nameProjects } from '../../src/audit/discover-projects.ts'
import { sealer } from '../inventory/inventory-fixture.ts'

const nothing = { pastNames: new Map<string, string>(), taken: new Set<string>(), sealer }
const named = (names: readonly string[], more: Partial<Parameters<typeof nameProjects>[1]> = {}) => {
  const listed = names.map((name, index) => ({ uid: `u${index}`, name }))
  return [...nameProjects(listed, { ...nothing, ...more }).values()]
}

describe('the name of a project of a list', () => {
  it('is that of the service, with a hyphen for blanks', () => {
    expect(named(['payments', 'Payments EU', '  refunds  ', 'v1.2_x'])).toEqual([
      ...['payments', 'Payments-EU', 'refunds', 'v1.2_x'],
    ])
  })

  it.each([
    ['nothing', ''],
    ['blanks', '   '],
    ['a slash', 'acme/payments'],
    ['a pattern', 'pay*'],
    ['a line break', 'pay\nments'],
    ['a mark of direction', 'pay\u202ements'],
    ['an escape', '\u001b[31mred'],
    ['another script', 'платежи'],
    ['a leading hyphen', '--project'],
    ['too much', 'a'.repeat(201)],
    ['a secret', ['sk', 'live', '4eC39HqLyjWDarjtT1zdp7dc'].join('_')],
    ["another one's id", 'u1'],
  ])('is its id where the service says %s', (_, name) => {
    expect(named([name, 'other'])).toEqual(['u0', 'other'])
  })

  it('is the id of both where two have one name', () => {
    expect(named(['payments', 'payments', 'pay'])).toEqual(['u0', 'u1', 'pay'])
    expect(named(['Pay EU', 'Pay-EU'])).toEqual(['u0', 'u1'])
  })

  it('is taken neither from the configuration nor from an earlier run', () => {
    expect(named(['payments'], { taken: new Set(['payments']) })).toEqual(['u0'])
    expect(named(['new', 'old'], { pastNames: new Map([['u9', 'new']]) })).toEqual(['new', 'u0', 'old'])
    expect(named(['renamed'], { pastNames: new Map([['u0', 'payments']]) })).toEqual(['payments'])
  })

  it.each([
    ['goes to the only one that the service calls so', ['payments'], { u0: 'u0' }, {}, ['payments']],
    ['goes to one that is new', ['payments'], {}, {}, ['payments']],
    ['goes to none of two, be they new or known', ['payments', 'payments'], { u0: 'u0' }, {}, ['u0', 'u1']],
    ['stays with the configuration', ['payments'], { u0: 'u0' }, { taken: new Set(['payments']) }, ['u0']],
    ['does not go to one with a name of its own', ['payments'], { u0: 'orders' }, {}, ['orders']],
    ['does not go to one with another name at the service', ['refunds'], { u0: 'u0' }, {}, ['u0']],
    ['stays until a person accepted that', ['payments'], { u0: 'u0' }, { freed: new Set<string>() }, ['u0']],
    ['stays with one that is still there', ['payments', 'x'], { u0: 'u0', u1: 'payments' }, {}, ['u0', 'payments']],
  ])('of a project that a person accepted as gone %s', (_, names, past, more, expected) => {
    const pastNames = new Map(Object.entries(past))
    expect(named(names, { pastNames, freed: new Set(['payments']), ...more })).toEqual(expected)
  })

  it('is never that of two, for any words of the service', () => {
    const name = fc.oneof(fc.constantFrom('a', 'b', 'a b', 'a-b', 'u0', 'u1', 'u2', 'u3', '*'), fc.string())
    fc.assert(
      fc.property(fc.array(name, { maxLength: 5 }), fc.constantFrom('a', 'b', 'u9'), (names, past) => {
        const pastNames = new Map([...(past === 'b' ? [['u0', 'u0'] as const] : []), ['u9', past] as const])
        const all = named(names, { pastNames, taken: new Set(['a-b']), freed: new Set(['a']) })
        expect(new Set(all).size).toBe(all.length)
        for (const one of all) expect(one).toMatch(/^[A-Za-z0-9_][A-Za-z0-9._-]{0,199}$/)
      }),
    )
  })
})
