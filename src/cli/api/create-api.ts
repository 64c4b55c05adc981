import { resolve } from 'node:path'
import { CommanderError } from 'commander'
import type { HistoryOptions } from '../../app/locate-history.ts'
import type { HistoryAccess, ProcessContext } from '../../app/process-context.ts'
import { AuditError } from '../../model/errors.ts'
import type { Api } from '../../pages/api.ts'
import { NotFound } from '../../pages/page.ts'
import { commands } from '../commands.ts'
import { runNamed } from '../print-answer.ts'
import { type ApiCommand, apiCommands } from './api-commands.ts'
import { buildCommand, capturing, type ReadParameters, readParameters } from './api-parameters.ts'
import { describeApi } from './describe-api.ts'

/** Answers with the commands themselves, so that each answer is what the command prints. */
export function createApi(options: HistoryOptions, terminal: ProcessContext, version: string): Api {
  return {
    commands: apiCommands.map(({ name, words }) => ({ name, description: descriptionOf(words) })),
    async prepare(name, search) {
      const api = apiCommands.find((each) => each.name === name || each.words.join('/') === name)
      if (api === undefined) throw new NotFound(`there is no command "${name}" in the API; /api/v1 lists them`)
      const asked = await readParameters(api, search)
      return {
        isOfRun: asked.isOfRun,
        isOfAllProjects: api.isOfAllProjects ?? false,
        read: (reading) => runCommand(api, asked, { options, terminal, reading }),
      }
    },
    describe: () => describeApi(version),
  }
}

function descriptionOf([name, below]: ApiCommand['words']): string {
  const listed = Object.values(commands)
    .flat()
    .find((each) => each.name === name)
  const isGroup = listed !== undefined && 'commands' in listed
  return (isGroup ? listed.commands.find((each) => each.name === below) : listed)?.description ?? ''
}

interface ApiRequest {
  readonly options: HistoryOptions
  readonly terminal: ProcessContext
  readonly reading: HistoryAccess
}

async function runCommand(api: ApiCommand, asked: ReadParameters, asking: ApiRequest): Promise<string> {
  const { options, terminal, reading } = asking
  if (asked.run !== undefined) await runNamed(reading.history, asked.run)
  let work: ((context: ProcessContext) => Promise<number>) | undefined
  const { program, command } = await buildCommand(api, async (run) => {
    work = run
  })
  const has = (name: string) => command.options.some(({ long }) => long === name)
  const fixed = [
    '--format=json',
    ...(has('--config') ? [`--config=${options.config}`] : []),
    ...(options.history !== undefined && has('--history') ? [`--history=${options.history}`] : []),
  ]
  const { context, text } = capturing({ ...terminal, reading })
  try {
    program.parse([...api.words, ...fixed, ...asked.words], { from: 'user' })
    await work?.(context)
    return text()
  } catch (error) {
    throw withoutPlaces(error, options, terminal)
  }
}

/** An error that names the files of this machine is not for readers of the pages. */
function withoutPlaces(error: unknown, { config, history }: HistoryOptions, { cwd }: ProcessContext): unknown {
  if (error instanceof CommanderError) return AuditError.usage(error.message.replace(/^error: /, ''))
  if (!(error instanceof AuditError) || error.kind !== 'usage') return error
  const places = [cwd(), config, resolve(cwd(), config), ...(history === undefined ? [] : [history])]
  const said = `${error.message}\n${error.advice ?? ''}`
  return places.some((place) => said.includes(place)) ? AuditError.failure(said, { cause: error }) : error
}
