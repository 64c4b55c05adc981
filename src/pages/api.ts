import type { HistoryAccess } from '../app/process-context.ts'
import type { JsonObject } from '../model/json.ts'

/** The commands that answer over HTTP. The command line makes it, which the pages must not import. */
export interface Api {
  readonly commands: readonly ApiEntry[]
  /**
   * Prepares the answer of a command to a query.
   * @throws NotFound when there is no such command; AuditError.usage when a parameter is wrong
   */
  prepare(command: string, search: URLSearchParams): Promise<PreparedAnswer>
  /** As OpenAPI 3.1. */
  describe(): Promise<JsonObject>
  /** As tools for assistants. */
  tools(): Promise<readonly ApiTool[]>
}

export interface ApiEntry {
  readonly name: string
  readonly description: string
}

/** A command with JSON Schemas of its parameters, as members of one object, and of its answer. */
export interface ApiTool extends ApiEntry {
  readonly isOfAllProjects: boolean
  readonly input: JsonObject
  readonly output: JsonObject
}

export interface PreparedAnswer {
  /** Whether the answer is the same until the next run. */
  readonly isOfRun: boolean
  /** Whether only readers of all projects get it. */
  readonly isOfAllProjects: boolean
  /**
   * The JSON that the command prints.
   * @throws AuditError.usage when a value is wrong, or there is no such thing; AuditError.failure when it cannot be read
   */
  read(reading: HistoryAccess): Promise<string>
  /** The text that the command prints, where it has commands that the JSON does not. */
  readText?(reading: HistoryAccess): Promise<string>
}
