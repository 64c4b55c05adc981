import { usualColumns } from '../../app/process-context.ts'
import type { ApiSource } from '../../questions/query-parameters.ts'
import type { Inquiry, ParameterTable, Question } from '../../questions/question.ts'
import { answerFormats } from '../../report/answer-formats.ts'
import { writeAnswer } from '../../report/show-answer.ts'

export interface ApiAddress {
  /** The command line. */
  readonly words: string
  /** The name of its answer's schema, where that is another one. */
  readonly answer?: string
  /** What it says, where that is less than the command does. */
  readonly description?: string
  /** Whether it says things that are not of one project. */
  readonly isOfAllProjects?: true
  /** Whether its text has commands that its JSON does not. */
  readonly hasCommands?: true
  /** Whether it asks a service: then it is there only where the process has the keys, and never for pages of other sites. */
  readonly asksService?: true
  readonly load: () => Promise<ApiSource>
}

/**
 * All addresses below `/api/v1/`, by name. What writes, walks the disk or runs a statement of its reader is not among them;
 * of what asks a service, `impact` alone is.
 */
export const apiEntries: Readonly<Record<string, ApiAddress>> = {
  accept: question(
    'waivers list --acceptances',
    async () => (await import('../../questions/acceptances.ts')).acceptancesAtAddress,
    { description: 'List the acceptances of violations: who accepted what, why, and what ended it' },
  ),
  baseline: question('baseline show', async () => (await import('../../questions/baselines.ts')).baselines),
  'baseline-diff': question(
    'baseline diff',
    async () => (await import('../../questions/baseline-diff.ts')).baselineDiff,
  ),
  causes: question('violations --by-cause', async () => (await import('../../questions/causes.ts')).causes, {
    description: 'List the changes that open violations come from, each with its resources and violations',
  }),
  compare: question('compare', async () => (await import('../../questions/compare.ts')).compare),
  coverage: question('status --listings', async () => (await import('../../questions/coverage.ts')).coverage, {
    description: 'Show which listings of each project the last scan read completely, and why not the others',
  }),
  diff: question('diff', async () => (await import('../../questions/diff.ts')).diff),
  impact: question('impact', async () => (await import('../../questions/impact.ts')).impact, {
    isOfAllProjects: true,
    hasCommands: true,
    asksService: true,
  }),
  notes: question('note --list', async () => (await import('../../questions/notes.ts')).notes, {
    description: 'List what people noted: what they did, when, who wrote it down, and which projects it is about',
    answer: 'note',
  }),
  notify: question(
    'notify --pending',
    async () => (await import('../../questions/pending-messages.ts')).pendingMessages,
    { description: 'List the channels, and their pending and undeliverable messages', isOfAllProjects: true },
  ),
  preview: question('preview', async () => (await import('../../questions/preview.ts')).preview),
  report: { words: 'report', load: async () => (await import('../report.ts')).reportSource },
  restore: question('restore', async () => (await import('../../questions/restore.ts')).restore, { hasCommands: true }),
  rules: { words: 'rules', load: async () => (await import('../rules.ts')).rulesSource },
  runs: question('runs', async () => (await import('../../questions/runs.ts')).runs),
  state: question('state', async () => (await import('../../questions/state.ts')).state),
  status: question('status', async () => (await import('../../questions/status.ts')).status),
  timeline: question('timeline', async () => (await import('../../questions/timeline.ts')).timeline),
  trend: question('trend', async () => (await import('../../questions/trend.ts')).trend),
  violations: question('violations', async () => (await import('../../questions/violations.ts')).violations),
  waivers: question('waivers list', async () => (await import('../../questions/waivers.ts')).waivers),
}

/** Those that a process offers. */
export function entriesFor(hasKeys: boolean): Readonly<Record<string, ApiAddress>> {
  return Object.fromEntries(Object.entries(apiEntries).filter(([, { asksService }]) => hasKeys || !asksService))
}

/** Says what a command does, and in which group the help has it, by its words. */
export type DescribeCommand = (words: string) => { readonly group: string; readonly description: string }

export function descriptionOf({ words, description }: ApiAddress, describe: DescribeCommand): string {
  return description ?? describe(words).description
}

function question<Parameters extends ParameterTable, Row>(
  words: string,
  load: () => Promise<Question<Parameters, Row, Inquiry>>,
  more: Partial<ApiAddress> = {},
): ApiAddress {
  return { words, load: async () => sourceOf(await load()), ...more }
}

function sourceOf<Parameters extends ParameterTable, Row>(question: Question<Parameters, Row, Inquiry>): ApiSource {
  const { parameters, isOfRun, runIs } = question
  const source: ApiSource<Parameters> = {
    parameters,
    isOfRun,
    ...(runIs === undefined ? {} : { runIs }),
    async write(history, values, inquiry) {
      question.check?.(values, inquiry)
      const { answer, view } = await question.read(history, values, inquiry)
      const format = answerFormats.find((each) => each === inquiry.format) ?? 'json'
      return writeAnswer(format, answer, view, { colour: false, width: usualColumns, tableWidth: usualColumns })
    },
  }
  return source
}
