import { z } from 'zod'
import type { HistoryOptions } from '../app/locate-history.ts'
import type { ProcessContext } from '../app/process-context.ts'
import { systemClock } from '../app/system.ts'
import { findRun } from '../history/find-run.ts'
import type { HistoryReader } from '../history/reader.ts'
import { type CommittedRun, findLastRun, listRuns } from '../history/sql/runs.ts'
import type { ExitCode } from '../model/errors.ts'
import { kinds } from '../model/resource.ts'
import { readDuration } from '../model/time.ts'
import type { Answer, AnswerForm, AnswerView } from '../report/answer.ts'
import type { AnswerFormat } from '../report/answer-formats.ts'

/**
 * A question to the history, with all that is known of it: its command with help and completion, its address of the API
 * with OpenAPI, the JSON Schema of its answer, its CSV, and how it is read and shown.
 */
export interface Question<Parameters extends ParameterTable = ParameterTable, Row = unknown, Asked = PageInquiry> {
  readonly form: AnswerForm
  /** Arguments in their order, and options. */
  readonly parameters: Parameters
  /** Formats of its own, besides those of all answers. */
  readonly formats?: readonly string[]
  /** Whether runs alone change the answer: not people, deliveries, files or the time. */
  readonly isOfRun: boolean
  /** The parameter that `run` is, where none has that name; without any, the answer is the same for all runs. */
  readonly runIs?: string
  /**
   * Is asked before a history is opened.
   * @throws AuditError.usage when values contradict each other
   */
  check?(values: ParameterValues<Parameters>, inquiry: Pick<Inquiry, 'format'>): void
  /** Whether its answers name the places where their pages begin and end; else a list is read whole, to be cut. */
  readonly isPaged?: true
  readonly read: (
    history: HistoryReader,
    values: ParameterValues<Parameters>,
    inquiry: Asked,
  ) => Promise<QuestionReply<Row>>
}

export type ParameterTable = Readonly<Record<string, Parameter>>

/** An option or an argument of a command, and a parameter of an address. */
export interface Parameter<Value = unknown> {
  /** As the help has them: `-p, --project <name...>`, or `<uid>` for an argument. */
  readonly flags: string
  readonly description: string
  /** Of the text that is given, or of a list of texts; of a flag, true. */
  readonly schema: z.ZodType<Value>
  /** How the help writes a default that is a list. */
  readonly writtenDefault?: string
  /** Others that cannot be given with it. */
  readonly conflicts?: readonly string[]
  /** It names a file, so that only the command has it. */
  readonly isLocal?: true
  /** It has the text of a file that only the command can name: as long as one, and required where there is no command. */
  readonly isFileText?: true
  /** The help of its command only names it. */
  readonly isRare?: true
}

export type ParameterValues<Parameters extends ParameterTable> = {
  readonly [Name in keyof Parameters]: Parameters[Name] extends Parameter<infer Value> ? Value : never
}

/** In which format an answer is asked for, and how much of it. */
export interface PageInquiry {
  /** A format of answers, or one of the question's own. */
  readonly format: string
  /** Rows at most. */
  readonly limit: number
  /** The place in a paged list after which the rows begin, or before which they end. */
  readonly place?: ListPlace | undefined
  /** What ages and due dates count to, in milliseconds; default: as of the last run, the time of asking. */
  readonly now?: number
}

/** A place that `next` or `previous` of an answer named. */
export interface ListPlace {
  readonly token: string
  readonly isEnd: boolean
}

/** The same of who asks as a process that has a configuration. */
export interface Inquiry extends PageInquiry {
  readonly terminal: ProcessContext
  readonly options: HistoryOptions
}

export interface QuestionReply<Row> {
  readonly answer: Answer<Row>
  readonly view: AnswerView<Row>
  /** Default: 0. */
  readonly exitCode?: ExitCode
  /** In place of a format of the question's own. */
  readonly format?: AnswerFormat
}

/** Declares a question; the values that it reads have the types of its parameters. */
export function question<const Parameters extends ParameterTable, Row>(
  declared: Question<Parameters, Row>,
): Question<Parameters, Row> {
  return declared
}

/** The same of one that reads the configuration, too. */
export function configuredQuestion<const Parameters extends ParameterTable, Row>(
  declared: Question<Parameters, Row, Inquiry>,
): Question<Parameters, Row, Inquiry> {
  return declared
}

/** Declares a parameter. */
export function parameter<Value>(
  flags: string,
  description: string,
  schema: z.ZodType<Value>,
  more: Pick<Parameter, 'writtenDefault' | 'conflicts' | 'isLocal' | 'isFileText' | 'isRare'> = {},
): Parameter<Value> {
  return { flags, description, schema, ...more }
}

/** An option that is given or not. */
export const given = z.literal(true).optional()

/** Several texts; none where it is not given. */
export const texts = z.array(z.string()).readonly().default([])

/** In milliseconds. */
export const duration = z.string().transform((text, context) => {
  const ms = readDuration(text)
  if (ms !== undefined) return ms
  context.issues.push({
    code: 'custom',
    message: 'Expected a duration such as 90s, 30m, 25h or 2d.',
    input: text,
  })
  return z.NEVER
})

/** Help for parameters that `findRun` reads. */
export const runOrTime = 'a run (12, latest, latest~2) or a time (2026-11-21, yesterday, 7d, 2026-11-21T14:03:00Z)'

export const projectParameter = parameter(
  '-p, --project <name...>',
  'only these projects: service/project, or a pattern such as "acme/*"',
  texts,
  { writtenDefault: 'all' },
)
export const kindParameter = parameter('--kind <kind>', 'only resources of this kind', z.enum(kinds).optional())
/** For answers about a run that were about the last one only. */
export const runParameter = parameter('--run <run|time>', `as of ${runOrTime}`, z.string().default('latest'))
/** Of answers about what people signed between runs. */
export const signedParameter = parameter(
  '--run <run|time>',
  `as of the end of a run: ${runOrTime} (default: now)`,
  z.string().optional(),
)
/** Help for parameters that name a resource. */
export const uidOrName = 'a uid, a name, or the beginning of one if that is unambiguous'
export const uidParameter = parameter('<uid>', `resource: ${uidOrName}`, z.string())

/** Finds the run of that number, word or time. */
export async function runNamed(reader: HistoryReader, name: string): Promise<CommittedRun> {
  const last = name === 'latest' ? await findLastRun(reader) : undefined
  if (last !== undefined) return last
  return findRun(await listRuns(reader), name, systemClock.now())
}

/** The run that is named; undefined: what people signed until now. */
export async function signedRun(reader: HistoryReader, name: string | undefined): Promise<CommittedRun | undefined> {
  return name === undefined ? undefined : runNamed(reader, name)
}

/** What a parameter takes, for who writes it down. */
export interface ParameterShape {
  readonly isArgument: boolean
  readonly isRequired: boolean
  readonly isFlag: boolean
  readonly isList: boolean
  /** Of one text. */
  readonly schema: z.ZodType
  readonly choices: readonly string[] | undefined
  readonly fallback: unknown
}

export function shapeOf({ flags, schema: whole, isFileText }: Parameter): ParameterShape {
  let schema: z.ZodType = whole
  let [isList, fallback]: [boolean, unknown] = [false, undefined]
  for (;;) {
    if (schema instanceof z.ZodDefault) fallback = schema.def.defaultValue
    if (schema instanceof z.ZodArray) isList = true
    const inner = schema instanceof z.ZodArray ? schema.element : innerOf(schema)
    if (!(inner instanceof z.ZodType)) break
    schema = inner
  }
  return {
    isArgument: /^[<[]/.test(flags),
    isRequired: flags.startsWith('<') || isFileText === true,
    isFlag: schema instanceof z.ZodLiteral,
    isList,
    schema,
    choices: schema instanceof z.ZodEnum ? schema.options.map(String) : undefined,
    fallback,
  }
}

function innerOf(schema: z.ZodType): unknown {
  const isWrapped = schema instanceof z.ZodDefault || schema instanceof z.ZodOptional || schema instanceof z.ZodReadonly
  return isWrapped ? schema.unwrap() : undefined
}

/**
 * Reads the values of parameters from texts, lists of texts, and true.
 * @param refuse throws what a reader of the message needs: which text is wrong, and what was expected
 */
export function readValues<Parameters extends ParameterTable>(
  parameters: Parameters,
  texts: Readonly<Record<string, unknown>>,
  refuse: (parameter: Parameter, text: string, message: string) => never,
): ParameterValues<Parameters> {
  const values = Object.entries(parameters).map(([name, parameter]) => {
    const text = texts[name]
    const read = parameter.schema.safeParse(text)
    if (read.success) return [name, read.data] as const
    const [issue] = read.error.issues
    const wrong = Array.isArray(text) ? text[Number(issue?.path[0] ?? 0)] : text
    return refuse(parameter, String(wrong), issue?.message ?? '')
  })
  // Each was read by the schema of its parameter.
  return Object.fromEntries(values) as ParameterValues<Parameters>
}
