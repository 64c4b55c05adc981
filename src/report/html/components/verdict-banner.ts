import type { VerdictWords } from '../describe-verdict.ts'
import { html, type Markup, nothing } from '../markup.ts'
import { type NumberWithDelta, numberWithDelta } from './number.ts'

interface Verdict extends VerdictWords {
  readonly numbers: readonly NumberWithDelta[]
  readonly bar?: Markup
  /** Short facts under the numbers. */
  readonly facts: readonly (string | Markup)[]
}

/** The verdict in words, with the numbers that it rests on. */
export function verdictBanner({ outcome, word, sentence, numbers, bar = nothing, facts }: Verdict): Markup {
  const more =
    facts.length === 0 ? nothing : html`<ul class="inline">${facts.map((fact) => html`<li>${fact}</li>`)}</ul>`
  return html`<div class="verdict ${outcome}">
<p><strong class="outcome">${word}</strong> ${sentence}</p>
<ul class="numbers">
${numbers.map(numberWithDelta)}</ul>
${bar}${more}</div>
`
}
