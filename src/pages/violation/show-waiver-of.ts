import type { Acceptance } from '../../history/acceptances.ts'
import { formatExpiry } from '../../model/time.ts'
import { describeSigner, endingWords } from '../../questions/acceptances.ts'
import type { ViolationRow } from '../../questions/violations.ts'
import { fold } from '../../report/html/components/fold.ts'
import { html, type Markup, nothing } from '../../report/html/markup.ts'
import { nameControl } from '../../report/html/show-rules.ts'
import { showTime } from '../../report/text/show-time.ts'
import { count } from '../../text/count.ts'
import { paths } from '../link.ts'
import type { SiteRequest } from '../page.ts'

/** Who accepted it, why, and until when: by a waiver of the policy, or by hand. */
export function showWaiverOf(
  { waiver }: ViolationRow,
  acceptances: readonly Acceptance[],
  { link }: SiteRequest,
): Markup {
  const byPolicy =
    waiver === undefined
      ? nothing
      : html`<p><b>Waived by ${waiver.owner}</b> until ${formatExpiry(waiver.expires)}: ${waiver.reason}${waiver.ticket === undefined ? '' : ` (${waiver.ticket})`}. <a href="${link('/waivers')}">Waivers</a></p>`
  const byHand = acceptances.map((acceptance) => {
    const { by, at, osUser = null, reason } = acceptance
    const signer = describeSigner({ by, os_user: osUser })
    return html`<p><b>Accepted by ${signer}</b>, ${showTime(at)}: ${reason}.${showEnd(acceptance)}</p>`
  })
  return waiver === undefined && byHand.length === 0 ? nothing : html`<div class="note">${byPolicy}${byHand}</div>`
}

function showEnd({ revoked, ended }: Acceptance): Markup {
  if (revoked !== undefined) return html` Revoked by ${revoked.by}, ${showTime(revoked.at)}.`
  return ended === undefined ? nothing : html` Ended ${showTime(ended.at)}: ${endingWords[ended.by]}.`
}

/** The controls of frameworks that the rule is evidence for. */
export function showControls(controls: readonly string[], { link }: SiteRequest): Markup {
  if (controls.length === 0) return nothing
  const items = controls.map((control) => {
    const [framework = ''] = control.split(':')
    return html`<li><a href="${link(paths.framework(framework))}">${nameControl(control)}</a></li>`
  })
  return fold(html`${count(controls.length, 'control')}`, html`<ul class="controls">${items}</ul>`)
}
