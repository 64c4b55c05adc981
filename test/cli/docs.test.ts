import { describe, expect, it } from 'vitest'
import { pagePaths } from '../../src/cli/docs.ts'
import { topicsOf } from '../../src/questions/answer-docs.ts'
import { showMarkdown, wrapMarkdown } from '../../src/questions/show-markdown.ts'
import { refusal } from './refusal.ts'
import { command } from './run-in-process.ts'

const docs = (topic = '') => command(`docs ${topic}`, { cwd: import.meta.dirname })

describe('hookdrift docs', () => {
  it('lists all pages by kind, except those of rules and decisions', async () => {
    const { code, stdout } = await docs()
    expect(code).toBe(0)
    expect(stdout.match(/^\w[\w-]*$/gm)).toEqual(['tutorial', 'how-to', 'reference', 'explanation'])
    expect(stdout).toMatch(/^ {2}run-in-ci +Run in CI$/m)
    const listed = stdout.match(/^ {2}\S+/gm)
    expect(listed).toHaveLength(pagePaths().filter((path) => !/README|^(?:rules|decisions)\//.test(path)).length)
  })

  it('names pages about a word that is not a page', async () => {
    expect(await docs('webhook')).toEqual(refusal('pages about it: notifications, send-notifications, '))
  })

  it('gives each page one topic, and the shortest that no other has', () => {
    const topics = topicsOf(pagePaths())
    expect(new Set(topics.values()).size).toBe(topics.size)
    expect(topics.get('coverage')).toBe('reference/coverage')
    expect(topics.get('explanation/coverage')).toBe('explanation/coverage')
  })

  it.each([['run-in-ci'], ['how-to/run-in-ci'], ['docs/how-to/run-in-ci.md']])('shows a page: %s', async (topic) => {
    const { code, stdout } = await docs(topic)
    expect(code).toBe(0)
    expect(stdout).toMatch(/^# Run in CI\n/)
    expect(stdout).not.toContain('```')
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
  const options = { path: 'how-to/a', topicOf: (path: string) => ({ 'reference/b': 'b' })[path], heading: String }

  it('has no addresses of pages, and names them at the end', () => {
    const lines = ['# A', 'See [the', 'page](../reference/b.md#part) and [others](https://a.example).']
    expect(showMarkdown(lines, options)).toEqual([
      ...['# A', 'See the', 'page and others (https://a.example).'],
      ...['', 'Pages named here', '  hookdrift docs b#part'],
    ])
  })

  it('is wrapped where the terminal is narrower, but for code', () => {
    const lines = [
      '# A',
      'one two three',
      'four',
      '- five six seven',
      '',
      '    a line of code that is long',
      '| a | b c d e f |',
    ]
    expect(wrapMarkdown(lines, 12)).toEqual([
      ...['# A', 'one two', 'three four', '- five six', '  seven', '', '    a line of code that is long'],
      ...['| a | b', '    c d e f', '    |'],
    ])
    expect(wrapMarkdown(lines, 100)).toBe(lines)
  })

  it('keeps code as it is', () => {
    expect(showMarkdown(['```sh', 'a [b](c.md)', '```'], options)).toEqual(['    a [b](c.md)'])
  })
})
