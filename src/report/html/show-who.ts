import type { Kind } from '../../model/resource.ts'
import { shorten } from '../text/shorten.ts'
import { html, type Markup } from './markup.ts'

interface Who {
  readonly project: string
  readonly kind: Kind
  readonly uid: string
  readonly name: string
}

/** A resource: project, kind, name, uid. */
export function showWho({ project, kind, uid, name }: Who): Markup {
  const named = name === '' ? html`` : html`<b>${shorten(name, 120)}</b> `
  return html`${project} · ${kind} ${named}<code>${shorten(uid, 80)}</code>`
}
