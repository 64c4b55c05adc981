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
const guide = readFileSync(join(docs, 'how-to/write-a-policy.md'), 'utf8')
const { UPDATE_PAGES: update } = process.env

describe('the pages about the policy', () => {
  const blocks = [...guide.matchAll(/^( *)```yaml\n(.*?)```/gms)].map(([, indent = '', block = '']) =>
    block.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  )

  it.each(blocks.map((block, index) => [index + 1, block] as const))(
    'show valid policies: block %s',
    async (_, block) => {
      const policy = readPolicy('/etc/policy.yaml', () => block)
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

  it('list every kind of a custom rule', () => {
    const [, row = ''] = /\| `kind` \| (.*) \|/.exec(page) ?? []
    expect([...row.matchAll(/`(\w+)`/g)].map(([, kind]) => kind)).toEqual(customKinds)
  })

  it('list every member of a test', () => {
    for (const name of Object.keys(policyTestSchema.shape)) expect(page).toContain(`${name}:`)
  })
})

it('docs/reference/policy-fields.md lists every field that an expression can read (`npx vitest run test/policy -u` rewrites it)', async () => {
  const sections = customKinds.map((kind) => `## ${kind}\n\n${table(fieldsOf(kind))}`)
  const intro = `# Fields for rules of your own

What \`resource\` holds in a [custom rule](policy.md#custom-rules), by kind. Generated.

Times are texts such as \`2026-01-01T00:00:00Z\`, empty where there is none: \`age(resource.created_at)\`. Fields that
change by themselves are refused in a message.

\`shown\` says in which items the service shows a field: in all of them where nothing is said, else unless it is empty,
only in objects of one type, or since a release. One that should be there and is not is unknown: a rule that reads it
evaluates nothing there. **ignored**: the service stores and shows the field and does not act on it.
`
  await expect(`${intro}\n${sections.join('\n\n')}\n`).toMatchFileSnapshot(join(docs, 'reference/policy-fields.md'))
})

function table(members: Members) {
  return ['| field | type | shown |', '|---|---|---|', ...rowsOf(members, '')].join('\n')
}

function rowsOf(members: Members, prefix: string): string[] {
  return Object.entries(members).flatMap(([name, field]) => {
    if (field.use === 'reference' || (prefix !== '' && field.use === 'volatile')) return []
    const path = `${prefix}${name}`
    const row = `| \`${path}\` | ${wordsFor(field)} | ${shownWhen(field)} |`
    if (field.type === 'struct') return [row, ...rowsOf(field.members, `${path}.`)]
    if (field.type !== 'keyed') return [row]
    return [row, `| \`${path}[].${field.by ?? 'uid'}\` | text | |`, ...rowsOf(field.members, `${path}[].`)]
  })
}

function wordsFor(field: Field) {
  const unit = field.type === 'integer' && field.unit !== undefined ? ` (${field.unit})` : ''
  return `${words[field.type] ?? field.type}${unit}${field.use === 'volatile' ? ', changes by itself' : ''}`
}

function shownWhen({ absent, since, onlyFor, ignored, unwritten }: Field) {
  const whens = [
    since && `since ${since}`,
    onlyFor && `for the type \`${onlyFor}\``,
    absent === 'empty' && 'unless empty',
    absent === 'apart' &&
      (unwritten?.includes('the place') ? 'made of its place in the list' : 'by requests of its own'),
    ignored &&
      `**ignored**${ignored.ofType === undefined ? '' : ` for the type \`${ignored.ofType}\``}: ${ignored.instead}`,
  ]
  return whens.filter(Boolean).join(', ')
}

const words: Readonly<Record<string, string>> = {
  struct: 'object',
  keyed: 'list of objects',
  text: 'text',
  word: 'text',
  name: 'text',
  prose: 'text (its seal and length if it looks secret)',
  code: 'text (a program)',
  url: 'text (an address)',
  'secret-url': 'text (an address, sealed behind the host)',
  secret: 'secret',
  integer: 'int',
  seconds: 'int (seconds)',
  flag: 'bool',
  time: 'text (a time)',
  set: 'list of texts',
  addresses: 'list of texts (addresses)',
  free: 'JSON',
}
