import { formatExpiry } from '../../../model/format-expiry.ts'
import type { ReportViolation } from '../../../model/report.ts'
import type { AcceptedViolation } from '../../../model/violation.ts'
import { shorten } from '../../text/shorten.ts'
import { showTime } from '../../text/show-time.ts'
import { anchorOf } from '../anchors.ts'
import { html, type Markup, nothing } from '../markup.ts'
import { resource } from './resource.ts'
import { severityChip } from './severity.ts'

interface FindingOptions {
  /** The id of the row on its page. */
  readonly anchor: string
  /** Where its name leads; the row itself unless specified. */
  readonly href?: string
  /** Where its owner leads; nowhere unless specified. */
  readonly ownerHref?: string
  /** Since when, in words. */
  readonly age: string
  /** By when, in words; absent or empty without a due date. */
  readonly due?: { readonly text: string; readonly isOverdue: boolean }
  /** Whether the row names severity and rule, because the block around it does not. */
  readonly isNamed: boolean
}

/** A violation: what was found, where, and since when. */
export function findingRow(
  violation: ReportViolation,
  { anchor, href = `#${anchor}`, ownerHref, age, due, isNamed }: FindingOptions,
): Markup {
  const { rule, severity, project, owner, state, path, message } = violation
  const which = isNamed ? html`${severityChip(severity)} <code>${rule}</code> ` : nothing
  const named = shorten(owner ?? '', 60)
  const whose =
    owner === null
      ? nothing
      : html` · owner ${ownerHref === undefined ? named : html`<a href="${ownerHref}">${named}</a>`}`
  const late =
    due === undefined || due.text === ''
      ? nothing
      : html` · ${due.isOverdue ? html`<b class="bad">${due.text}</b>` : due.text}`
  const place = path === '' ? nothing : html` at <code>${shorten(path, 200)}</code>`
  return html`<li id="${anchor}" data-rule="${rule}" data-severity="${severity}" data-project="${project}" data-state="${state}"><p>${which}${shorten(message, 2000)}</p><p class="where">${resource(violation, href)}${place}${whose} · ${age}${late}</p>${showWaiver(violation)}</li>
`
}

/** A violation that a person accepted, who and why. `within` names the place on its page. */
export function acceptedRow(acceptance: AcceptedViolation, within: string): Markup {
  const { fingerprint, rule, severity, project, path, message, by, at, reason } = acceptance
  const anchor = anchorOf(`a-${fingerprint}`, within)
  const chip = severity === null ? nothing : html`${severityChip(severity)} `
  const place = path === '' ? nothing : html` at <code>${shorten(path, 200)}</code>`
  return html`<li id="${anchor}" data-rule="${rule}" data-project="${project}" data-state="accepted"><p>${chip}<code>${rule}</code> ${shorten(message, 2000)}</p><p class="where">${resource(acceptance, `#${anchor}`)}${place}</p><p class="where">Accepted by ${by}, ${showTime(at)}: ${reason}</p></li>
`
}

function showWaiver({ waiver }: ReportViolation): Markup {
  if (waiver === undefined) return nothing
  const { owner, reason, expires, ticket } = waiver
  const followedUp = ticket === undefined ? '' : ` (${ticket})`
  return html`<p class="where">Accepted by ${owner} until ${formatExpiry(expires)}: ${reason}${followedUp}</p>`
}
