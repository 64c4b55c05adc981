import type { ReportChange } from '../../model/report.ts'
import { neutralise, quote } from '../../text/neutralise.ts'
import { shorten } from './shorten.ts'

type ShownResource = Omit<ReportChange, 'change' | 'fields'>

/** The identity of a resource, in pieces to wrap: project, kind, name, uid. */
export function showResource({ project, kind, name, uid }: ShownResource): string[] {
  const pieces = [neutralise(project), neutralise(kind)]
  if (name !== '') pieces.push(showName(name))
  return [...pieces, shorten(neutralise(uid), 64)]
}

/** The name of a resource, with its uid unless the name is clear. */
export function nameResource({ name, uid }: Pick<ShownResource, 'name' | 'uid'>, isClear: boolean): string {
  const parts = [...(name === '' ? [] : [showName(name)]), ...(isClear ? [] : [shorten(neutralise(uid), 64)])]
  return parts.join(' ')
}

function showName(name: string): string {
  const shown = shorten(name, 60)
  return shown === name ? quote(name) : `${quote(shown.slice(0, -1))}…`
}
