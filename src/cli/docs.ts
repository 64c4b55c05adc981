import type { Command } from 'commander'
import type { Execute, ProcessContext } from '../app/process-context.ts'
import { pagePaths, readPage } from '../app/read-docs.ts'
import { answerPage, answerTopics, pageView, topicsOf, topicsView } from '../questions/answer-docs.ts'
import { printAnswer } from './print-answer.ts'
import { type AnswerOptions, addAnswerOptions, limitOf } from './query-options.ts'

export function defineDocs(command: Command, execute: Execute): void {
  command.argument('[topic]', 'a page, a section of one (TOPIC#SECTION), or the id of a rule')
  addAnswerOptions(command).action((topic: string | undefined, options: AnswerOptions) =>
    execute((terminal) => docs(topic, options, terminal)),
  )
}

async function docs(topic: string | undefined, options: AnswerOptions, terminal: ProcessContext): Promise<number> {
  const topics = topicsOf(pagePaths())
  if (topic === undefined) {
    return printAnswer(answerTopics(topics, readPage, limitOf(options)), topicsView, options.format, terminal)
  }
  const answer = answerPage(topic, topics, readPage)
  const topicByPath = new Map([...topics].map(([name, path]) => [path, name]))
  const path = topics.get(answer.rows[0]?.topic ?? '') ?? ''
  return printAnswer(
    answer,
    pageView(path, (target) => topicByPath.get(target)),
    options.format,
    terminal,
  )
}
