import type { Command } from 'commander'
import type { ProcessContext } from '../app/process-context.ts'
import type { ParameterTable, Question } from '../questions/question.ts'

/**
 * Gives a command its arguments and options. Returns what the command does with them: `words` are its arguments.
 * `lineFor`: the command line that other words need.
 */
export type Define = (
  command: Command,
  lineFor: (words: readonly string[]) => Promise<Command>,
) => (options: never, terminal: ProcessContext, ...words: never[]) => Promise<number>

/** A command as lists of commands show it, and where the rest of it is. */
export interface ListedCommand {
  readonly name: string
  readonly description: string
  /** Its arguments, as its own file declares them: `<from> [to]`. */
  readonly operands?: string
  readonly isHidden?: true
  readonly load: () => Promise<Define>
}

/** Commands below a word: `policy check`. */
export interface ListedGroup {
  readonly name: string
  readonly description: string
  readonly commands: readonly ListedCommand[]
}

/** What the lists of commands say of one, by its words: `baseline show`. */
export function describeCommand([name, below]: readonly string[]): string {
  const listed = Object.values(commands)
    .flat()
    .find((each) => each.name === name)
  const isGroup = listed !== undefined && 'commands' in listed
  return (isGroup ? listed.commands.find((each) => each.name === below) : listed)?.description ?? ''
}

/** The command of a question. */
async function asCommand<Parameters extends ParameterTable, Row>(question: Question<Parameters, Row>): Promise<Define> {
  return (await import('./ask.ts')).commandOf(question)
}

/** All commands, by the groups of the help and in its order. The file of a command is loaded when it is asked for. */
export const commands: Readonly<Record<string, readonly (ListedCommand | ListedGroup)[]>> = {
  Start: [
    {
      name: 'init',
      description: 'Set up hookdrift for a service: find its projects, scan once and write the configuration',
      load: async () => (await import('./init.ts')).defineInit,
    },
    {
      name: 'doctor',
      description: 'Check everything an audit needs: configuration, policy, history, keys and each service',
      load: async () => (await import('./doctor.ts')).defineDoctor,
    },
    {
      name: 'demo',
      description: 'Audit a simulated service, simulate six mistakes by a colleague, and audit again',
      load: async () => (await import('./demo.ts')).defineDemo,
    },
    {
      name: 'config',
      description: 'Check the configuration, show its values, or print its schema',
      commands: [
        {
          name: 'check',
          description: 'Report every mistake in the configuration, its policy and the policy tests, without a network',
          load: async () => (await import('./config.ts')).defineConfigCheck,
        },
        {
          name: 'show',
          description: 'Show each value in force and where it comes from; for secrets, only whether they are set',
          load: async () => (await import('./config.ts')).defineConfigShow,
        },
        {
          name: 'schema',
          description: 'Print the JSON Schema of the configuration, for editors',
          load: async () => (await import('./config-schema.ts')).defineConfigSchema,
        },
      ],
    },
  ],
  Audit: [
    {
      name: 'audit',
      description: 'Audit every configured project once: scan, compare, evaluate the policy and report',
      load: async () => (await import('./audit.ts')).defineAudit,
    },
    {
      name: 'worker',
      description: 'Run audits on the schedules of the configuration until stopped',
      load: async () => (await import('./worker.ts')).defineWorker,
    },
    {
      name: 'probe',
      operands: '[name]',
      description: 'Run functions once with a payload, and print result, log and verdict; store nothing',
      load: async () => (await import('./probe.ts')).defineProbe,
    },
  ],
  'Ask the history': [
    {
      name: 'serve',
      description: 'Show the history as pages in a browser',
      load: async () => (await import('./serve.ts')).defineServe,
    },
    {
      name: 'mcp',
      description: 'Let an AI assistant query the history, read-only (Model Context Protocol on stdin and stdout)',
      load: async () => (await import('./mcp.ts')).defineMcp(describeCommand),
    },
    {
      name: 'status',
      description: 'Show when each project was last scanned, and whether completely; exit 1 when a scan is stale',
      load: async () => asCommand((await import('../questions/status.ts')).status),
    },
    {
      name: 'coverage',
      description: 'Show which listings of each project the last scan read completely, and why not the others',
      load: async () => asCommand((await import('../questions/coverage.ts')).coverage),
    },
    {
      name: 'violations',
      description: 'List violations that are open, waived or unknown; options choose others',
      load: async () => asCommand((await import('../questions/violations.ts')).violations),
    },
    {
      name: 'causes',
      description: 'List the changes that open violations come from, each with its resources and violations',
      load: async () => asCommand((await import('../questions/causes.ts')).causes),
    },
    {
      name: 'report',
      description: 'Print the report of a past run',
      load: async () => (await import('./report.ts')).defineReport,
    },
    {
      name: 'timeline',
      operands: '<uid>',
      description: 'Show what happened to one resource: changes field by field, violations, what refers to it',
      load: async () => asCommand((await import('../questions/timeline.ts')).timeline),
    },
    {
      name: 'restore',
      operands: '[uid]',
      description: 'Print the requests that put a resource back or fix its violations; send nothing',
      load: async () => asCommand((await import('../questions/restore.ts')).restore),
    },
    {
      name: 'diff',
      operands: '<from> [to]',
      description: 'Compare two runs of the same projects, field by field',
      load: async () => asCommand((await import('../questions/diff.ts')).diff),
    },
    {
      name: 'compare',
      operands: '<a> <b>',
      description: 'Compare two projects with each other, such as staging and production',
      load: async () => asCommand((await import('../questions/compare.ts')).compare),
    },
    {
      name: 'state',
      description: 'List the resources as of a run or a time',
      load: async () => asCommand((await import('../questions/state.ts')).state),
    },
    {
      name: 'trend',
      description: 'Show how violations develop: opened and fixed per week, time to fix, the oldest',
      load: async () => asCommand((await import('../questions/trend.ts')).trend),
    },
    {
      name: 'runs',
      description: 'List the runs, newest first, including interrupted ones',
      load: async () => asCommand((await import('../questions/runs.ts')).runs),
    },
    {
      name: 'note',
      operands: '[text]',
      description: 'Record what you did, such as a deploy; reports show it next to the changes of that time',
      load: async () => (await import('./note.ts')).defineNote,
    },
    {
      name: 'query',
      operands: '[sql]',
      description: 'Query a history in a file with SQL, read-only',
      load: async () => (await import('./query.ts')).defineQuery,
    },
  ],
  Policy: [
    {
      name: 'rules',
      operands: '[id]',
      description: 'List the rules, or explain one',
      load: async () => (await import('./rules.ts')).defineRules,
    },
    {
      name: 'policy',
      description: 'Check, test, explain and replay policies',
      commands: [
        {
          name: 'check',
          operands: '[file]',
          description: 'Report every mistake in a policy file, or summarise the policy',
          load: async () => (await import('./policy.ts')).definePolicyCheck,
        },
        {
          name: 'test',
          description: "Run the policy's tests; exit 1 when one fails",
          load: async () => (await import('./policy.ts')).definePolicyTest,
        },
        {
          name: 'explain',
          operands: '<uid> [rule]',
          description: 'Explain which part of the policy decides whether and how a rule evaluates a resource',
          load: async () => (await import('./policy.ts')).definePolicyExplain,
        },
        {
          name: 'replay',
          description: 'Evaluate a policy over past runs: what it would have found, and since when',
          load: async () => (await import('./policy.ts')).definePolicyReplay,
        },
      ],
    },
    {
      name: 'baseline',
      description: 'Approve the state of projects; drift rules compare with it',
      commands: [
        {
          name: 'approve',
          description: 'Approve the state that a run recorded, and list the violations that this ends',
          load: async () => (await import('./baseline.ts')).defineBaselineApprove,
        },
        {
          name: 'show',
          description: 'Show the approved baselines, with who approved them and when',
          load: async () => asCommand((await import('../questions/baselines.ts')).baselines),
        },
        {
          name: 'diff',
          description: 'Compare a run with the approved baseline, field by field',
          load: async () => asCommand((await import('../questions/baseline-diff.ts')).baselineDiff),
        },
        {
          name: 'revoke',
          description: 'Revoke approvals; drift rules compare with the last complete scan again',
          load: async () => (await import('./baseline.ts')).defineBaselineRevoke,
        },
        {
          name: 'export',
          operands: '<directory>',
          description: 'Write the approved baselines as YAML for review, one file per project',
          load: async () => (await import('./baseline.ts')).defineBaselineExport,
        },
        {
          name: 'import',
          operands: '<directory>',
          description: 'Approve the states in exported files, and list the violations that this ends',
          load: async () => (await import('./baseline.ts')).defineBaselineImport,
        },
      ],
    },
    {
      name: 'accept',
      operands: '[violation...]',
      description: 'Accept violations until their value changes; the next run closes them',
      load: async () => (await import('./accept.ts')).defineAccept,
    },
    {
      name: 'waivers',
      description: 'List or draft waivers, which accept violations until a date',
      commands: [
        {
          name: 'list',
          description: 'List the waivers that accept violations: until when, by whom, why, and how many',
          load: async () => asCommand((await import('../questions/waivers.ts')).waivers),
        },
        {
          name: 'draft',
          description: 'Print waivers for open violations as YAML, to review and paste into a policy',
          load: async () => (await import('./waivers-draft.ts')).defineWaiversDraft,
        },
      ],
    },
  ],
  'Keep the history': [
    {
      name: 'verify',
      description: 'Verify that the history is intact and consistent, and that no committed run was altered',
      load: async () => (await import('./upkeep.ts')).defineVerify,
    },
    {
      name: 'backup',
      operands: '<file>',
      description: 'Copy the history to a file while it is in use, and verify the copy',
      load: async () => (await import('./upkeep.ts')).defineBackup,
    },
    {
      name: 'prune',
      description: 'Remove old runs; keep those that the options name, and those that the history needs',
      load: async () => (await import('./upkeep.ts')).definePrune,
    },
    {
      name: 'history',
      description: 'Move the history to another place, or upgrade it',
      commands: [
        {
          name: 'copy',
          operands: '<from> <to>',
          description: 'Move a history to a file or a PostgreSQL server, and verify it there',
          load: async () => (await import('./upkeep.ts')).defineHistoryCopy,
        },
        {
          name: 'upgrade',
          description: 'Upgrade the history to the newest schema, or create an empty one on a server',
          load: async () => (await import('./upkeep.ts')).defineHistoryUpgrade,
        },
      ],
    },
  ],
  Notify: [
    {
      name: 'notify',
      description: 'Deliver pending notifications, test the channels, or show what is undelivered',
      load: async () => (await import('./notify.ts')).defineNotify,
    },
  ],
  Help: [
    {
      name: 'docs',
      operands: '[topic]',
      description: 'List the pages of the documentation, or show one; works offline',
      load: async () => (await import('./docs.ts')).defineDocs,
    },
    {
      name: 'completion',
      operands: '<shell>',
      description: 'Print a script for shell completion of commands, options, rules, projects, runs and uids',
      load: async () => (await import('./complete-line.ts')).defineCompletion,
    },
    {
      name: '__complete',
      isHidden: true,
      description: '',
      load: async () => (await import('./complete-line.ts')).defineCompleteLine,
    },
    {
      name: '__proxy-for',
      operands: '<url>',
      isHidden: true,
      description: '',
      load: async () => (await import('./proxy-for.ts')).defineProxyFor,
    },
  ],
}
