import { type FailOn, leastNew } from '../../../model/violation.ts'
import { count } from '../../../text/count.ts'
import type { ScanExtent } from '../../gaps.ts'
import { atLeast } from '../../verdict.ts'
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

/**
 * `failing`: how many open violations fail a run that fails on `failOn`. What was not scanned may hide more. `isSure`:
 * whether everything that was scanned could be checked; `lost`: how many violations would fail it, were they still open.
 */
export function describeVerdict({
  failOn,
  failing,
  lost,
  extent,
  isSure,
}: {
  readonly failOn: FailOn
  readonly failing: number
  readonly lost: number
  readonly extent: ScanExtent
  readonly isSure: boolean
}): VerdictWords {
  if (extent === 'none') return { outcome: 'unknown', word: 'Unknown', sentence: 'Nothing was scanned.' }
  const isWhole = extent === 'all'
  if (failing > 0) {
    const failures = `${count(failing, failOn === 'new' ? 'new open violation' : 'open violation')} of ${thresholdOf(failOn)}`
    const sentence = isWhole ? `${failures}.` : `At least ${failures}: the scan is incomplete.`
    return { outcome: 'failed', word: 'Failed', sentence }
  }
  const none =
    failOn === 'never'
      ? 'No violation fails a run'
      : `No ${failOn === 'new' ? 'new ' : ''}open violation of ${thresholdOf(failOn)}`
  if (!isWhole)
    return { outcome: 'unknown', word: 'Incomplete', sentence: `${none} in what was scanned, the rest is unknown.` }
  if (lost > 0) {
    const which = `${count(lost, 'violation')} of ${thresholdOf(failOn)}`
    return { outcome: 'unknown', word: 'Incomplete', sentence: `${none} in what was shown, and ${which} unknown.` }
  }
  return isSure
    ? { outcome: 'passed', word: 'Passed', sentence: `${none}.` }
    : { outcome: 'unknown', word: 'Passed', sentence: `${none} in what could be checked, the rest is unknown.` }
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

function thresholdOf(failOn: FailOn): string {
  return atLeast(failOn === 'new' || failOn === 'never' ? leastNew : failOn)
}
