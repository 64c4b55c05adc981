import { builtInFrameworkIds } from '../../compliance/built-in-frameworks.ts'

/** A command that the API answers. All of them only read the history. */
export interface ApiCommand {
  /** The name of its answer, and its path below `/api/v1/`. */
  readonly name: string
  /** The command line. */
  readonly words: readonly string[]
  /**
   * Its arguments and options that are parameters. None of them names a file, and an option that a command gets later
   * becomes a parameter only here.
   */
  readonly takes: readonly string[]
  /** The argument that `run` is, where no option has that name; without any, the answer is the same for all runs. */
  readonly runIs?: string
  /** Values that a parameter may have, where the command takes files too. */
  readonly choices?: Readonly<Record<string, readonly string[]>>
  /** Whether runs alone change the answer: not people, deliveries, files or the time. */
  readonly isOfRun: boolean
  /** Whether it says things that are not of one project. */
  readonly isOfAllProjects?: true
}

const which = ['project', 'kind']

/** By name. What writes, asks a service, walks the disk or runs a statement of its reader is not among them. */
export const apiCommands: readonly ApiCommand[] = [
  { name: 'accept', words: ['accept', '--list'], takes: ['list', 'limit'], isOfRun: false },
  {
    name: 'baseline',
    words: ['baseline', 'show'],
    isOfRun: false,
    takes: ['all', 'project', 'limit'],
  },
  {
    name: 'baseline-diff',
    words: ['baseline', 'diff'],
    isOfRun: false,
    takes: ['run', 'project', 'limit'],
  },
  {
    name: 'compare',
    words: ['compare'],
    isOfRun: true,
    takes: ['a', 'b', 'at', 'kind', 'match', 'map-host', 'ignore', 'limit'],
  },
  {
    name: 'diff',
    words: ['diff'],
    runIs: 'to',
    isOfRun: true,
    takes: ['from', 'to', 'patch', ...which, 'limit'],
  },
  {
    name: 'notify',
    words: ['notify', '--pending'],
    isOfRun: false,
    isOfAllProjects: true,
    takes: ['pending', 'limit'],
  },
  {
    name: 'report',
    words: ['report'],
    isOfRun: true,
    takes: ['run', 'at', 'framework', 'from', 'to'],
    choices: { framework: builtInFrameworkIds },
  },
  {
    name: 'restore',
    words: ['restore'],
    isOfRun: false,
    takes: ['uid', 'run', 'rule', ...which, 'limit'],
  },
  { name: 'rules', words: ['rules'], takes: ['id', 'pack', 'limit'], isOfRun: true },
  { name: 'runs', words: ['runs'], takes: ['run', 'limit'], isOfRun: false },
  {
    name: 'state',
    words: ['state'],
    isOfRun: true,
    takes: ['at', ...which, 'limit'],
  },
  {
    name: 'status',
    words: ['status'],
    isOfRun: false,
    takes: ['run', 'max-age', 'project', 'limit'],
  },
  {
    name: 'timeline',
    words: ['timeline'],
    isOfRun: true,
    takes: ['uid', 'run', ...which, 'limit'],
  },
  {
    name: 'trend',
    words: ['trend'],
    isOfRun: true,
    takes: ['since', 'run', 'project', 'limit'],
  },
  {
    name: 'violations',
    words: ['violations'],
    isOfRun: true,
    takes: [
      ...['open', 'resolved', 'waived', 'unknown', 'rule', 'severity', 'max-severity'],
      ...['owner', 'label', 'older-than', 'overdue', 'sort', 'since', 'run', ...which, 'limit'],
    ],
  },
]
