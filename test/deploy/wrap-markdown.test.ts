import { expect, it } from 'vitest'
import { wrapMarkdown } from '../../scripts/reference/wrap-markdown.ts'

const words = (count: number, word = 'word') => Array.from({ length: count }, () => word).join(' ')
const widest = (text: string) => Math.max(...text.split('\n').map((line) => line.length))

it('wrapping Markdown ends lines of paragraphs and items at 120 columns, items with their indent', () => {
  const wrapped = wrapMarkdown(`${words(60)}\n\n- ${words(40)}\n  1. ${words(40)}`)
  expect(widest(wrapped)).toBeLessThanOrEqual(120)
  expect(wrapped).toMatch(/\n\n- word[^\n]*\n {2}word/)
  expect(wrapped).toMatch(/\n {2}1\. word[^\n]*\n {5}word/)
})

it('wrapping Markdown twice changes nothing, and joins shorter lines', () => {
  const wrapped = wrapMarkdown(`${words(60)}\n\n- ${words(40)}`)
  expect(wrapMarkdown(wrapped)).toBe(wrapped)
  expect(wrapMarkdown(`a paragraph of\ntwo lines\n\n- an item\n  of two`)).toBe(
    'a paragraph of two lines\n\n- an item of two',
  )
})

it('wrapping Markdown breaks no code, link, table, heading or block', () => {
  const link = `[${words(3)}](https://a.example/${'x'.repeat(20)})`
  const wrapped = wrapMarkdown(`${words(22)} ${link} ${words(8)} \`${words(6)}\` ${words(20)}`)
  expect(wrapped).toContain(link)
  expect(wrapped).toContain(`\`${words(6)}\``)
  const kept = `# ${words(40)}\n\n| ${words(40)} |\n\n\`\`\`\n${words(40)}\nand so on\n\`\`\``
  expect(wrapMarkdown(kept)).toBe(kept)
})
