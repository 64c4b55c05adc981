import type { Kind } from '../../../model/resource.ts'
import { shorten } from '../../text/shorten.ts'
import { html, type Markup, nothing } from '../markup.ts'

interface Resource {
  readonly project: string
  readonly kind: Kind
  readonly uid: string
  readonly name: string
  readonly ui_url?: string
}

/**
 * A resource: project, kind, name, uid. With `href`, its name links there: to its page, or to the entry itself, to be sent
 * around. Where the gateway's own UI shows it, the uid is followed by a link to that.
 */
export function resource({ project, kind, uid, name, ui_url }: Resource, href?: string): Markup {
  const link =
    ui_url === undefined ? nothing : html` <a class="gateway" href="${ui_url}" rel="noreferrer">open in the gateway</a>`
  const [shownName, shownUid] = [shorten(name, 120), html`<code>${shorten(uid, 80)}</code>${link}`]
  const named = name === '' ? html`` : html`<b>${shownName}</b> `
  if (href === undefined) return html`${project} · ${kind} ${named}${shownUid}`
  return name === ''
    ? html`${project} · ${kind} <a href="${href}"><code>${shorten(uid, 80)}</code></a>${link}`
    : html`${project} · ${kind} <a href="${href}">${shownName}</a> ${shownUid}`
}
