import { z } from 'zod'
import type { Json } from '../model/json.ts'
import { schemas } from '../model/report.ts'
import { listOf, publishedSchemas } from '../model/schema.ts'
import type { Column } from '../model/text/table.ts'
import type { Block } from './document/blocks.ts'

/** The answer of a command: rows and, where it reads the history, the run they are as of and its coverage. */
export interface Answer<Row> {
  readonly form: AnswerForm
  /** null where the history has no committed run, and for answers that are not about one. */
  readonly run: AnswerRun | null
  readonly coverage?: readonly AnswerCoverage[]
  /** Further members of the JSON form. */
  readonly more?: Readonly<Record<string, Json>>
  /** Sentences for people, before the rows; neutralised when shown. */
  readonly remarks?: readonly string[]
  /** Those of them that say what is unknown: next to CSV, which has no remarks, they are on stderr. */
  readonly unknown?: readonly string[]
  readonly rows: readonly Row[]
  /** Sentences for people, after the rows; neutralised when shown. */
  readonly conclusion?: readonly string[]
  /** How many more rows there are than the limit; `unknown` where they were not counted. */
  readonly omitted: number | 'unknown'
  /** Of a paged list: names the place of its last row, where others follow. */
  readonly next?: string | undefined
  /** The same of its first row, where others come before it. */
  readonly previous?: string | undefined
}

export type AnswerRun = z.infer<typeof schemas.run>

/** The coverage of the last scan of each project, as of the answer's run. */
export type AnswerCoverage = z.infer<typeof schemas.scannedCoverage>

/** What an answer's blocks need to know of where they are read. */
export interface AnswerPage {
  /** The run that the rows are as of; 0 for none. */
  readonly runNumber: number
  /** A command that reads the same history; null where none can. */
  commandFor(command: string): string | null
}

/** How the rows of an answer are shown. */
export interface AnswerView<Row> {
  readonly columns: readonly Column<Row>[]
  /** The CSV records of a row, where it has more or fewer than one. */
  readonly records?: (row: Row) => readonly (readonly Json[])[]
  /** The row of the JSON forms, where it is not the row itself. */
  readonly shape?: (row: Row) => object
  /** What the text says below a row of the table, at any length; undefined for nothing. */
  readonly below?: (row: Row) => string | undefined
  /** What people read of the rows, instead of a table. */
  readonly blocks?: (answer: Answer<Row>, page: AnswerPage) => readonly Block[]
  /** The text for an answer without rows. */
  readonly nothing: string
  /** Whether the text names the run that the rows are as of; false for rows that are not about a run. */
  readonly isOfRun?: false
  /** What exceeds the limit; default: `more`. */
  readonly omits?: 'earlier'
}

/** The first rows, and how many follow. */
export function limited<Row>(rows: readonly Row[], limit: number) {
  return { rows: rows.slice(0, limit), omitted: Math.max(0, rows.length - limit) }
}

/** The JSON form of an answer: `hookdrift.<name>/<version>`, published as `config/answers/<name>.schema.json`. */
export interface AnswerForm {
  readonly name: string
  /** Goes up when a member is renamed or taken away. */
  readonly version: number
  /** The command that prints it, where it is not its name: `baseline show`. */
  readonly command?: string
  readonly about: AnswerSubject
  readonly row: z.ZodType
  /** The member that contains the rows; `rows` unless specified. */
  readonly rowsMember?: 'checks'
  /** Members besides the usual ones. */
  readonly more?: z.ZodRawShape
}

/** What an answer says that it is about. */
export interface AnswerSubject {
  readonly run: z.ZodType
  readonly coverage?: z.ZodType
}

const { run, scannedCoverage } = schemas

/** A run that the description names, without its coverage. */
export const aboutRun = (description: string): AnswerSubject => ({ run: run.nullable().describe(description) })

const ofRows = 'The run that the rows are as of; null where the history holds no committed run.'

/** The history as a whole, as of a run. */
export const aboutHistory = aboutRun(ofRows)

/** What scans saw by a run. */
export const aboutScans: AnswerSubject = {
  run: run.nullable().describe(ofRows),
  coverage: listOf(scannedCoverage).exactOptional().describe('The last scan of each project by that run.'),
}

/** No run. */
export const aboutNoRun: AnswerSubject = { run: z.null().describe('The answer is not about a run.') }

const omitted = z
  .union([z.int().min(1), z.literal('unknown')])
  .exactOptional()
  .describe('How many more rows there are that --limit left out.')

/** The schema of a whole answer; its id is that of its file. */
export function answerSchema(form: AnswerForm): z.ZodType {
  const { name, version, command = name, about, row, rowsMember = 'rows', more = {} } = form
  const id = `hookdrift.${name}/${version}`
  const schema = z
    .object({ schema: z.literal(id), run: about.run })
    .extend(more)
    .extend(about.coverage === undefined ? {} : { coverage: about.coverage })
    .extend({ [rowsMember]: listOf(row), omitted })
    .meta({
      title: `hookdrift ${command}`,
      description: `${id}. Members may be added, never renamed: ignore those you do not know.`,
    })
  publishedSchemas.add(schema, { id: `answers/${name}-${version}` })
  return schema
}
