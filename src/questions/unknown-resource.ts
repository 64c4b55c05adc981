import type { HistoryReader } from '../history/reader.ts'
import { listResources } from '../history/sql/list-resources.ts'
import { readLatestScans } from '../history/sql/scans.ts'
import { AuditError } from '../model/errors.ts'
import { suggestName } from '../model/text/nearest-name.ts'

/** So many names are compared with one that is unknown. */
const mostCompared = 20_000

/** For a text that means no resource. `where`: projects and a kind that were chosen. */
export async function unknownResource(
  reader: HistoryReader,
  text: string,
  { run, where = [] }: { readonly run: number; readonly where?: readonly string[] },
): Promise<AuditError> {
  const projects = (await readLatestScans(reader, run)).map(({ project }) => project)
  const choice = { projects, run, kind: undefined, after: undefined, withRemoved: true, most: mostCompared }
  const listed = await listResources(reader, choice)
  const suggestion = suggestName(
    text,
    listed.flatMap(({ name, uid }) => [name, uid]),
  )
  const chosen = where.length === 0 ? '' : ` in ${where.join(' ')}`
  return AuditError.usage(
    `the history up to run ${run} has no resource ${JSON.stringify(text)}${chosen}${suggestion}`,
    {
      advice: '`hookdrift state --format csv` lists the resources; pruned runs are not in the history',
    },
  )
}
