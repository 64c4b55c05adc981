import type { Command } from 'commander'
import type { ProcessContext } from '../app/process-context.ts'
import type { Inquiry, ParameterTable, Question } from '../questions/question.ts'

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
  /** Empty: no list shows it. */
  readonly description: string
  readonly load: () => Promise<Define>
  /** Its arguments, as its own file declares them: `<from> [to]`. */
  readonly operands: string
}

/** Commands below a word: `policy check`. */
export interface ListedGroup {
  readonly description: string
  readonly commands: Readonly<Record<string, ListedCommand>>
}

/** What the lists of commands say of one, by its words: `baseline show`. */
export function describeCommand(words: string) {
  const [name = '', below = ''] = words.split(' ')
  const [group = '', listing] = Object.entries(commands).find(([, listing]) => Object.hasOwn(listing, name)) ?? []
  const listed = listing?.[name]
  const command = listed !== undefined && 'commands' in listed ? listed.commands[below] : listed
  return { group, description: command?.description ?? '' }
}

function command(description: string, load: () => Promise<Define>, operands = ''): ListedCommand {
  return { description, load, operands }
}

/** `other`: the question that a flag asks instead. */
function question<Parameters extends ParameterTable, Row, Others extends ParameterTable, OtherRow>(
  description: string,
  load: () => Promise<Question<Parameters, Row, Inquiry>>,
  operands?: string,
  other?: OtherQuestion<Others, OtherRow>,
): ListedCommand {
  const define = async () => {
    const { askerOf, commandOf } = await import('./ask.ts')
    const usual = askerOf(await load())
    return other === undefined ? commandOf(usual) : commandOf(usual, { ...other, ...askerOf(await other.load()) })
  }
  return command(description, define, operands)
}

interface OtherQuestion<Parameters extends ParameterTable, Row> {
  readonly flag: string
  readonly description: string
  readonly load: () => Promise<Question<Parameters, Row, Inquiry>>
}

/** All commands, by the groups of the help and in its order. The file of a command is loaded when it is asked for. */
export const commands: Readonly<Record<string, Readonly<Record<string, ListedCommand | ListedGroup>>>> = {
  Start: {
    init: command(
      'Set up hookdrift for a service: scan once and write the files',
      async () => (await import('./init.ts')).defineInit,
    ),
    doctor: command(
      'Check all that an audit needs: files, history, keys, each service',
      async () => (await import('./doctor.ts')).defineDoctor,
    ),
    demo: command(
      'Audit a simulated service, simulate six mistakes by a colleague, and audit again',
      async () => (await import('./demo.ts')).defineDemo,
    ),
    config: {
      description: 'Show the values of the configuration, or print its schema',
      commands: {
        show: command(
          'Show each value in force and where it comes from; for secrets, only whether they are set',
          async () => (await import('./config.ts')).defineConfigShow,
        ),
        schema: command(
          'Print the JSON Schema of the configuration, for editors',
          async () => (await import('./config-schema.ts')).defineConfigSchema,
        ),
      },
    },
  },
  Audit: {
    audit: command(
      'Audit every project once: scan, compare, evaluate, report',
      async () => (await import('./audit.ts')).defineAudit,
    ),
    worker: command(
      'Run audits on the schedules of the configuration until stopped',
      async () => (await import('./worker.ts')).defineWorker,
    ),
    probe: command(
      'Run functions once with a payload, and print result, log and verdict; store nothing',
      async () => (await import('./probe.ts')).defineProbe,
      '[name]',
    ),
  },
  'Ask the history': {
    serve: command('Show the history as pages in a browser', async () => (await import('./serve.ts')).defineServe),
    mcp: command(
      'Let an AI assistant query the history, read-only (Model Context Protocol on stdin and stdout)',
      async () => (await import('./mcp.ts')).defineMcp(describeCommand),
    ),
    status: question(
      'Show when each project was last scanned, and whether completely; exit 1 when a scan is stale',
      async () => (await import('../questions/status.ts')).status,
      '',
      {
        flag: '--listings',
        description: 'show which listings of each project its last scan read completely, and why not the others',
        load: async () => (await import('../questions/coverage.ts')).coverage,
      },
    ),
    violations: question(
      'List violations: open, waived or unknown; options choose others',
      async () => (await import('../questions/violations.ts')).violations,
      '',
      {
        flag: '--by-cause',
        description: 'list the changes that open violations come from, each with its resources and violations',
        load: async () => (await import('../questions/causes.ts')).causes,
      },
    ),
    report: command('Print the report of a past run', async () => (await import('./report.ts')).defineReport),
    timeline: question(
      'Show the history of one resource: changes, violations, references',
      async () => (await import('../questions/timeline.ts')).timeline,
      '<uid>',
    ),
    restore: question(
      'Print requests that undo drift or fix violations; send nothing',
      async () => (await import('../questions/restore.ts')).restore,
      '[uid]',
    ),
    preview: question(
      'Show what a request would change, wipe and violate; send nothing',
      async () => (await import('../questions/preview.ts')).preview,
      '[file]',
    ),
    impact: question(
      'Count the deliveries that drift cost, and print how to send them',
      async () => (await import('../questions/impact.ts')).impact,
      '<target>',
    ),
    diff: question(
      'Compare two runs of the same projects, field by field',
      async () => (await import('../questions/diff.ts')).diff,
      '<from> [to]',
    ),
    compare: question(
      'Compare two projects with each other, such as staging and production',
      async () => (await import('../questions/compare.ts')).compare,
      '<a> <b>',
    ),
    state: question(
      'List the resources as of a run or a time',
      async () => (await import('../questions/state.ts')).state,
    ),
    trend: question(
      'Show how violations develop: opened and fixed per week, time to fix, the oldest',
      async () => (await import('../questions/trend.ts')).trend,
    ),
    runs: question(
      'List the runs, newest first, including interrupted ones',
      async () => (await import('../questions/runs.ts')).runs,
    ),
    note: command(
      'Record what you did, such as a deploy; reports show it next to the changes of that time',
      async () => (await import('./note.ts')).defineNote,
      '[text]',
    ),
    query: command(
      'Query a history in a file with SQL, read-only',
      async () => (await import('./query.ts')).defineQuery,
      '[sql]',
    ),
  },
  Policy: {
    rules: command('List the rules, or explain one', async () => (await import('./rules.ts')).defineRules, '[id]'),
    policy: {
      description: 'Check, test, explain and replay policies',
      commands: {
        check: command(
          'Report every mistake in a policy file, or summarise the policy',
          async () => (await import('./policy.ts')).definePolicyCheck,
          '[file]',
        ),
        test: command(
          "Run the policy's tests; exit 1 when one fails",
          async () => (await import('./policy.ts')).definePolicyTest,
        ),
        explain: command(
          'Explain which part of the policy decides whether and how a rule evaluates a resource',
          async () => (await import('./policy.ts')).definePolicyExplain,
          '<uid> [rule]',
        ),
        replay: command(
          'Evaluate a policy over past runs: what it would have found, and since when',
          async () => (await import('./policy.ts')).definePolicyReplay,
        ),
      },
    },
    baseline: {
      description: 'Approve the state of projects; drift rules compare with it',
      commands: {
        approve: command(
          'Approve the state that a run recorded, and list the violations that this ends',
          async () => (await import('./baseline.ts')).defineBaselineApprove,
        ),
        show: question(
          'Show the approved baselines, with who approved them and when',
          async () => (await import('../questions/baselines.ts')).baselines,
        ),
        diff: question(
          'Compare a run with the approved baseline, field by field',
          async () => (await import('../questions/baseline-diff.ts')).baselineDiff,
        ),
        revoke: command(
          'Revoke approvals; drift rules compare with the last complete scan again',
          async () => (await import('./baseline.ts')).defineBaselineRevoke,
        ),
        export: command(
          'Write the approved baselines as YAML for review, one file per project',
          async () => (await import('./baseline.ts')).defineBaselineExport,
          '<directory>',
        ),
        import: command(
          'Approve the states in exported files, and list the violations that this ends',
          async () => (await import('./baseline.ts')).defineBaselineImport,
          '<directory>',
        ),
      },
    },
    accept: command(
      'Accept violations until a value changes; the next run closes them',
      async () => (await import('./accept.ts')).defineAccept,
      '[violation...]',
    ),
    waivers: {
      description: 'List decisions, or draft waivers, which accept violations until a date',
      commands: {
        list: question(
          'List what people and the policy decided: who, what, why, from when, until when, and where',
          async () => (await import('../questions/waivers.ts')).waivers,
          '',
          {
            flag: '--acceptances',
            description: 'list all acceptances in full, including ended ones',
            load: async () => (await import('../questions/acceptances.ts')).acceptances,
          },
        ),
        draft: command(
          'Print waivers for open violations as YAML, to review and paste into a policy',
          async () => (await import('./waivers-draft.ts')).defineWaiversDraft,
        ),
      },
    },
  },
  'Keep the history': {
    verify: command(
      'Verify that the history is intact and consistent, and that no committed run was altered',
      async () => (await import('./upkeep.ts')).defineVerify,
    ),
    backup: command(
      'Copy the history to a file while it is in use, and verify the copy',
      async () => (await import('./upkeep.ts')).defineBackup,
      '<file>',
    ),
    prune: command(
      'Remove old runs; keep those that the options name, and those that the history needs',
      async () => (await import('./upkeep.ts')).definePrune,
    ),
    history: {
      description: 'Move the history to another place, or upgrade it',
      commands: {
        copy: command(
          'Move a history to a file or a PostgreSQL server, and verify it there',
          async () => (await import('./upkeep.ts')).defineHistoryCopy,
          '<from> <to>',
        ),
        upgrade: command(
          'Upgrade the history to the newest schema, or create an empty one on a server',
          async () => (await import('./upkeep.ts')).defineHistoryUpgrade,
        ),
      },
    },
  },
  Notify: {
    notify: command(
      'Deliver pending notifications, test the channels, or show what is undelivered',
      async () => (await import('./notify.ts')).defineNotify,
    ),
  },
  Help: {
    docs: command(
      'List the pages of the documentation, or show one; works offline',
      async () => (await import('./docs.ts')).defineDocs,
      '[topic]',
    ),
    completion: command(
      'Print a script for shell completion of commands, options, rules, projects, runs and uids',
      async () => (await import('./complete-line.ts')).defineCompletion,
      '<shell>',
    ),
    __complete: command('', async () => (await import('./complete-line.ts')).defineCompleteLine),
    '__proxy-for': command('', async () => (await import('./proxy-for.ts')).defineProxyFor, '<url>'),
  },
}
