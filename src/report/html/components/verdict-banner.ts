import { html, type Markup, nothing } from '../markup.ts'

interface Verdict extends VerdictWords {
  readonly numbers: readonly NumberWithDelta[]
  readonly bar?: Markup
  /** Short facts under the numbers. */
  readonly facts: readonly (string | Markup)[]
}

/** The verdict in words, with the numbers that it rests on. */
export function verdictBanner({ outcome, word, sentence, numbers, bar = nothing, facts }: Verdict): Markup {
  const more = facts.length > 0 && html`<ul class="inline">${facts.map((fact) => html`<li>${fact}</li>`)}</ul>`
  return html`<div class="verdict ${outcome}">
<p><strong class="outcome">${word}</strong> ${sentence}</p>
<ul class="numbers">
${numbers.map(numberWithDelta)}</ul>
${bar}${more}</div>
`
}

/** A verdict in words; `outcome` is its colour. */
export interface VerdictWords {
  readonly outcome: 'passed' | 'failed' | 'unknown'
  readonly word: string
  readonly sentence: string
}

interface NumberWithDelta {
  /** The number, or `?` when it is unknown. */
  readonly value: string
  readonly label: string
  /** What changed since the last run, such as `+1 new`; empty when that is not known. */
  readonly delta: readonly string[]
  /** A severity or a state: it decides icon and colour. */
  readonly mark: string
  /** Where what it counts is listed. */
  readonly href?: string
}

/** A large number with its change since the last run. */
function numberWithDelta({ value, label, delta, mark, href }: NumberWithDelta): Markup {
  const isKnown = value !== '?'
  const quiet = value === '0' ? ' quiet' : ''
  const change = delta.length > 0 && html`<span class="delta">${delta.join(', ')}</span>`
  const named = html`<b>${value}</b> <span class="label">${label}</span>`
  return html`<li class="figure ${mark}${isKnown ? quiet : ' unseen'}">${href === undefined ? named : html`<a href="${href}">${named}</a>`}${change}</li>
`
}
