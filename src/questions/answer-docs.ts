import { z } from 'zod'
import { AuditError } from '../model/errors.ts'
import { suggestName } from '../model/text/nearest-name.ts'
import { neutralise } from '../model/text/neutralise.ts'
import { type Answer, type AnswerForm, type AnswerView, aboutNoRun, limited } from '../report/answer.ts'
import { verbatim } from '../report/document/blocks.ts'
import { type PageLayout, pickSection, showMarkdown } from './show-markdown.ts'

/** Where several pages have one name, the first kind has it; the list is in this order. */
const kinds = ['tutorial', 'how-to', 'reference', 'explanation', 'rules'] as const

const docsRow = z.object({
  topic: z.string().describe('What `hookdrift docs` takes.'),
  kind: z.enum(kinds),
  title: z.string(),
  text: z.string().nullable().describe('The page or its section, in Markdown; null in the list of pages.'),
})
type DocsRow = z.infer<typeof docsRow>

export const docsForm: AnswerForm = {
  name: 'docs',
  version: 2,
  about: aboutNoRun,
  row: docsRow,
}

interface PageText {
  readonly path: string
  readonly text: string
}

/** The topics of former pages, each with the topic that has its content now. */
export const formerTopics: ReadonlyMap<string, string> = new Map([
  ['accept-violations', 'exceptions'],
  ['announce-changes', 'exceptions#change-windows'],
  ['ask-with-an-assistant', 'api#assistants'],
  ['benchmarks', 'install#sizing'],
  ['command-line', 'configuration#options'],
  ['dependencies', 'install#as-a-package'],
  ['drift', 'approve-a-baseline'],
  ['explanation/coverage', 'coverage'],
  ['find-out-what-is-wrong', 'errors#doctor'],
  ['frameworks', 'report-by-control'],
  ['get-through-networks', 'connect-a-service#get-through-networks'],
  ['glossary', 'reports#words'],
  ['metrics', 'run-on-a-schedule#metrics'],
  ['monitor-with-grafana', 'run-on-a-schedule#know-that-it-works'],
  ['notifications', 'send-notifications'],
  ['policy-fields', 'policy#fields'],
  ['proof', 'coverage#what-is-not-proven'],
  ['publish-reports', 'reports'],
  ['record-what-happened', 'exceptions#notes'],
  ['schemas', 'reports#answers-of-other-commands'],
  ['set-due-dates', 'exceptions#due-dates'],
  ['test-functions', 'policy#probes'],
  ['verify', 'keep-the-history#verify-it'],
  ['views', 'ask-the-history#the-views'],
  ['worker', 'run-on-a-schedule'],
  ['write-a-policy', 'policy'],
])

/** The pages by the topics that name them: `run-in-ci`, `endpoint/secret-weak`. */
export function topicsOf(paths: readonly string[]): ReadonlyMap<string, string> {
  const topics = new Map<string, string>()
  const listed = paths.filter((path) => !path.endsWith('README'))
  for (const path of listed.toSorted((a, b) => kinds.indexOf(kindOf(a)) - kinds.indexOf(kindOf(b)))) {
    const name = path.startsWith('rules/') ? path.slice('rules/'.length) : path.slice(path.lastIndexOf('/') + 1)
    topics.set(topics.has(name) ? path : name, path)
  }
  return topics
}

function kindOf(path: string): (typeof kinds)[number] {
  const [folder] = path.split('/')
  return kinds.find((kind) => kind === folder) ?? 'explanation'
}

/** Rules have a list of their own, `hookdrift rules`; the design is for who changes hookdrift. */
function isListed(path: string): boolean {
  return !path.startsWith('rules/') && path !== 'design'
}

/** The list of pages. */
export function answerTopics(
  topics: ReadonlyMap<string, string>,
  readPage: (path: string) => PageText,
  limit: number,
): Answer<DocsRow> {
  const rows = [...topics].flatMap(([topic, path]) => (isListed(path) ? [rowOf(topic, readPage(path), null)] : []))
  return {
    form: docsForm,
    run: null,
    ...limited(rows, limit),
    conclusion: ['`hookdrift docs TOPIC` shows a page, `hookdrift docs TOPIC#SECTION` a part of it.'],
  }
}

/**
 * A page or a section of it. `topicOrPath`: a topic, or the path of a page in a checkout, with or without `#section`.
 * @throws AuditError.usage when there is no such page or section
 */
export function answerPage(
  topicOrPath: string,
  topics: ReadonlyMap<string, string>,
  readPage: (path: string) => PageText,
): Answer<DocsRow> {
  const [named = '', section] = topicOrPath.split('#', 2)
  const name = named.replace(/^docs\//, '').replace(/\.md$/, '')
  const present = formerTopics.get(name) ?? formerTopics.get(name.slice(name.lastIndexOf('/') + 1))
  if (present !== undefined && !topics.has(name)) return answerPage(present, topics, readPage)
  const topicAndPath = [...topics].find(([topic, path]) => topic === name || path === name)
  if (topicAndPath === undefined) {
    const suggestion = suggestName(name, topics.keys())
    const about = suggestion === '' ? pagesAbout(name, topics, readPage) : []
    throw AuditError.usage(`there is no page "${named}"${suggestion}`, {
      advice: `${about.length === 0 ? '' : `pages about it: ${about.join(', ')}; `}\`hookdrift docs\` lists the pages`,
    })
  }
  const [topic, path] = topicAndPath
  const page = readPage(path)
  if (section === undefined) return answerOf(rowOf(topic, page, page.text))
  const picked = pickSection(page.text, section)
  if (typeof picked === 'string') return answerOf(rowOf(topic, page, picked))
  throw AuditError.usage(`the page ${topic} has no section "${section}"${suggestName(section, picked)}`, {
    advice: `its sections: ${picked.join(', ')}`,
  })
}

/** The topics whose pages have a word in their title, or most often in their text. */
function pagesAbout(
  word: string,
  topics: ReadonlyMap<string, string>,
  readPage: (path: string) => PageText,
): readonly string[] {
  const sought = word.toLowerCase()
  if (sought.length < 3) return []
  const hits = [...topics].flatMap(([topic, path]) => {
    if (!isListed(path)) return []
    const text = readPage(path).text.toLowerCase()
    const times = text.split(sought).length - 1
    const isTitle = topic.includes(sought) || (text.split('\n', 1)[0] ?? '').includes(sought)
    return times === 0 ? [] : [{ topic, weight: times + (isTitle ? titleWeight : 0) }]
  })
  return hits
    .toSorted((a, b) => b.weight - a.weight)
    .slice(0, mostPages)
    .map(({ topic }) => topic)
}

const mostPages = 5
/** A word in a title counts for more than any number of times in a text. */
const titleWeight = 1_000_000

function answerOf(row: DocsRow): Answer<DocsRow> {
  return { form: docsForm, run: null, rows: [row], omitted: 0 }
}

function rowOf(topic: string, { path, text }: PageText, pageText: string | null): DocsRow {
  const [, title = topic] = /^# (.{1,200})$/m.exec(text) ?? []
  return { topic, kind: kindOf(path), title, text: pageText }
}

export const topicsView: AnswerView<DocsRow> = {
  columns: ['topic', 'kind', 'title'],
  nothing: 'This installation has no pages: something removed its folder docs.',
  isOfRun: false,
}

/** `layout`: for a terminal. Elsewhere, a page stays Markdown. */
export function pageView(layout: PageLayout | undefined): AnswerView<DocsRow> {
  return {
    columns: [...topicsView.columns, 'text'],
    blocks: ({ rows }) =>
      rows.map(({ text }) => {
        const lines = (text ?? '').trimEnd().split('\n').map(neutralise)
        return verbatim(layout === undefined ? lines : showMarkdown(lines.join('\n'), layout))
      }),
    nothing: '',
    isOfRun: false,
  }
}
