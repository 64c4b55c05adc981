import { isJsonObject } from '../../model/json.ts'
import { emptyState } from '../../report/html/components/empty-state.ts'
import { html, type Markup, nothing } from '../../report/html/markup.ts'
import { pageSection } from '../../report/html/render-page.ts'
import { shorten } from '../../report/text/shorten.ts'
import { paths, type SiteLink } from '../link.ts'

/** Subscriptions that refer to it. The timeline has them as JSON. */
export function showUsers(resources: unknown, link: SiteLink): Markup {
  const [first] = Array.isArray(resources) ? resources : []
  const referrers = isJsonObject(first) && Array.isArray(first.referrers) ? first.referrers.filter(isJsonObject) : []
  const now = referrers.filter(({ to_run }) => to_run === null)
  if (referrers.length === 0) return nothing
  const rows = now.map((referrer) => {
    const [uid, name] = [String(referrer.uid), String(referrer.name)]
    return html`<li><p>subscription <a href="${link(paths.resource(uid))}">${name === '' ? uid : shorten(name, 120)}</a></p></li>`
  })
  return pageSection({
    id: 'users',
    title: 'Used by',
    count: now.length,
    content:
      now.length === 0
        ? emptyState(`No subscription now; ${referrers.length} did before.`, 'none')
        : html`<ul class="rows">${rows.slice(0, 50)}</ul>`,
  })
}
