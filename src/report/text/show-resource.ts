import type { ReportChange } from '../../model/report.ts'
import { neutralise, quote } from '../../text/neutralise.ts'
import { shorten } from './shorten.ts'

type ResourceIdentity = Omit<ReportChange, 'change' | 'fields'>

/** The identity of a resource, in pieces to wrap: project, kind, name, uid. */
export function showResource({ project, kind, name, uid }: ResourceIdentity): string[] {
  const pieces = [neutralise(project), neutralise(kind)]
  if (name !== '') pieces.push(showName(name))
  return [...pieces, shorten(neutralise(uid), 64)]
}

function showName(name: string): string {
  const shortened = shorten(name, 60)
  return shortened === name ? quote(name) : `${quote(shortened.slice(0, -1))}…`
}
