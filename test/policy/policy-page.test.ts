import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { wrapMarkdown } from '../../scripts/reference/wrap-markdown.ts'
import type { Field, Members } from '../../src/gateway/fields.ts'
import { extensionFunctions, fieldsOf } from '../../src/policy/cel/language.ts'
import { customKinds } from '../../src/policy/policy-schema.ts'
import { policyTestSchema } from '../../src/policy/policy-test-schema.ts'
import { readPolicy } from '../../src/policy/read-policy.ts'
import { readPolicyTests } from '../../src/policy/read-policy-tests.ts'
import { runPolicyTest } from '../../src/policy/run-policy-test.ts'

const docs = join(import.meta.dirname, '../../docs')
const page = readFileSync(join(docs, 'reference/policy.md'), 'utf8')
const { UPDATE_PAGES: update } = process.env

describe('the page about the policy', () => {
  const blocks = [...page.matchAll(/^```yaml\n(.*?)```/gms)].map(([, block = '']) => block)

  it.each(blocks.map((block, index) => [index + 1, block] as const))(
    'show valid policies: block %s',
    async (_, block) => {
      const policy = readPolicy('/etc/policy.yaml', (file) => (file.endsWith('.json') ? '{}' : block))
      const readFile = (file: string) => {
        if (file === '/etc/policy.yaml') return block
        throw Object.assign(new Error('none'), { code: 'ENOENT' })
      }
      for (const { test } of readPolicyTests(
        '/etc/policy.yaml',
        readFile,
        policy.allRules.map(({ id }) => id),
      )) {
        expect([test.name, runPolicyTest(policy, test)]).toMatchObject([test.name, { missing: [], unexpected: [] }])
      }
    },
  )

  it('list every custom function (UPDATE_PAGES=1 rewrites the list)', () => {
    const rows = extensionFunctions.map(({ signature, description }) => {
      return `- \`${signature.replaceAll('google.protobuf.', '').replaceAll('Secret', 'secret')}\`: ${description}.`
    })
    const table = wrapMarkdown(['<!-- functions -->', ...rows, '<!-- end -->'].join('\n'))
    const current = page.replace(/<!-- functions -->.*?<!-- end -->/s, () => table)
    if (update !== undefined) writeFileSync(join(docs, 'reference/policy.md'), current)
    else expect(page).toBe(current)
  })

  it('list every field that an expression can read (UPDATE_PAGES=1 rewrites the list)', () => {
    const kinds = customKinds.map((kind) => `- **${kind}**: ${leavesOf(fieldsOf(kind), '').join(', ')}`)
    const list = wrapMarkdown(['<!-- fields -->', ...kinds, '<!-- end -->'].join('\n'))
    const current = page.replace(/<!-- fields -->.*?<!-- end -->/s, () => list)
    if (update !== undefined) writeFileSync(join(docs, 'reference/policy.md'), current)
    else expect(page).toBe(current)
  })

  it('list every kind of a custom rule', () => {
    const [, row = ''] = /\| `kind` \| (.*) \|/.exec(page) ?? []
    expect([...row.matchAll(/`(\w+)`/g)].map(([, kind]) => kind)).toEqual(customKinds)
  })

  it('list every member of a test', () => {
    for (const name of Object.keys(policyTestSchema.shape)) expect(page).toContain(`${name}:`)
  })
})

function leavesOf(members: Members, prefix: string): string[] {
  return Object.entries(members).flatMap(([name, field]) => {
    if (field.use === 'reference' || (prefix !== '' && field.use === 'volatile')) return []
    const path = `${prefix}${name}`
    if (field.type === 'struct' && marksOf(field) === '') return leavesOf(field.members, `${path}.`)
    const leaf = [`\`${path}\``, wordsFor(field), marksOf(field)].filter((word) => word !== '').join(' ')
    if (field.type === 'struct') return [leaf, ...leavesOf(field.members, `${path}.`)]
    return field.type === 'keyed' ? [leaf, ...leavesOf(field.members, `${path}[].`)] : [leaf]
  })
}

function wordsFor(field: Field) {
  const unit = field.type === 'integer' && field.unit !== undefined ? ` (${field.unit})` : ''
  return `${words[field.type] ?? ''}${unit}`
}

function marksOf({ absent, since, onlyFor, ignored }: Field) {
  return [since, onlyFor && '@', absent === 'empty' && '?', ignored && '!'].filter(Boolean).join(' ')
}

/** Texts of any form have no word. */
const words: Readonly<Record<string, string>> = {
  struct: 'object',
  keyed: 'list of objects',
  secret: 'secret',
  integer: 'int',
  seconds: 'int (seconds)',
  flag: 'bool',
  time: 'time',
  set: 'list',
  addresses: 'list',
  free: 'JSON',
}
