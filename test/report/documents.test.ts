import { XMLParser } from 'fast-xml-parser'
import MarkdownIt from 'markdown-it'
import { describe, expect, it } from 'vitest'
import { builtInFrameworkIds } from '../../src/report/compliance/built-in-frameworks.ts'
import { complianceDocument } from '../../src/report/compliance/compliance-document.ts'
import { builtInFramework } from '../../src/report/compliance/framework.ts'
import { type Block, type Document, type Inline, spansOf } from '../../src/report/document/blocks.ts'
import { asHtml } from '../../src/report/document/html.ts'
import { asMarkdown } from '../../src/report/document/markdown.ts'
import { asTerminal } from '../../src/report/document/terminal.ts'
import { groupings } from '../../src/report/group-by.ts'
import { reportDocument } from '../../src/report/report-document.ts'
import { composeCompliance } from '../compliance/checked-compliance.ts'
import { evaluatedSamples } from './evaluated-sample.ts'
import { aReport, aViolation, samples } from './sample-reports.ts'

/** Documents of every kind that people read. */
const documents: Readonly<Record<string, Document>> = Object.fromEntries([
  ...Object.entries({ ...samples, ...Object.fromEntries(named('evaluated', evaluatedSamples)) }).flatMap(
    ([name, report]) =>
      groupings.map(
        (groupBy) => [`report ${name} by ${groupBy}`, reportDocument(report, { full: true, groupBy })] as const,
      ),
  ),
  ...[...builtInFrameworkIds].flatMap((id) =>
    Object.entries(evaluatedSamples).map(([name, report]) => {
      const compliance = composeCompliance({ report, framework: builtInFramework(id) })
      return [`${id} of ${name}`, complianceDocument(compliance)] as const
    }),
  ),
  ...[
    '1. not a list',
    '- a',
    '# a',
    '> a',
    '    a',
    '|',
    '`',
    '**a**',
    '<b>',
    '[a](https://evil.example)',
    '&amp;',
    '\\',
  ].map((said) => {
    const violations = [aViolation({ message: said, name: said, uid: said, owner: said, path: `/${said}` })]
    return [`hostile ${said}`, reportDocument(aReport({ violations }), { full: true })] as const
  }),
])

function named<Value>(prefix: string, values: Readonly<Record<string, Value>>) {
  return Object.entries(values).map(([name, value]) => [`${prefix} ${name}`, value] as const)
}

/** What a foreign reader gets to see of each form, as text. */
const forms = {
  terminal: (document: Document) =>
    asTerminal(document, { colour: false, width: Number.POSITIVE_INFINITY, full: true }),
  markdown(document: Document) {
    const tokens = new MarkdownIt({ html: true, linkify: true }).parse(asMarkdown(document, 'all'), {})
    return tokens.flatMap(({ children }) => (children ?? []).map(({ content }) => content)).join(' ')
  },
  html({ title, about, verdict, sections }: Document) {
    const page = `<main><h1>${title}</h1>${asHtml([verdict, ...about, ...sections])}</main>`
    return textsIn(new XMLParser(htmlOptions).parse(page)).join(' ')
  },
} as const

const htmlOptions = {
  preserveOrder: true,
  htmlEntities: true,
  trimValues: false,
  parseTagValue: false,
  ignoreAttributes: true,
  unpairedTags: ['br'],
  processEntities: { enabled: true, maxTotalExpansions: 100_000 },
}

function textsIn(parsed: unknown): readonly string[] {
  if (Array.isArray(parsed)) return parsed.flatMap(textsIn)
  if (typeof parsed !== 'object' || parsed === null) return [String(parsed)]
  return Object.values(parsed).flatMap(textsIn)
}

/** The facts of a document, in order: what each form has to say, as far as it has a place for them. */
function factsOf(blocks: readonly Block[], form: keyof typeof forms): readonly string[] {
  return blocks.flatMap((block) => factsOfBlock(block, form))
}

function factsOfBlock(block: Block, form: keyof typeof forms): readonly string[] {
  switch (block.kind) {
    case 'text':
      return wordsOf(block.text)
    case 'facts':
      return block.facts.flatMap(([name, value]) => [name, ...wordsOf(value)])
    case 'verdict':
      return [block.sentence, ...block.facts]
    case 'table':
      if (form === 'terminal' && block.isOverview === true) return []
      // A page has a dot for none.
      return block.rows.flatMap(({ cells }) =>
        cells.flatMap(wordsOf).map((word) => (form === 'html' && word === '0' ? '·' : word)),
      )
    case 'list':
      return block.items.flatMap(({ text, fields = [], below = [] }) => [
        ...wordsOf(text),
        ...fields.map(({ path }) => path),
        ...below.flatMap(wordsOf),
      ])
    case 'fix':
      return form === 'html' ? [] : [block.text]
    case 'commands':
      return block.rows.map(({ command }) => command)
    case 'verbatim':
      return block.lines
    case 'section':
      if (block.isAppendix && form === 'markdown') return []
      return [...wordsOf(block.title), ...factsOf(block.blocks, form)]
    case 'signature':
      return form === 'html' ? block.fields : []
  }
}

function wordsOf(inline: Inline): readonly string[] {
  return spansOf(inline).flatMap((span) => {
    if (typeof span === 'string') return [span]
    if ('code' in span) return [span.code]
    if ('strong' in span) return [span.strong]
    if ('instant' in span) return [span.instant.slice(0, 10)]
    if ('chip' in span) return [span.chip]
    if ('text' in span) return [span.text]
    const { project, kind, name, uid } = span.resource
    return [project, kind, name, uid]
  })
}

/** Forms differ in blanks, quotes, capitals, and in how they write what would act as markup. */
function bare(said: string): string {
  return said
    .replaceAll('\\x60', '`')
    .replaceAll('\\x7c', '|')
    .replaceAll(/[\s`"\\]/g, '')
    .toLowerCase()
}

/** The first fact that the text does not have after those before it. */
function firstMissing(text: string, facts: readonly string[]): string | undefined {
  const shown = bare(text)
  let at = 0
  return facts.find((fact) => {
    // Long texts are cut, each form at its own length.
    const wanted = bare(fact).slice(0, 40)
    const found = shown.indexOf(wanted, at)
    at = found + wanted.length
    return found === -1
  })
}

describe.each(Object.keys(forms) as (keyof typeof forms)[])('a document as %s', (form) => {
  it.each(Object.entries(documents))('says all facts, in order: %s', (_, document) => {
    const { title, verdict, about, sections } = document
    const facts = [title, ...factsOf([verdict, ...about, ...sections], form)]
    expect(facts.length).toBeGreaterThan(3)
    expect(firstMissing(forms[form](document), facts)).toBeUndefined()
  })
})

it('there are more than forty of them', () => {
  expect(Object.keys(documents).length).toBeGreaterThan(40)
})
