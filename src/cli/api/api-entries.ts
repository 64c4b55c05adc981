import { usualColumns } from '../../app/process-context.ts'
import type { ParameterTable, Question } from '../../questions/question.ts'
import { writeAnswer } from '../../report/show-answer.ts'
import type { ApiSource } from './api-parameters.ts'

export interface ApiAddress {
  /** The command line. */
  readonly words: readonly string[]
  /** The name of its answer's schema, where that is another one. */
  readonly answer?: string
  /** What it says, where that is less than the command does. */
  readonly description?: string
  /** Whether it says things that are not of one project. */
  readonly isOfAllProjects?: true
  /** Whether its text has commands that its JSON does not. */
  readonly hasCommands?: true
  readonly load: () => Promise<ApiSource>
}

/**
 * All addresses below `/api/v1/`, by name. What writes, asks a service, walks the disk or runs a statement of its reader is
 * not among them.
 */
export const apiEntries: Readonly<Record<string, ApiAddress>> = {
  accept: {
    words: ['accept', '--list'],
    description: 'List the acceptances of violations: who accepted what, why, and what ended it',
    load: async () => ofQuestion((await import('../../questions/acceptances.ts')).acceptances),
  },
  baseline: {
    words: ['baseline', 'show'],
    load: async () => ofQuestion((await import('../../questions/baselines.ts')).baselines),
  },
  'baseline-diff': {
    words: ['baseline', 'diff'],
    load: async () => ofQuestion((await import('../../questions/baseline-diff.ts')).baselineDiff),
  },
  causes: {
    words: ['causes'],
    load: async () => ofQuestion((await import('../../questions/causes.ts')).causes),
  },
  compare: {
    words: ['compare'],
    load: async () => ofQuestion((await import('../../questions/compare.ts')).compare),
  },
  coverage: {
    words: ['coverage'],
    load: async () => ofQuestion((await import('../../questions/coverage.ts')).coverage),
  },
  diff: {
    words: ['diff'],
    load: async () => ofQuestion((await import('../../questions/diff.ts')).diff),
  },
  notes: {
    words: ['note', '--list'],
    description: 'List what people noted: what they did, when, who wrote it down, and which projects it is about',
    answer: 'note',
    load: async () => ofQuestion((await import('../../questions/notes.ts')).notes),
  },
  notify: {
    words: ['notify', '--pending'],
    description: 'List the channels, and the messages that wait or were given up',
    isOfAllProjects: true,
    load: async () => ofQuestion((await import('../../questions/pending-messages.ts')).pendingMessages),
  },
  report: {
    words: ['report'],
    load: async () => (await import('../report.ts')).reportSource,
  },
  restore: {
    words: ['restore'],
    hasCommands: true,
    load: async () => ofQuestion((await import('../../questions/restore.ts')).restore),
  },
  rules: {
    words: ['rules'],
    load: async () => (await import('../rules.ts')).rulesSource,
  },
  runs: {
    words: ['runs'],
    load: async () => ofQuestion((await import('../../questions/runs.ts')).runs),
  },
  state: {
    words: ['state'],
    load: async () => ofQuestion((await import('../../questions/state.ts')).state),
  },
  status: {
    words: ['status'],
    load: async () => ofQuestion((await import('../../questions/status.ts')).status),
  },
  timeline: {
    words: ['timeline'],
    load: async () => ofQuestion((await import('../../questions/timeline.ts')).timeline),
  },
  trend: {
    words: ['trend'],
    load: async () => ofQuestion((await import('../../questions/trend.ts')).trend),
  },
  violations: {
    words: ['violations'],
    load: async () => ofQuestion((await import('../../questions/violations.ts')).violations),
  },
  waivers: {
    words: ['waivers', 'list'],
    load: async () => ofQuestion((await import('../../questions/waivers.ts')).waivers),
  },
}

/** Says what a command does, by its words. */
export type DescribeCommand = (words: readonly string[]) => string

export function descriptionOf({ words, description }: ApiAddress, describe: DescribeCommand): string {
  return description ?? describe(words)
}

function ofQuestion<Parameters extends ParameterTable, Row>(question: Question<Parameters, Row>): ApiSource {
  const { parameters, isOfRun, runIs } = question
  const source: ApiSource<Parameters> = {
    parameters,
    isOfRun,
    ...(runIs === undefined ? {} : { runIs }),
    async write(history, values, inquiry) {
      question.check?.(values, inquiry)
      const { answer, view } = await question.read(history, values, inquiry)
      const format = inquiry.format === 'text' ? 'text' : 'json'
      return writeAnswer(format, answer, view, { colour: false, width: usualColumns, tableWidth: usualColumns })
    },
  }
  return source
}
