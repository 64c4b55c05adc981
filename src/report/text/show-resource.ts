import type { ReportChange } from '../../model/report.ts'
import { neutralise, quote } from '../../text/neutralise.ts'
import { shorten } from './shorten.ts'

/** The identity of a resource, in pieces to wrap: project, kind, name, uid. */
export function showResource({ project, kind, name, uid }: Omit<ReportChange, 'change' | 'fields'>): string[] {
  const pieces = [neutralise(project), neutralise(kind)]
  if (name !== '') pieces.push(showName(name))
  return [...pieces, shorten(neutralise(uid), 64)]
}

function showName(name: string): string {
  const shown = shorten(name, 60)
  return shown === name ? quote(name) : `${quote(shown.slice(0, -1))}…`
}
