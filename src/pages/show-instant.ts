import { html, type Markup } from '../report/html/markup.ts'
import { showTime } from '../report/text/show-time.ts'

/** An instant, ISO 8601 in UTC, to which the script adds how long ago it is. */
export function showInstant(iso: string): Markup {
  return html`<time datetime="${iso}">${showTime(iso)}</time>`
}
