import { describe, expect, it } from 'vitest'
import { pagePaths } from '../../src/cli/docs.ts'
import { formerTopics, topicsOf } from '../../src/questions/answer-docs.ts'
import { showMarkdown } from '../../src/questions/show-markdown.ts'
import { refusal } from './refusal.ts'
import { command } from './run-in-process.ts'

const docs = (topic = '') => command(`docs ${topic}`, { cwd: import.meta.dirname })

describe('hookdrift docs', () => {
  it('lists all pages by kind, except those of rules and the design', async () => {
    const { code, stdout } = await docs()
    expect(code).toBe(0)
    expect(stdout).toMatch(/^run-in-ci +how-to +Run in CI$/m)
    const kinds = [...stdout.matchAll(/^\S+ {2,}(tutorial|how-to|reference|explanation) /gm)].map(([, kind]) => kind)
    expect([...new Set(kinds)]).toEqual(['tutorial', 'how-to', 'reference', 'explanation'])
    expect(kinds).toHaveLength(pagePaths().filter((path) => !/README|^rules\/|^design$/.test(path)).length)
  })

  it('names pages about a word that is not a page', async () => {
    expect(await docs('webhook')).toEqual(refusal('pages about it: send-notifications, '))
  })

  it('gives each page one topic, and the shortest that no other has', () => {
    const topics = topicsOf(pagePaths())
    expect(new Set(topics.values()).size).toBe(topics.size)
    expect(topics.get('coverage')).toBe('reference/coverage')
  })

  it.each([['run-in-ci'], ['how-to/run-in-ci'], ['docs/how-to/run-in-ci.md']])('shows a page: %s', async (topic) => {
    const { code, stdout } = await docs(topic)
    expect(code).toBe(0)
    expect(stdout).toMatch(/^# Run in CI\n/)
  })

  it('leads from the former topic of a page to the one that has it now', async () => {
    expect(formerTopics.size).toBeGreaterThan(0)
    for (const [former, present] of formerTopics) expect(await docs(former)).toEqual(await docs(present))
    expect((await docs('docs/explanation/coverage.md')).code).toBe(0)
  })

  it('shows the page of a rule', async () => {
    expect((await docs('endpoint/secret-weak')).stdout).toMatch(/^# endpoint\/secret-weak/)
  })

  it.each([['errors#401-the-key-was-refused'], ['errors#401']])(
    'shows a section, and not the next: %s',
    async (topic) => {
      const { stdout } = await docs(topic)
      expect(stdout).toMatch(/^### 401: the key was refused\n/)
      expect(stdout).not.toContain('### 403')
    },
  )

  it.each([
    ['run-in-c', 'there is no page "run-in-c", did you mean run-in-ci?\n  `hookdrift docs` lists the pages'],
    ['errors#nope', 'the page errors has no section "nope"\n  its sections: exit-codes-and-errors, exit-codes, '],
    ['../package', 'there is no page "../package"'],
    ['__proto__', 'there is no page "__proto__"'],
  ])('says what there is instead of %s', async (topic, message) => {
    expect(await docs(topic)).toEqual(refusal(`hookdrift: ${message}`))
  })
})

describe('Markdown in a terminal', () => {
  const shownAt = (width: number, ...lines: readonly string[]) => {
    const topicOf = (path: string) => ({ 'reference/b': 'b' })[path]
    return showMarkdown(lines.join('\n'), {
      path: 'how-to/a',
      topicOf,
      paint: (style, said) => `${style}(${said})`,
      width,
    })
  }

  it.each([
    [
      'a heading and a link: the page is named at the end',
      ['# A', 'See [the', 'page](../reference/b.md#part), `code` and [others](https://a.example).'],
      ['heading(A)', '', 'See the page, code and others', '(https://a.example).', '', 'heading(Pages named here)'],
      ['  hookdrift docs b#part'],
    ],
    [
      'a list in a list',
      ['1. one', '   - two three four five six seven eight', '2. nine'],
      ['1. one', '   - two three four five six seven', '     eight', '2. nine'],
    ],
    ['a table', ['| a | b |', '|---|---|', '| `c` | d |'], ['heading(a  b)', 'c  d']],
    [
      'code, which is kept as it is',
      ['```sh', 'a [b](c.md) of a line that is longer than the width', '```'],
      ['  a [b](c.md) of a line that is longer than the width'],
    ],
  ])('lays out %s', (_, lines, beginning, end = []) => {
    const shown = shownAt(34, ...lines)
    expect(shown.slice(0, beginning.length)).toEqual(beginning)
    expect(shown.slice(shown.length - end.length)).toEqual(end)
  })

  it('is that of a page and of a rule; a pipe gets Markdown', async () => {
    for (const line of ['docs endpoint/secret-weak', 'rules endpoint/secret-weak']) {
      const piped = await command(line, { cwd: import.meta.dirname })
      expect(piped.stdout).toMatch(/^# endpoint\/secret-weak\n[\s\S]*\n\|---\|/)
      const { stdout } = await command(line, { cwd: import.meta.dirname, columns: 80 })
      expect(stdout).toMatch(/endpoint\/secret-weak[\s\S]*severity +packs/)
      expect(stdout).not.toMatch(/^#|^\||`/m)
    }
  })
})
