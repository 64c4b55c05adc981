import type { Kind } from '../../../model/resource.ts'
import { shorten } from '../../text/shorten.ts'
import { html, type Markup } from '../markup.ts'

interface Resource {
  readonly project: string
  readonly kind: Kind
  readonly uid: string
  readonly name: string
}

/** A resource: project, kind, name, uid. With an anchor, its name links to the entry itself, to be sent around. */
export function resource({ project, kind, uid, name }: Resource, anchor?: string): Markup {
  const [shownName, shownUid] = [shorten(name, 120), html`<code>${shorten(uid, 80)}</code>`]
  const named = name === '' ? html`` : html`<b>${shownName}</b> `
  if (anchor === undefined) return html`${project} · ${kind} ${named}${shownUid}`
  return name === ''
    ? html`${project} · ${kind} <a href="#${anchor}">${shownUid}</a>`
    : html`${project} · ${kind} <a href="#${anchor}">${shownName}</a> ${shownUid}`
}
