import { renderOptionsFor } from '../../app/process-context.ts'
import type { ParameterTable, Question } from '../../questions/question.ts'
import { writeAnswer } from '../../report/show-answer.ts'
import { commands } from '../commands.ts'
import type { ApiSource } from './api-source.ts'

export interface ApiAddress {
  /** The command line. */
  readonly words: readonly string[]
  /** Whether it says things that are not of one project. */
  readonly isOfAllProjects?: true
  readonly load: () => Promise<ApiSource>
}

/**
 * All addresses below `/api/v1/`, by name. What writes, asks a service, walks the disk or runs a statement of its reader is
 * not among them.
 */
export const apiEntries: Readonly<Record<string, ApiAddress>> = {
  accept: {
    words: ['accept', '--list'],
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
  diff: {
    words: ['diff'],
    load: async () => ofQuestion((await import('../../questions/diff.ts')).diff),
  },
  notify: {
    words: ['notify', '--pending'],
    isOfAllProjects: true,
    load: async () => ofQuestion((await import('../../questions/pending-messages.ts')).pendingMessages),
  },
  report: {
    words: ['report'],
    load: async () => (await import('../report.ts')).reportSource,
  },
  restore: {
    words: ['restore'],
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
}

/** What the list of commands says of it. */
export function descriptionOf({ words: [name, below] }: Pick<ApiAddress, 'words'>): string {
  const listed = Object.values(commands)
    .flat()
    .find((each) => each.name === name)
  const isGroup = listed !== undefined && 'commands' in listed
  return (isGroup ? listed.commands.find((each) => each.name === below) : listed)?.description ?? ''
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
      const render = renderOptionsFor(inquiry.terminal)
      return writeAnswer('json', answer, view, { ...render, tableWidth: render.width })
    },
  }
  return source
}
