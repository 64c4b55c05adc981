import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { rowsOf } from '../../scripts/rule-table.ts'
import { isBuiltInRule } from '../../src/model/built-in-rules.ts'
import { type Kind, kinds } from '../../src/model/resource.ts'
import { isAtLeast } from '../../src/model/violation.ts'
import { packs } from '../../src/rules/engine/rule.ts'
import { rules } from '../../src/rules/rules.ts'
import { type Cases, findingsOf } from './rule-cases.ts'

const source = join(import.meta.dirname, '../../src/rules')
const filesBelow = (directory: string, ending: string) =>
  readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.includes('/') && file.endsWith(ending))
    .map((file) => file.slice(0, -ending.length))
    .sort()

const casesOf = new Map<string, Cases>(
  await Promise.all(
    filesBelow(import.meta.dirname, '.cases.ts').map(async (id): Promise<[string, Cases]> => {
      const { cases } = await import(/* @vite-ignore */ join(import.meta.dirname, `${id}.cases.ts`))
      return [id, cases]
    }),
  ),
)

const isTable = (file: string) => file.endsWith('-rules')
const ruleFiles = filesBelow(source, '.ts').filter((file) => !/^(engine|shared)\//.test(file))
const files = ruleFiles.filter((file) => !isTable(file))
const tables = ruleFiles.filter(isTable).map((file) => readFileSync(join(source, `${file}.ts`), 'utf8'))

/** First halves of ids in addition to the kind's own name. */
const themes: Partial<Record<Kind, readonly string[]>> = { policy: ['waiver', 'violation'], project: ['service'] }

describe('the table of rules', () => {
  it('lists every rule once, in the order of ids: it has a file, or is a row of the table of its kind', () => {
    expect(rules.map(({ id }) => id)).toEqual([...files, ...tables.flatMap(rowsOf)].sort())
  })

  it('has its rows, and the rules with a file, in the order of ids', () => {
    for (const table of tables) {
      expect(rowsOf(table)).toEqual([...rowsOf(table)].sort())
      const imported = [...table.matchAll(/^import \{ (\w+) \} from '\.\//gm)].map(([, name]) => name)
      const list = table.slice(table.indexOf('\nexport const '))
      expect([...list.matchAll(/^ {2}(\w+),$/gm)].map(([, name]) => name)).toEqual(imported)
    }
  })

  it("has only rules that other parts know as hookdrift's own", () => {
    expect(rules.filter(({ id }) => !isBuiltInRule(id))).toEqual([])
    expect(isBuiltInRule('acme/owner')).toBe(false)
  })

  it('has requests put back all that a drift rule sees restored, but former secrets', () => {
    const lost = rules.filter(({ life, isRestorable }) => life === 'restored' && isRestorable !== true)
    expect(lost.map(({ id }) => id)).toEqual(['drift/secret-changed'])
    const others = rules.filter(({ life, isRestorable }) => life !== 'restored' && isRestorable === true)
    expect(others).toEqual([])
  })

  it('has cases for every rule, and no others', () => {
    expect([...casesOf.keys()].sort()).toEqual(rules.map(({ id }) => id).sort())
  })

  it.each(rules.map((rule) => [rule.id, rule] as const))('%s has a title, severity, kind and packs', (id, rule) => {
    expect(rule.title).toMatch(/^[A-Z].{10,90}[^.]$/)
    // What a rule is about, or the part of the kind that it is about.
    const halves = rule.scope === 'drift' ? ['drift'] : [rule.kind, ...(themes[rule.kind] ?? [])]
    expect(halves).toContain(id.split('/')[0])
    expect(kinds).toEqual(expect.arrayContaining([rule.kind, ...rule.needs]))
    // A finding about the scan of a project needs no list: it ends when lists are read again.
    if (rule.scope !== 'scan') expect(rule.needs).toContain(rule.kind)
    expect(packs).toEqual(expect.arrayContaining([...rule.packs]))
    expect(rule.packs).toEqual([...new Set(rule.packs)])
    // A rule of no pack is one that only a policy switches on.
    if (rule.packs.length > 0) expect(rule.packs).toContain('all')
    if (rule.packs.length > 0 && isAtLeast(rule.severity, 'medium')) expect(rule.packs).toContain('recommended')
  })

  it.each(rules.map((rule) => [rule.id, rule] as const))(
    '%s describes its options, which all have defaults',
    (_, rule) => {
      expect(rule.options).toBeInstanceOf(z.ZodObject)
      const shape = rule.options instanceof z.ZodObject ? rule.options.shape : {}
      for (const [name, option] of Object.entries(shape)) {
        expect(name).toMatch(/^[a-z]+(_[a-z]+)*$/)
        expect(z.globalRegistry.get(option)?.description, name).toMatch(/^[A-Z].{5,}[^.]$/)
      }
      expect(() => rule.bind({})).not.toThrow()
      expect(() => rule.bind({ nonsense: 1 })).toThrow(/nonsense/)
    },
  )

  it.each(rules.map((rule) => [rule.id, rule] as const))(
    '%s is silent where its attributes are not shown',
    async (_, rule) => {
      const kindsSeen = [...new Set([rule.kind, ...rule.needs])]
      const sees = kindsSeen.flatMap((kind) => ['a', 'b'].map((uid) => ({ kind, uid, attributes: {}, project: 'p' })))
      expect(await findingsOf(rule, { sees })).toEqual([])
      expect(await findingsOf(rule, { sees, unseen: kinds })).toEqual([])
      const compares = kindsSeen.map((kind) => ({ kind, uid: 'a', before: {}, after: {}, isApproved: true }))
      expect(await findingsOf(rule, { compares, scan: {} })).toEqual([])
    },
  )
})

describe.each(rules.map((rule) => [rule.id, rule] as const))('%s', (id, rule) => {
  const cases = Object.entries(casesOf.get(id) ?? {})

  it('has cases with findings and cases without', () => {
    const counts = [
      cases.some(([, { finds }]) => finds !== undefined),
      cases.some(([, { finds }]) => finds === undefined),
    ]
    expect(counts).toEqual([true, true])
  })

  it.each(cases)('%s', async (_, { finds = [], ...given }) => {
    expect(await findingsOf(rule, given)).toEqual(finds)
  })
})

describe.each(rules.filter(({ scope }) => scope === 'fleet').map((rule) => [rule.id, rule] as const))(
  '%s, read by who knows of one project alone',
  (id, rule) => {
    it.each(Object.entries(casesOf.get(id) ?? {}))('says nothing of others: %s', async (_, { sees = [], ...given }) => {
      const own = sees.map((resource) => ({ ...resource, project: 'p', uid: `${resource.project}-${resource.uid}` }))
      const findings = async (projects: number, copies: number) => {
        const others = range(projects).flatMap((project) =>
          range(copies).flatMap((copy) =>
            own.map((resource) => ({
              ...resource,
              project: `hidden${project}`,
              uid: `hidden-${copy}-${resource.uid}`,
            })),
          ),
        )
        const found = await findingsOf(rule, { ...given, sees: [...own, ...others] })
        return found.filter((finding) => !/^\w+ hidden-/.test(finding))
      }
      const withOne = await findings(1, 1)
      expect(withOne.filter((finding) => finding.includes('hidden'))).toEqual([])
      expect(await findings(1, 3)).toEqual(withOne)
      expect(await findings(4, 2)).toEqual(withOne)
    })
  },
)

function range(length: number): number[] {
  return Array.from({ length }, (_, index) => index)
}
