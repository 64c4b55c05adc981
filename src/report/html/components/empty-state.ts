import { html, type Markup } from '../markup.ts'

/** Why there is nothing to show. `unknown`: because nothing was scanned, which is not the same as nothing found. */
export function emptyState(sentence: string, reason: 'none' | 'unknown'): Markup {
  return html`<p class="empty${reason === 'unknown' ? ' unseen' : ''}">${reason === 'unknown' ? '? ' : ''}${sentence}</p>
`
}
