import { parse, resolve } from 'node:path'
import type { HistoryOptions } from '../../app/locate-history.ts'
import type { HistoryAccess, ProcessContext } from '../../app/process-context.ts'
import { readTextFile } from '../../app/read-text-file.ts'
import { readConfiguration } from '../../config/read-configuration.ts'
import { AuditError } from '../../model/errors.ts'
import type { Api } from '../../pages/api.ts'
import { NotFound } from '../../pages/page.ts'
import { readParameters } from '../../questions/query-parameters.ts'
import { runNamed } from '../../questions/question.ts'
import { type DescribeCommand, descriptionOf, entriesFor } from './api-entries.ts'
import { describeApi, describeTools } from './describe-api.ts'

interface ApiWords {
  /** Of hookdrift. */
  readonly version: string
  readonly describe: DescribeCommand
}

/** Answers as the commands do, so that each answer is what the command prints. */
export function answerApi(options: HistoryOptions, terminal: ProcessContext, { version, describe }: ApiWords): Api {
  const entries = entriesFor(hasKeys(options.config, terminal))
  return {
    commands: Object.entries(entries).map(([name, entry]) => ({
      name,
      description: descriptionOf(entry, describe),
    })),
    async prepare(name, search) {
      const all = Object.entries(entries)
      // Of one command, the entry without options first: `waivers list` before `waivers list --acceptances`.
      const entry =
        all.find(([each]) => each === name) ??
        all.find(([, { words }]) => words.replaceAll(' ', '/') === name) ??
        all.find(([, { words }]) => words.split(' --')[0]?.replaceAll(' ', '/') === name)
      if (entry === undefined) throw new NotFound(`there is no command "${name}" in the API; /api/v1 lists them`)
      const [named, { isOfAllProjects = false, hasCommands = false, asksService = false, load }] = entry
      const source = await load()
      const { values, limit, format, run, isOfRun } = readParameters(named, source, search)
      const readAs = (format: 'json' | 'csv' | 'text') => async (reading: HistoryAccess) => {
        if (run !== undefined) await runNamed(reading.history, run)
        const inquiry = { terminal: { ...terminal, reading }, options, format, limit }
        try {
          return await source.write(reading.history, values, inquiry)
        } catch (error) {
          throw hideFiles(error, options, terminal)
        }
      }
      return {
        isOfRun,
        isOfAllProjects,
        asksService,
        type: types[format],
        read: readAs(format),
        ...(hasCommands ? { readText: readAs('text') } : {}),
      }
    },
    describe: () => describeApi(entries, version, describe),
    tools: () => describeTools(entries, describe),
  }
}

const types = { json: 'application/json', csv: 'text/csv; charset=utf-8' } as const

/** Whether the process has the keys of the services that the configuration names. */
export function hasKeys(config: string, { cwd, env }: ProcessContext): boolean {
  try {
    readConfiguration(resolve(cwd(), config), { env, readFile: readTextFile }, { needs: ['services'] })
    return true
  } catch (error) {
    if (error instanceof AuditError) return false
    throw error
  }
}

/** An error that names the files of this machine is not for readers of the pages. */
function hideFiles(error: unknown, { config, history }: HistoryOptions, { cwd }: ProcessContext): unknown {
  if (!(error instanceof AuditError) || error.kind !== 'usage') return error
  // Much that a reader asks for has the slash of the root in it.
  const directories = parse(cwd()).root === cwd() ? [] : [cwd()]
  const paths = [...directories, config, resolve(cwd(), config), ...(history === undefined ? [] : [history])]
  const said = `${error.message}\n${error.advice ?? ''}`
  return paths.some((path) => said.includes(path)) ? AuditError.failure(said, { cause: error }) : error
}
