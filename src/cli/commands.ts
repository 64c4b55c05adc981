import type { Command } from 'commander'
import type { Execute } from '../app/process-context.ts'
import type { ParameterTable, Question } from '../questions/question.ts'

/** Gives a command its arguments and options, and what it does. `lineFor`: the command line that other words need. */
export type Define = (command: Command, execute: Execute, lineFor: LineFor) => void

type LineFor = (words: readonly string[]) => Promise<Command>

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
      description: 'Set up hookdrift for a service: find its projects, scan once, write the configuration',
      load: async () => (await import('./init.ts')).defineInit,
    },
    {
      name: 'doctor',
      description: 'Check the configuration, the policy, the history and each service, and say what to do',
      load: async () => (await import('./doctor.ts')).defineDoctor,
    },
    {
      name: 'demo',
      description: 'Audit a simulated service, let a colleague change six things, and audit again',
      load: async () => (await import('./demo.ts')).defineDemo,
    },
    {
      name: 'config',
      description: 'Check the configuration, show what is in force, print its schema',
      commands: [
        {
          name: 'check',
          description: 'Report every mistake in the configuration, its policy and their tests; exit 0 or 2',
          load: async () => (await import('./config-check.ts')).defineConfigCheck,
        },
        {
          name: 'show',
          description: 'Show each value in force and where it comes from; of secrets only whether they are set',
          load: async () => (await import('./config-show.ts')).defineConfigShow,
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
      description: 'Audit every configured project once: scan, compare, evaluate the policy, report',
      load: async () => (await import('./audit.ts')).defineAudit,
    },
    {
      name: 'worker',
      description: 'Audit on the schedules of the configuration until stopped',
      load: async () => (await import('./worker.ts')).defineWorker,
    },
    {
      name: 'probe',
      operands: '[name]',
      description: 'Run functions once with a payload, and print result, log and verdict; nothing is stored',
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
      description: 'Let an assistant ask the history (Model Context Protocol on stdin and stdout); it changes nothing',
      load: async () => (await import('./mcp.ts')).defineMcp(describeCommand),
    },
    {
      name: 'status',
      description: 'Show when each project was last scanned, and how well; exit 1 when a scan is stale',
      load: async () => asCommand((await import('../questions/status.ts')).status),
    },
    {
      name: 'coverage',
      description: 'Show which listings of each project the last scan could read, and why not',
      load: async () => asCommand((await import('../questions/coverage.ts')).coverage),
    },
    {
      name: 'violations',
      description: 'List open violations (default: all but ended ones)',
      load: async () => asCommand((await import('../questions/violations.ts')).violations),
    },
    {
      name: 'causes',
      description: 'List what changed alike in many resources, or in one update, and what follows from it',
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
      description: 'Show the history of a resource: changes field by field, violations, referrers',
      load: async () => asCommand((await import('../questions/timeline.ts')).timeline),
    },
    {
      name: 'restore',
      operands: '[uid]',
      description: 'Print the requests that put a resource back or fix its violations, and send nothing',
      load: async () => asCommand((await import('../questions/restore.ts')).restore),
    },
    {
      name: 'diff',
      operands: '<from> [to]',
      description: 'Compare two runs, field by field',
      load: async () => asCommand((await import('../questions/diff.ts')).diff),
    },
    {
      name: 'compare',
      operands: '<a> <b>',
      description: 'Compare two projects, such as staging and production',
      load: async () => asCommand((await import('../questions/compare.ts')).compare),
    },
    {
      name: 'state',
      description: 'List the resources as of a run or a time',
      load: async () => asCommand((await import('../questions/state.ts')).state),
    },
    {
      name: 'trend',
      description: 'Show how violations develop: the oldest, the time to fix, opened and fixed a week',
      load: async () => asCommand((await import('../questions/trend.ts')).trend),
    },
    {
      name: 'runs',
      description: 'List the runs, newest first, with interrupted ones',
      load: async () => asCommand((await import('../questions/runs.ts')).runs),
    },
    {
      name: 'note',
      operands: '[text]',
      description: 'Record what people did, such as a deploy: reports name it next to what changed meanwhile',
      load: async () => (await import('./note.ts')).defineNote,
    },
    {
      name: 'query',
      operands: '[sql]',
      description: 'Query the history in SQL',
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
          description: 'Report every mistake in a policy file, or summarise it; exit 0 or 2',
          load: async () => (await import('./policy-check.ts')).definePolicyCheck,
        },
        {
          name: 'test',
          description:
            "Run the policy's tests: in the policy, in files it names, and in the file next to it; exit 0 or 1",
          load: async () => (await import('./policy-test.ts')).definePolicyTest,
        },
        {
          name: 'explain',
          operands: '<uid> [rule]',
          description: 'Explain which part of the policy decides whether and how a rule evaluates a resource',
          load: async () => (await import('./policy-explain.ts')).definePolicyExplain,
        },
        {
          name: 'replay',
          description: 'Evaluate a policy over past runs: what it would have found, and since when',
          load: async () => (await import('./policy-replay.ts')).definePolicyReplay,
        },
      ],
    },
    {
      name: 'baseline',
      description: 'Approve states of projects for drift rules to compare with',
      commands: [
        {
          name: 'approve',
          description:
            'Approve the state that a run recorded, and say what it ends; drift rules compare with it from then on',
          load: async () => (await import('./baseline-approve.ts')).defineBaselineApprove,
        },
        {
          name: 'show',
          description: 'Show the approved baselines: who approved them and when',
          load: async () => asCommand((await import('../questions/baselines.ts')).baselines),
        },
        {
          name: 'diff',
          description: 'Compare a run with the approved baseline',
          load: async () => asCommand((await import('../questions/baseline-diff.ts')).baselineDiff),
        },
        {
          name: 'revoke',
          description: 'Revoke approvals; drift rules then compare with the last complete scan',
          load: async () => (await import('./baseline-revoke.ts')).defineBaselineRevoke,
        },
        {
          name: 'export',
          operands: '<directory>',
          description: 'Write the approved baselines as YAML to review, one file for each project',
          load: async () => (await import('./baseline-export.ts')).defineBaselineExport,
        },
        {
          name: 'import',
          operands: '<directory>',
          description: 'Approve the states in exported files, and say what it ends',
          load: async () => (await import('./baseline-import.ts')).defineBaselineImport,
        },
      ],
    },
    {
      name: 'accept',
      operands: '[violation...]',
      description:
        'Accept violations with the value that they have: the next run closes them, until that value changes',
      load: async () => (await import('./accept.ts')).defineAccept,
    },
    {
      name: 'waivers',
      description: 'Accept violations until a date',
      commands: [
        {
          name: 'draft',
          description: 'Print waivers for all open violations, as YAML for a policy, to review',
          load: async () => (await import('./waivers-draft.ts')).defineWaiversDraft,
        },
      ],
    },
  ],
  'Keep the history': [
    {
      name: 'verify',
      description: 'Verify the history: the file, its invariants, and that no committed run was altered',
      load: async () => (await import('./verify.ts')).defineVerify,
    },
    {
      name: 'backup',
      operands: '<file>',
      description: 'Copy the history while it is in use, and verify the copy',
      load: async () => (await import('./backup.ts')).defineBackup,
    },
    {
      name: 'prune',
      description: 'Remove old runs; keep those that the options name and those that the history needs',
      load: async () => (await import('./prune.ts')).definePrune,
    },
    {
      name: 'history',
      description: 'Move the history to another place, and upgrade it',
      commands: [
        {
          name: 'copy',
          operands: '<from> <to>',
          description: 'Move a history to a file or a PostgreSQL server, and verify it there',
          load: async () => (await import('./history-copy.ts')).defineHistoryCopy,
        },
        {
          name: 'upgrade',
          description: 'Upgrade the history to the newest schema, or make an empty one on a server',
          load: async () => (await import('./history-upgrade.ts')).defineHistoryUpgrade,
        },
      ],
    },
    {
      name: 'keygen',
      operands: '<file>',
      description: 'Make a pair of keys for the attestation of reports',
      load: async () => (await import('./keygen.ts')).defineKeygen,
    },
  ],
  Notify: [
    {
      name: 'notify',
      description: 'Deliver pending messages, test the channels, or show undelivered messages',
      load: async () => (await import('./notify.ts')).defineNotify,
    },
  ],
  Help: [
    {
      name: 'docs',
      operands: '[topic]',
      description: 'List the pages of the documentation, or show one; needs no network',
      load: async () => (await import('./docs.ts')).defineDocs,
    },
    {
      name: 'completion',
      operands: '<shell>',
      description: 'Print a script that completes commands, options, rules, projects, runs and uids',
      load: async () => (await import('./completion.ts')).defineCompletion,
    },
    {
      name: '__complete',
      isHidden: true,
      description: '',
      load: async () => (await import('./complete-line.ts')).defineCompleteLine,
    },
    {
      name: 'version',
      description: 'Print the version',
      load: async () => (await import('./version.ts')).defineVersion,
    },
  ],
}
