import type { ReportChange } from '../../model/report.ts'
import { code } from './code.ts'

/** Kind, name and uid of a resource. */
export function showResource({ kind, name, uid }: Pick<ReportChange, 'kind' | 'name' | 'uid'>): string {
  return [kind, code(name, 60), code(uid, 60)].filter((piece) => piece !== '').join(' ')
}
