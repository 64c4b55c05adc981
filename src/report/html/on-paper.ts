import { shorten } from '../text/shorten.ts'
import { html, type Markup } from './markup.ts'

/** A line of paper has no room for more. */
const mostCharacters = 120

/**
 * What is at the head of every printed page, as an attribute of the root element. The style sheet reads it from there, so
 * that names never become a part of the style sheet.
 */
export function onPaper(title: string): Markup {
  return html` data-paper="${shorten(title, mostCharacters)}"`
}
