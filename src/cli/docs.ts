import { existsSync, readdirSync, readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { type ProcessContext, renderOptionsFor } from '../app/process-context.ts'
import { packageFile } from '../model/package-files.ts'
import { answerPage, answerTopics, pageView, topicsOf, topicsView } from '../questions/answer-docs.ts'
import { painter } from '../report/text/paint.ts'
import { printAnswer } from './print-answer.ts'
import { type AnswerOptions, addAnswerOptions, limitOf } from './query-options.ts'

export function defineDocs(command: Command) {
  command.argument('[topic]', 'a page, a section of one (TOPIC#SECTION), or the id of a rule')
  addAnswerOptions(command)
  return docs
}

/** Shows a page of the documentation, or lists them. */
export async function docs(
  options: AnswerOptions,
  terminal: ProcessContext,
  topic: string | undefined,
): Promise<number> {
  const topics = topicsOf(pagePaths())
  if (topic === undefined) {
    return printAnswer(answerTopics(topics, readPage, limitOf(options)), topicsView, options.format, terminal)
  }
  const answer = answerPage(topic, topics, readPage)
  const topicByPath = new Map([...topics].map(([name, path]) => [path, name]))
  const path = topics.get(answer.rows[0]?.topic ?? '') ?? ''
  const topicOf = (target: string) => topicByPath.get(target)
  const { colour, width } = renderOptionsFor(terminal)
  const layout = terminal.stdout.isTTY === true ? { path, topicOf, paint: painter(colour), width } : undefined
  return printAnswer(answer, pageView(layout), options.format, terminal)
}

/** A page of the documentation. */
interface DocPage {
  /** Its path in `docs`, without its ending: `how-to/run-in-ci`. */
  readonly path: string
  /** Markdown. */
  readonly text: string
}

/** The paths of all pages that come with the package; empty where a tool that shrinks images has deleted them. */
export function pagePaths(): readonly string[] {
  const root = packageFile('docs')
  if (!existsSync(root)) return []
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
  return files.flatMap((file) => (file.endsWith('.md') ? [file.slice(0, -'.md'.length)] : [])).sort()
}

export function readPage(path: string): DocPage {
  const text = readFileSync(packageFile(`docs/${path}.md`), 'utf8')
  return { path, text: text.replace(/<!--[\s\S]{0,10000}?-->\n?/g, '') }
}
