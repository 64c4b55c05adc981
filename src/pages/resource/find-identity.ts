import { findIdentities } from '../../history/find-identities.ts'
import type { Identity } from '../../history/sql/resource-life.ts'
import { kinds } from '../../model/resource.ts'
import { html, type Markup } from '../../report/html/markup.ts'
import { paths, type SiteLink } from '../link.ts'
import type { SiteRequest } from '../page.ts'
import { readChoice } from '../query.ts'

/** The resources of an address: by a uid, a name or a beginning of one, as the commands read it. */
export function identitiesAt({ history, run, params, query }: SiteRequest): Promise<readonly Identity[]> {
  const [named = '', kind, projects] = [params.uid, readChoice(query, 'kind', kinds), query.all('project')]
  const isChosen = (identity: Identity) =>
    (kind === undefined || identity.kind === kind) &&
    (projects.length === 0 || projects.includes(identity.project.name))
  return findIdentities(history, named, { run: run.number, isChosen })
}

export function showCandidates(found: readonly Identity[], link: SiteLink): Markup {
  return html`<p>${found.length} resources have this uid:</p><ul class="rows">${found.map(
    ({ project, kind, uid }) =>
      html`<li><p><a href="${link(paths.resource(uid), { project: project.name, kind })}">${project.name} · ${kind}</a></p></li>`,
  )}</ul>`
}
