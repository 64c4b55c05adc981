import { neutraliseJson } from '../model/text/neutralise.ts'
import { inReadingOrder } from './json.ts'
import type { ReportFormat } from './report-format.ts'

/**
 * A JSON object a line (config/report-line.schema.json): first what the run was, its verdict, its coverage, its projects,
 * and what rules could not evaluate in them; then each notice, change, note, cause, violation and acceptance, with the
 * members that it has in the JSON report. A reader that stops after the gaps knows what the rest is worth.
 */
export const jsonl: ReportFormat = ({ schema, tool, run, digests, verdict, ...lists }) => {
  const { number, ...times } = run
  const line = (type: string, members: object) => {
    // What a line is comes first, and its other members after it.
    const head = JSON.stringify({ type, run: number }).slice(0, -1)
    return `${neutraliseJson(`${head},${JSON.stringify(members, inReadingOrder).slice(1)}`)}\n`
  }
  const lines = (type: string, all: readonly object[]) => all.map((members) => line(type, members))
  return [
    line('run', { schema, tool, ...times, digests }),
    line('verdict', verdict),
    ...lines('coverage', lists.coverage),
    ...lines('project', lists.projects),
    ...lines('gap', lists.gaps),
    ...lines('notice', lists.notices),
    ...lines('drift', lists.drift),
    ...lines('note', lists.notes),
    ...lines('cause', lists.causes),
    ...lines('violation', lists.violations),
    ...lines('accepted', lists.accepted),
  ].join('')
}
