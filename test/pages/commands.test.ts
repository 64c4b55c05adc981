import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { apiEntries } from '../../src/cli/api/api-entries.ts'
import { globOf } from '../../src/model/glob.ts'
import { command } from '../cli/run-in-process.ts'
import { openEventfulSite } from './eventful-site.ts'
import { shellWords } from './shell-words.ts'
import { type Walked, walkLinks } from './walk-links.ts'

const source = resolve(import.meta.dirname, '../../src')

/** What a service may send as uids. */
const uids = ['a;id>pwn;#', '--config=/etc/passwd', "it's $(id) `id`", '*', '~', '-n', '.', '..', '~.', 'a/b?c#d%2Fe']
const owner = 'team *;id'

/** As a reader copies it: without the spans that keep an option and its value on one line. */
const textOf = (markup: string) =>
  markup
    .replaceAll(/<\/?span>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
const commandsIn = (text: string) =>
  [...text.matchAll(/<code class="command">(.*?)<\/code>/gs)].map(([, line = '']) => textOf(line))

let site: Awaited<ReturnType<typeof openEventfulSite>>
let walked: readonly Walked[]
beforeAll(async () => {
  // Commands of the page and of the command line count from the same time.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 10, 23) })
  site = await openEventfulSite({ uids, owner })
  walked = await walkLinks(site, [
    '/',
    '/?run=1',
    '/resources?q=a',
    '/violations?state=all&q=a',
    '/compare?project=acme/*&kind=endpoint',
  ])
}, 180_000)
afterAll(async () => {
  vi.useRealTimers()
  await site[Symbol.asyncDispose]()
})

describe('the commands of the pages', () => {
  it('are words for a shell, no matter what the service sends', () => {
    expect(walked.filter(({ status }) => status !== 200).map(({ status, path, from }) => [status, path, from])).toEqual(
      [],
    )
    const lines = [...new Set(walked.flatMap(({ text }) => commandsIn(text)))]
    execFileSync('sh', ['-n'], { input: lines.join('\n') })
    const commands = lines.map(shellWords)
    expect(commands.filter(([program]) => program !== 'hookdrift')).toEqual([])
    for (const name of ['timeline', 'restore']) {
      const named = commands.filter(([, one]) => one === name).map(operandOf)
      expect([name, uids.filter((uid) => !named.includes(uid))]).toEqual([name, []])
    }
    expect(commands.flat()).toContain(globOf(owner))
  })

  it('are made by one function from words, never from a template', () => {
    const names = [...Object.values(apiEntries).map(({ words }) => words.split(' ')[0]), 'policy', 'audit'].join('|')
    const template = new RegExp(`hookdrift (?:${names})\\b[^\`'\\n]*\\$\\{`)
    const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) =>
      /^(?:pages|report\/html)\/.*\.ts$/.test(file),
    )
    const made = files.filter((file) => template.test(readFileSync(join(source, file), 'utf8')))
    expect(made).toEqual([])
  })

  it('give at the foot of a page what its JSON gives', async () => {
    const feet = new Map(
      walked.flatMap(({ text }) => {
        const [, line, json] =
          /<footer>\n<p>The same on the command line: <code class="command">(.*?)<\/code> · <a href="([^"]*)">/.exec(
            text,
          ) ?? []
        return line === undefined || json === undefined ? [] : [[textOf(line), textOf(json)] as const]
      }),
    )
    for (const [line, json] of feet) {
      const [, ...words] = shellWords(line)
      const end = words.includes('--') ? words.indexOf('--') : words.length
      const reading = words[0] === 'rules' ? [] : ['--history', site.file]
      const { stdout, stderr } = await command(
        [...words.slice(0, end), ...reading, '--format', 'json', ...words.slice(end)],
        { cwd: site.directory },
      )
      const answer = await (await site.get(json)).text()
      expect([line, stderr, stdout]).toEqual([line, '', answer])
    }
  }, 120_000)
})

/** A command of one operand, first or after `--`. */
function operandOf(words: readonly string[]) {
  return words.includes('--') ? words[words.indexOf('--') + 1] : words[2]
}
