import { z } from 'zod'
import { schemas } from '../model/report.ts'
import { listOf, publishedSchemas } from '../model/schema.ts'

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
