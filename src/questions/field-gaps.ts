import { z } from 'zod'
import type { HistoryReader } from '../history/reader.ts'
import type { RecordedScan } from '../history/sql/scans.ts'
import { readUnknownFields, type UnknownFields } from '../history/sql/unknown-fields.ts'
import { isStored } from '../inventory/malformed.ts'
import { schemas } from '../model/report.ts'
import type { Kind } from '../model/resource.ts'
import { count } from '../text/count.ts'

/** What a comparison cannot say: a value that is unknown on one side is neither equal nor another one. */
export const fieldGap = z.object({
  project: schemas.project,
  kind: schemas.kind,
  field: z.string().describe('Its path without uids: `secrets[].expires_at`; `filters` for filter rows.'),
  resources: schemas.count,
  text: z.string(),
})
export type FieldGap = z.infer<typeof fieldGap>

/** Fields that are unknown in some projects as of a run. `kind`: of this kind alone. */
export async function readFieldGaps(
  reader: HistoryReader,
  scans: readonly RecordedScan[],
  run: number,
  kind?: Kind,
): Promise<readonly FieldGap[]> {
  const gaps: FieldGap[] = []
  for (const { project, coverage } of scans) {
    const unknown = [...(await readUnknownFields(reader, project, run)).values()]
    const counts = new Map<string, { kind: Kind; field: string; resources: number }>()
    for (const one of unknown) {
      if (kind !== undefined && one.kind !== kind) continue
      for (const field of fieldsOf(one, coverage)) {
        const counted = counts.get(`${one.kind} ${field}`) ?? { kind: one.kind, field, resources: 0 }
        counts.set(`${one.kind} ${field}`, { ...counted, resources: counted.resources + 1 })
      }
    }
    gaps.push(...[...counts.values()].map((one) => ({ project: project.name, ...one, text: describeUnknown(one) })))
  }
  return gaps
}

/** Paths of what is unknown of a resource. Rows that its service does not have are not. */
export function fieldsOf(
  { kind, unseen, areRowsUnread }: UnknownFields,
  coverage: RecordedScan['coverage'],
): readonly string[] {
  const walk = coverage.find(({ listing }) => listing === 'filters')
  const rows = areRowsUnread && walk?.status !== 'skipped' && !unseen.includes('filters') ? ['filters'] : []
  return [...unseen.filter((path) => isStored(kind, path)), ...rows]
}

/** `2 endpoints that show no url`. */
export function describeUnknown({ kind, field, resources }: Pick<FieldGap, 'kind' | 'field' | 'resources'>): string {
  if (field === 'filters') return `${count(resources, kind)} whose filter rows are not known`
  return `${count(resources, kind)} that ${resources === 1 ? 'shows' : 'show'} no ${field}`
}

/** A sentence about it. */
export function sayUnknown({ project, text }: FieldGap): string {
  return `${project}: not compared in full: ${text}.`
}
