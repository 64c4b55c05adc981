import type { Command } from 'commander'
import type { Execute, ProcessContext } from '../app/process-context.ts'
import { type AnswerOptions, addAnswerOptions, limitOf, printAnswer } from './query-options.ts'

export function defineDocs(program: Command, execute: Execute): void {
  const command = program
    .command('docs')
    .argument('[topic]', 'a page, TOPIC#SECTION for a part of it, or the id of a rule')
    .description('List the pages of the documentation, or show one; needs no network')
  addAnswerOptions(command).action((topic: string | undefined, options: AnswerOptions) =>
    execute((terminal) => docs(topic, options, terminal)),
  )
}

async function docs(topic: string | undefined, options: AnswerOptions, terminal: ProcessContext): Promise<number> {
  const { pagePaths, readPage } = await import('../app/read-docs.ts')
  const { answerPage, answerTopics, pageView, topicsOf, topicsView } = await import('../queries/answer-docs.ts')
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
