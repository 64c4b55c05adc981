import type { Identity } from '../../history/reader.ts'
import { html, type Markup, nothing } from '../../report/html/markup.ts'
import { pageSection } from '../../report/html/render-page.ts'
import type { SiteRequest } from '../page.ts'
import { readRequests, showRequest } from '../restore-requests.ts'

/** The requests that put a resource back, and why. */
export async function showRestore(request: SiteRequest, identity: Identity): Promise<Markup> {
  const answer = await readRequests(request, identity, undefined)
  if (answer === undefined) return nothing
  const { rows, remarks = [], conclusion = [] } = answer
  return pageSection({
    ...{ id: 'repair', title: 'How to put it back' },
    content: html`${remarks.map((line) => html`<p>${line}</p>`)}${rows.map(showRequest)}${rows.length === 0 ? nothing : html`${conclusion.map((line) => html`<p class="soft">${line}</p>`)}<p class="soft"><code>hookdrift restore ${identity.uid}</code> prints it with your addresses.</p>`}`,
  })
}
