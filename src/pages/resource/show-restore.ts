import type { Identity } from '../../history/sql/resource-life.ts'
import { command } from '../../report/html/components/command.ts'
import { html, type Markup, nothing } from '../../report/html/markup.ts'
import { pageSection } from '../../report/html/render-page.ts'
import type { SiteRequest } from '../page.ts'
import { readRequests, showRequest } from '../restore-requests.ts'
import { hookdriftCommand } from '../same-answer.ts'

/** The requests that put a resource back, and why. */
export async function showRestore(request: SiteRequest, identity: Identity): Promise<Markup> {
  const answer = await readRequests(request, identity, undefined)
  if (answer === undefined) return nothing
  const { rows, remarks = [], conclusion = [] } = answer
  const { project, kind, uid } = identity
  const restore = hookdriftCommand(['restore'], { operands: [uid], options: { project: project.name, kind } })
  return pageSection({
    id: 'repair',
    title: 'How to put it back',
    content: html`${remarks.map((line) => html`<p>${line}</p>`)}${rows.map(showRequest)}${rows.length === 0 ? nothing : html`${conclusion.map((line) => html`<p class="soft">${line}</p>`)}<p class="soft">${command(restore)} prints it with your addresses.</p>`}`,
  })
}
