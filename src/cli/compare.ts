import { type Command, Option } from 'commander'
import type { Execute, ProcessContext } from '../app/process-context.ts'
import { readFieldPattern, readHostMapping } from '../inventory/diff-counterparts.ts'
import { AuditError, exitCodes } from '../model/errors.ts'
import { compareProjects } from '../queries/compare-projects.ts'
import type { Matching } from '../queries/compared-side.ts'
import { comparisonView } from '../queries/comparison-view.ts'
import { printAnswer, runNamed, withHistory } from './print-answer.ts'
import { addReadingOptions, limitOf, type ReadingOptions, runOrTime } from './query-options.ts'

const matchings = ['name', 'url_path', 'owner+name'] as const satisfies readonly Matching[]
const comparedKinds = ['endpoint', 'subscription', 'source', 'event_type', 'project'] as const

interface CompareOptions extends ReadingOptions {
  readonly at: string
  readonly kind?: (typeof comparedKinds)[number]
  readonly match: Matching
  readonly mapHost: readonly string[]
  readonly ignore: readonly string[]
}

export function defineCompare(command: Command, execute: Execute): void {
  command
    .argument('<a>', 'a project: service/project, or as much of the name as no other has')
    .argument('<b>', 'another project, of the same service or of another one')
    .option('--run, --at <run|time>', runOrTime, 'latest')
    .addOption(new Option('--kind <kind>', 'only resources of this kind').choices([...comparedKinds]))
    .addOption(new Option('--match <what>', 'of endpoints; others match by name').choices(matchings).default('name'))
    .addOption(repeatable('--map, --map-host <a=b>', 'host of A and its counterpart in B: *.stage.example=*.example'))
    .addOption(repeatable('--ignore <pointer>', 'leave out a field: /description, /metadata/*'))
  addReadingOptions(command).action((a: string, b: string, options: CompareOptions) =>
    execute((terminal) => compare({ a, b }, options, terminal)),
  )
}

function repeatable(flags: string, description: string): Option {
  return new Option(flags, `${description}; may be repeated`)
    .argParser((value: string, values: readonly string[]) => [...values, value])
    .default([], 'none')
}

async function compare(
  names: { readonly a: string; readonly b: string },
  options: CompareOptions,
  terminal: ProcessContext,
): Promise<number> {
  const hosts = options.mapHost.map((text) => {
    const mapping = readHostMapping(text)
    if (mapping !== undefined) return mapping
    throw AuditError.usage(`--map-host ${text}: expected a host of A and one of B`, {
      advice: 'such as stage.example.com=example.com or *.stage.example.com=*.example.com',
    })
  })
  const ignored = options.ignore.map((text) => {
    const pattern = readFieldPattern(text)
    if (pattern !== undefined) return pattern
    throw AuditError.usage(`--ignore ${text}: expected a JSON Pointer`, {
      advice: 'such as /description or /secrets/*',
    })
  })
  const { answer, exitCode } = await withHistory(options, terminal, async (reader) => {
    const run = await runNamed(reader, options.at)
    const { kind, match: matching } = options
    return compareProjects(reader, { ...names, run, matching, kind, hosts, ignored, limit: limitOf(options) })
  })
  const nothing = exitCode === exitCodes.clean ? comparisonView.nothing : 'No difference is known.'
  await printAnswer(answer, { ...comparisonView, nothing }, options.format, terminal)
  return exitCode
}
