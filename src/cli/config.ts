import { existsSync, readFileSync } from 'node:fs'
import { type Command, Option } from 'commander'
import type { Execute, ProcessContext } from '../app/process-context.ts'
import { readTextFile } from '../app/read-text-file.ts'
import { exitCodes } from '../model/errors.ts'
import { packageFile } from '../model/package-files.ts'
import { type AnswerFormat, answerFormats } from '../report/answer-formats.ts'
import { type AnswerOptions, addAnswerOptions, addConfigurationOptions, limitOf, printAnswer } from './query-options.ts'

interface CheckOptions extends AnswerOptions {
  readonly config: string
  readonly secrets: boolean
}

interface ShowOptions extends Omit<AnswerOptions, 'format'> {
  readonly config: string
  readonly history?: string
  readonly format: AnswerFormat | 'yaml'
}

const schemas = { policy: 'policy', policyTests: 'policy-tests', framework: 'framework' } as const

interface SchemaOptions extends Partial<Record<keyof typeof schemas, true>> {
  readonly path?: true
}

export function defineConfig(program: Command, execute: Execute): void {
  const config = program
    .command('config')
    .description('Check the configuration, show what is in force, print its schema')
  addAnswerOptions(config.command('check'))
    .description('Report every mistake in the configuration, its policy and their tests; exit 0 or 2')
    .option('-c, --config <file>', 'configuration', 'hookdrift.yaml')
    .option('--no-secrets', 'do not ask for keys and other secrets, for a place that has none')
    .action((options: CheckOptions) => execute((terminal) => check(options, terminal)))
  addAnswerOptions(addConfigurationOptions(config.command('show')), [...answerFormats, 'yaml'])
    .description('Show each value in force and where it comes from; of secrets only whether they are set')
    .action((options: ShowOptions) => execute((terminal) => show(options, terminal)))
  config
    .command('schema')
    .description('Print the JSON Schema of the configuration, for editors')
    .option('--policy', 'of a policy')
    .addOption(new Option('--policy-tests', 'of a file with tests of a policy').conflicts('policy'))
    .addOption(new Option('--framework', 'of a framework for reports by control').conflicts(['policy', 'policyTests']))
    .option('--path', 'print the path of its file instead')
    .action((options: SchemaOptions) => execute((terminal) => printSchema(options, terminal)))
}

async function check(options: CheckOptions, terminal: ProcessContext): Promise<number> {
  const { checkFiles } = await import('../app/check-files.ts')
  const { unlessStopped, untilSignalled } = await import('../app/until-signalled.ts')
  const { answerConfigCheck, configCheckView } = await import('../queries/answer-config.ts')
  const { config, secrets: needsSecrets } = options
  const { result: files, exitCode } = await untilSignalled((signal) =>
    unlessStopped(signal, checkFiles({ config, needsSecrets, signal }, terminal)),
  )
  if (files === undefined) return exitCode ?? exitCodes.failure
  await printAnswer(answerConfigCheck(files, limitOf(options)), configCheckView, options.format, terminal)
  return files.every(({ faults }) => faults.length === 0) ? exitCodes.clean : exitCodes.usage
}

async function show(options: ShowOptions, terminal: ProcessContext): Promise<number> {
  const { showConfiguration } = await import('../config/show-configuration.ts')
  const { answerConfig, configView, writeConfig } = await import('../queries/answer-config.ts')
  const { config, history, format } = options
  const values = showConfiguration(config, {
    sources: { env: terminal.env, readFile: readTextFile },
    ...{ cwd: terminal.cwd(), history, exists: existsSync },
  })
  if (format === 'yaml') {
    terminal.stdout.write(writeConfig(values))
    return exitCodes.clean
  }
  return printAnswer(answerConfig(values, limitOf({ ...options, format })), configView, format, terminal)
}

async function printSchema(options: SchemaOptions, { stdout }: ProcessContext): Promise<number> {
  const [, name = 'hookdrift'] = Object.entries(schemas).find(([option]) => option in options) ?? []
  const file = packageFile(`config/${name}.schema.json`)
  stdout.write(options.path === true ? `${file}\n` : readFileSync(file, 'utf8'))
  return exitCodes.clean
}
