import type { HistoryOptions } from '../../app/locate-history.ts'
import type { ProcessContext } from '../../app/process-context.ts'
import type { Api } from '../../pages/api.ts'
import { describeCommand } from '../commands.ts'
import { answerApi } from './answer-api.ts'

/** The API, described in the words of the command line. What a command loads is given these, since it loads it. */
export function createApi(options: HistoryOptions, terminal: ProcessContext, version: string): Api {
  return answerApi(options, terminal, { version, describe: describeCommand })
}
