import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { withEvidence } from '../../scripts/framework-evidence.ts'
import { kinds, ruleRow, withBrokenRow } from '../../scripts/rule-files.ts'
import { exportedName, rowsOf, tableFile, withRow, withRuleFile } from '../../scripts/rule-table.ts'

const checkout = resolve(import.meta.dirname, '../..')
let copy: string

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'hookdrift-new-rule-'))
  for (const part of [
    'package.json',
    'release',
    'src',
    'scripts',
    'config',
    'docs/rules',
    'test/policy',
    'test/rules',
  ]) {
    cpSync(join(checkout, part), join(copy, part), { recursive: true })
  }
  symlinkSync(join(checkout, 'node_modules'), join(copy, 'node_modules'))
})
afterAll(() => rmSync(copy, { recursive: true }))

const newRule = (...args: string[]) =>
  spawnSync(process.execPath, ['scripts/new-rule.ts', ...args], { cwd: copy, encoding: 'utf8' })

/** What a program sees of a rule in the copy: its findings by case, its controls and its page. */
const probe = (id: string) => `
  import { rules } from './src/rules/rules.ts'
  import { controlsOf } from './src/report/compliance/built-in-frameworks.ts'
  import { remediationOf } from './src/rules/rule-page.ts'
  import { findingsOf } from './test/rules/rule-cases.ts'
  import { cases } from './test/rules/${id}.cases.ts'
  const rule = rules.find((rule) => rule.id === '${id}')
  const wrong = []
  for (const [name, { finds = [], ...given }] of Object.entries(cases)) {
    if (JSON.stringify(await findingsOf(rule, given)) !== JSON.stringify(finds)) wrong.push(name)
  }
  console.log(JSON.stringify({ wrong, controls: controlsOf('${id}'), remediation: remediationOf('${id}') }))
`

describe('npm run new:rule', () => {
  it.each([
    ['a file', 'endpoint/made-by-script', 'src/rules/endpoint/made-by-script.ts'],
    ['a row', 'endpoint/made-as-row', 'src/rules/endpoint/endpoint-rules.ts', '--row'],
  ])(
    'writes a working rule as %s, with its cases, page, broken row, controls and schema',
    (_, id, place, ...options) => {
      const { status, stdout, stderr } = newRule(id, ...options, '--evidence-like', 'source/queue-static-keys')
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
      for (const file of [place, `test/rules/${id}.cases.ts`, `docs/rules/${id}.md`]) expect(stdout).toContain(file)
      expect(existsSync(join(copy, `src/rules/${id}.ts`))).toBe(options.length === 0)
      expect(readFileSync(join(copy, 'config/policy.schema.json'), 'utf8')).toContain(`"${id}"`)
      const seen = execFileSync(process.execPath, ['--input-type=module-typescript', '-e', probe(id)], { cwd: copy })
      expect(JSON.parse(seen.toString())).toEqual({
        wrong: [],
        controls: expect.arrayContaining(['soc2:CC6.1', 'soc2:CC7.1']),
        remediation: 'Replace the value.',
      })
    },
  )

  it.each(kinds)('adds the row that breaks a rule to the table of its kind: %s', (kind) => {
    const rows = readFileSync(join(checkout, 'test/rules/broken-rows.ts'), 'utf8')
    const added = withBrokenRow(rows, `${kind}/made-up`, kind)
    const table = added.slice(added.indexOf(`export const ${kind}Breaks`)).split('\n}\n')[0]
    expect(table).toMatch(new RegExp(`^ {2}'${kind}/made-up': .*\\b${kind}MadeUp\\.change`, 'm'))
    expect(added).toContain(`import { broken as ${kind}MadeUp } from './${kind}/made-up.cases.ts'\n`)
  })

  it.each(kinds)('adds a row or a file to the table of its kind, in the order of ids: %s', (kind) => {
    const table = readFileSync(join(checkout, tableFile(kind)), 'utf8')
    for (const name of ['aaa', 'made-up', 'zzz']) {
      const id = `${kind}/${name}`
      const asRow = withRow(table, id, ruleRow(id, kind))
      expect(rowsOf(asRow)).toEqual([...rowsOf(table), id].sort())
      expect(asRow.replace(ruleRow(id, kind), '')).toBe(table)
      const asFile = withRuleFile(table, id)
      const imported = [...asFile.matchAll(/^import \{ (\w+) \} from '\.\/(.*)\.ts'$/gm)]
      expect(imported.map(([, , file]) => file)).toEqual(imported.map(([, , file]) => file).sort())
      const list = asFile.slice(asFile.indexOf('\nexport const '))
      expect([...list.matchAll(/^ {2}(\w+),$/gm)].map(([, one]) => one)).toEqual(imported.map(([, one]) => one))
      expect(asFile).toContain(`import { ${exportedName(id)} } from './${name}.ts'\n`)
    }
  })

  it('adds a rule to the evidence of another one, unless a pattern covers it', () => {
    const list = (...rules: string[]) => rules.map((rule) => `          - ${rule}\n`).join('')
    const yaml = (...lists: string[]) => lists.join('      - rationale: Why.\n        rules:\n')
    const before = yaml('', list('"*"'), list('endpoint/secret-*', 'source/disabled'), list('endpoint/secret-weak'))
    expect(withEvidence(before, 'endpoint/secret-new', 'endpoint/secret-weak')).toBe(
      yaml(
        ...['', list('"*"'), list('endpoint/secret-*', 'source/disabled')],
        list('endpoint/secret-weak', 'endpoint/secret-new'),
      ),
    )
  })

  it.each([
    ['drift/x', '"drift/x" is not the id of a new rule'],
    ['endpoint/auth-weak', 'the rule endpoint/auth-weak exists already'],
    ['endpoint/timeout-low', 'the rule endpoint/timeout-low exists already'],
  ])('refuses %s', (id, problem) => {
    const { status, stderr } = newRule(id)
    expect(status).toBe(2)
    expect(stderr).toContain(problem)
  })
})
