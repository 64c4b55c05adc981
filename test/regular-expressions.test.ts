import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { safeExpressions } from './safe-expressions.ts'

const root = resolve(import.meta.dirname, '..')

interface Found {
  readonly file: string
  readonly expression: string
  readonly line: number
}

/** Every regular expression of a program: literals, and those that are made at run time. */
function expressionsIn(file: string, text: string): Found[] {
  const language = { languageVersion: ts.ScriptTarget.Latest, jsDocParsingMode: ts.JSDocParsingMode.ParseNone }
  const source = ts.createSourceFile(file, text, language)
  const found: Found[] = []
  const visit = (node: ts.Node): void => {
    const isMade =
      (ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText(source) === 'RegExp'
    if (isMade || ts.isRegularExpressionLiteral(node)) {
      const line = source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1
      found.push({ file, expression: node.getText(source), line })
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

/** Whether it may match a text of any length. What is made at run time always counts. */
function isUnbounded(expression: string): boolean {
  if (!expression.startsWith('/')) return true
  const bare = expression.replace(/\\./g, 'x').replace(/\[[^\]]*\]/g, 'x')
  return /[*+]|\{\d+,\}/.test(bare)
}

function allExpressions(): Found[] {
  return readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .sort()
    .flatMap((path) => expressionsIn(`src/${path}`, readFileSync(join(root, 'src', path), 'utf8')))
}

describe('regular expressions', () => {
  const unbounded = allExpressions().filter(({ expression }) => isUnbounded(expression))
  const entries = safeExpressions.flatMap(([file, , ...expressions]) =>
    expressions.map((expression) => ({ file, expression })),
  )
  const isSame = (a: Pick<Found, 'file' | 'expression'>) => (b: Pick<Found, 'file' | 'expression'>) =>
    a.file === b.file && a.expression === b.expression

  it('without a bound are each explained, so that no text of a service can exhaust time or stack', () => {
    const unexplained = unbounded
      .filter((found) => !entries.some(isSame(found)))
      .map(
        ({ file, line, expression }) =>
          `${file}:${line} has ${expression}, which test/safe-expressions.ts does not explain. V8 runs out of stack on ` +
          'long matches and takes for ever on some texts: bound the text, scan by hand, or use RE2; then say there why it is safe.',
      )
    expect(unexplained).toEqual([])
  })

  it('exist in the code that the table names', () => {
    const stale = entries
      .filter((entry) => !unbounded.some(isSame(entry)))
      .map(({ file, expression }) => `${file} no longer has ${expression}: remove it from test/safe-expressions.ts.`)
    expect(stale).toEqual([])
  })

  it.each([
    ['/a*/', true],
    ['/a+?/g', true],
    ['/a{2,}/', true],
    ['/[*+]/', false],
    ['/\\*\\+/', false],
    ['/a{2,9}b?/', false],
    ['/[\\]*]/', false],
    ['/[^a]*/', true],
    ['new RegExp(text)', true],
    ["RegExp('a')", true],
  ])('%s: detected as unbounded is %s', (expression, expected) => {
    expect(isUnbounded(expression)).toBe(expected)
  })

  it('are detected in every position', () => {
    const inserted = '{/x+/.test("/y*/")}'
    const text = `const a = b / c / d; \`$${inserted}\`; // /z*/\nRegExp("q*"); new RegExp(p, "g")`
    expect(expressionsIn('a.ts', text).map(({ expression, line }) => `${line} ${expression}`)).toEqual([
      '1 /x+/',
      '2 RegExp("q*")',
      '2 new RegExp(p, "g")',
    ])
  })
})
