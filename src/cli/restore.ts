import { resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { loadPolicy } from '../app/load-policy.ts'
import { configuredPaths } from '../app/locate-history.ts'
import type { Execute, ProcessContext } from '../app/process-context.ts'
import { readTextFile } from '../app/read-text-file.ts'
import { readGateway, unknownGateway } from '../config/read-gateway.ts'
import { AuditError } from '../model/errors.ts'
import type { ProjectRef } from '../model/resource.ts'
import { readRestore } from '../queries/read-restore.ts'
import { restoreView } from '../queries/restore-view.ts'
import type { Gateway } from '../repair/gateway.ts'
import { answerFromHistory, runNamed } from './print-answer.ts'
import {
  addKindOption,
  addProjectOption,
  addReadingOptions,
  type ChoiceOptions,
  limitOf,
  type ReadingOptions,
  runOrTime,
  uidOrName,
} from './query-options.ts'

interface RestoreOptions extends ReadingOptions, ChoiceOptions {
  readonly run?: string
  readonly rule?: string
  readonly policy?: string
}

export function defineRestore(command: Command, execute: Execute): void {
  command
    .argument('<uid>', `a resource: ${uidOrName}`)
    .option(
      '--run <run|time>',
      `its state in that run, ${runOrTime}; default: before the change of an open drift violation, else the fixes of other open violations, else before the last change`,
    )
    .addOption(new Option('--rule <id>', 'only what its open violation of this rule asks for').conflicts('run'))
    .option('--policy <file>', "policy file, for the options of rules; overrides the configuration's")
  addReadingOptions(addKindOption(addProjectOption(command))).action((uid: string, options: RestoreOptions) =>
    execute((terminal) => restore(uid, options, terminal)),
  )
}

async function restore(uid: string, options: RestoreOptions, terminal: ProcessContext): Promise<number> {
  const gatewayOf = await gatewayReader(options, terminal)
  const { project: projects, kind, run: asked, rule } = options
  return answerFromHistory(options, terminal, restoreView, async (reader) =>
    readRestore(reader, {
      uid,
      projects,
      kind,
      rule,
      limit: limitOf(options),
      gatewayOf,
      run: await runNamed(reader, 'latest'),
      asked: asked === undefined ? undefined : await runNamed(reader, asked),
      policyOf: () => readPolicyOf(options, terminal),
    }),
  )
}

/** The named policy, else that of the configuration. With `--history` none is read, and without a good one none is known. */
async function readPolicyOf({ policy, config, history }: RestoreOptions, terminal: ProcessContext) {
  if (policy === undefined && history !== undefined) return undefined
  if (policy !== undefined) return loadPolicy(resolve(terminal.cwd(), policy))
  const paths = await configuredPaths(config, terminal).catch((thrown: unknown) => {
    if (thrown instanceof AuditError) return undefined
    throw thrown
  })
  return paths && loadPolicy(paths.policy)
}

/** The configuration shows where requests go. With `--history` none is read, and without a good one placeholders do. */
async function gatewayReader({ config, history }: RestoreOptions, { cwd, env }: ProcessContext) {
  return (project: ProjectRef): Gateway => {
    if (history !== undefined) return unknownGateway(project.service)
    try {
      return readGateway(resolve(cwd(), config), { env, readFile: readTextFile }, project)
    } catch (thrown) {
      if (thrown instanceof AuditError) return unknownGateway(project.service)
      throw thrown
    }
  }
}
