import type { ReportViolation } from '../../../model/report.ts'
import { showOpenTime } from '../../../model/time.ts'
import { type AcceptedViolation, isOverdue } from '../../../model/violation.ts'
import { describeDue } from '../../describe-due.ts'
import { asSentence, describeWaiver, sentenceOfEnding } from '../../describe-ending.ts'
import { shorten } from '../../text/shorten.ts'
import { showTime } from '../../text/show-time.ts'
import { html, type Markup, nothing, withCode } from '../markup.ts'
import { anchorOf, type ReportLinks, resource, rowList, severityChip } from './parts.ts'

interface FindingOptions {
  /** The id of the row on its page. */
  readonly anchor: string
  /** Where its names lead, on a page among others; otherwise the name of its resource leads to the row. */
  readonly links?: ReportLinks | undefined
  /** Of the rule. */
  readonly title?: string | undefined
  /** Since when, in words. */
  readonly age: string
  /** By when, in words; absent or empty without a due date. */
  readonly due?: { readonly text: string; readonly isOverdue: boolean }
  /** Whether the row names severity and rule, because the block around it does not. */
  readonly isNamed: boolean
}

/** A violation: what was found, where, and since when. */
export function findingRow(violation: ReportViolation, options: FindingOptions): Markup {
  const { rule, severity, project, state } = violation
  return html`<li id="${options.anchor}" data-rule="${rule}" data-severity="${severity}" data-project="${project}" data-state="${state}">${showFinding(violation, options)}${showWaiver(violation)}${showEnding(violation)}</li>
`
}

function showFinding(violation: ReportViolation, { anchor, links, title, age, due, isNamed }: FindingOptions): Markup {
  const { fingerprint, rule, severity, owner, path } = violation
  const message = shorten(violation.message, 2000)
  const atPath = path !== '' && html` at <code>${shorten(path, 200)}</code>`
  const whose = shorten(owner ?? '', 60)
  const late = due?.isOverdue ? html`<b class="bad">${due.text}</b>` : html`${due?.text ?? ''}`
  if (links === undefined) {
    const which = isNamed && html`${severityChip(severity)} <code>${rule}</code> `
    const signs = [...(owner === null ? [] : [`owner ${whose}`]), age, ...(due?.text ? [late] : [])]
    return html`<p>${which}${withCode(message)}</p><p class="where">${resource(violation, `#${anchor}`)}${atPath}${signs.map((sign) => html` · ${sign}`)}</p>`
  }
  const href = links.violation(fingerprint)
  const said = isNamed
    ? html`<p>${severityChip(severity)} <a class="title" href="${href}">${title ?? rule}</a></p><p>${withCode(message)}</p>`
    : html`<p><a class="title" href="${href}">${withCode(message)}</a></p>`
  const named = isNamed && title !== undefined && html` · <code>${rule}</code>`
  const owned = owner !== null && html`owner <a href="${links.owner(owner)}">${whose}</a>`
  return html`${said}<p class="where">${resource(violation, links.resource(violation))}${atPath}${named}</p><p class="signs"><span>${owned}</span> <span>${age}</span> <span>${late}</span></p>`
}

/** A violation that a person accepted, who and why. `within` names the part of the page. */
export function acceptedRow(acceptance: AcceptedViolation, within: string): Markup {
  const { fingerprint, rule, severity, project, path, message, by, at, reason } = acceptance
  const anchor = anchorOf(`a-${fingerprint}`, within)
  const chip = severity !== null && html`${severityChip(severity)} `
  const atPath = path !== '' && html` at <code>${shorten(path, 200)}</code>`
  return html`<li id="${anchor}" data-rule="${rule}" data-project="${project}" data-state="accepted"><p>${chip}<code>${rule}</code> ${withCode(shorten(message, 2000))}</p><p class="where">${resource(acceptance, `#${anchor}`)}${atPath}</p><p class="where">Accepted by ${by}, <span class="when">${showTime(at)}</span>: ${reason}</p></li>
`
}

/** Who or what ended it. */
function showEnding(violation: ReportViolation): Markup {
  return violation.ended_by === null ? nothing : html`<p class="where">${sentenceOfEnding(violation)}</p>`
}

function showWaiver({ waiver }: ReportViolation): Markup {
  return waiver === undefined ? nothing : html`<p class="where">${asSentence(describeWaiver(waiver))}</p>`
}

/** Violations as rows. */
export function showViolations(
  violations: readonly ReportViolation[],
  {
    at,
    isNamed,
    inFront,
    links,
  }: {
    /** The time of the run, from which ages count. */
    readonly at: string
    /** Whether each row names its severity and rule. */
    readonly isNamed: boolean
    /** How many rows are in front of the fold. */
    readonly inFront?: number
    /** Where names lead, on a page among others. */
    readonly links?: ReportLinks | undefined
  },
): Markup {
  const rows = violations.map((violation) => {
    const anchor = anchorOf('v', violation.fingerprint)
    const due = { text: describeDue(violation, at), isOverdue: isOverdue(violation, Date.parse(at)) }
    return findingRow(violation, { anchor, age: describeAge(violation, at), due, isNamed, links })
  })
  return rowList(rows, inFront)
}

export function describeAge({ state, first_seen, last_seen }: ReportViolation, at: string): string {
  const since = `since ${showTime(first_seen)}`
  if (state === 'opened') return 'new'
  if (state === 'unknown') return `${since}, last seen ${showTime(last_seen)}: unknown now`
  if (state === 'resolved') return `${since}, last seen ${showTime(last_seen)}`
  const age = Date.parse(at) - Date.parse(first_seen)
  return age >= 0 ? `${showOpenTime(age)}, ${since}` : since
}
