import type { OpenHistory } from '../../history/history.ts'
import type { Inquiry, ParameterTable, ParameterValues } from '../../questions/question.ts'

/** What answers an address of the API: a question to the history, or a command that prints JSON. */
export interface ApiSource<Parameters extends ParameterTable = ParameterTable> {
  readonly parameters: Parameters
  readonly isOfRun: boolean
  /** The parameter that `run` is, where none has that name; without any, the answer is the same for all runs. */
  readonly runIs?: string
  /** false: it is one document, of which no rows are left out. */
  readonly isLimited?: false
  /** The JSON of the answer; its text, where `inquiry` says so and the address has commands. */
  write(history: OpenHistory, values: ParameterValues<Parameters>, inquiry: Inquiry): Promise<string>
}
