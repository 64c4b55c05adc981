import { globOf } from '../model/glob.ts'
import { isProjectListName, type Kind, policyProject } from '../model/resource.ts'
import type { DocumentLinks } from '../report/document/html.ts'

/** Makes the address of a page within the pages; of several values a parameter each, without those that are undefined. */
export type SiteLink = (path: string, query?: SiteLinkQuery) => string

export type SiteLinkQuery = Readonly<Record<string, string | number | readonly string[] | undefined>>

/** Links that stay at a run, unless they name another one; undefined: at the last one. */
export function linksAt(run: number | undefined): SiteLink {
  return (path, query = {}) => {
    const search = new URLSearchParams()
    for (const [name, value] of Object.entries({ ...query, run: query.run ?? run })) {
      if (value === undefined) continue
      const values = typeof value === 'object' ? value : [String(value)]
      for (const one of values) if (one !== '') search.append(name, one)
    }
    return search.size === 0 ? path : `${path}?${search}`
  }
}

/**
 * Where a resource is shown. The resources of the policy are its waivers, and what it says of a project is that violations
 * are overdue there; a project that the list of a service names belongs to the list. No run scans these.
 */
export function linkToResource(
  link: SiteLink,
  { project, kind, uid }: { readonly project: string; readonly kind: Kind; readonly uid: string },
): string {
  if (kind === 'policy' && project === policyProject.name) return link('/waivers')
  if (kind === 'policy') return link('/violations', { project: globOf(project), overdue: 'true' })
  return isProjectListName(project) ? linkToProject(link, project) : link(paths.resource(uid), { project, kind })
}

/** Where a project is shown; of the policy: what it violates, because no run scans it. */
export function linkToProject(link: SiteLink, name: string): string {
  return name === policyProject.name ? link('/violations', { project: name }) : link(paths.project(name))
}

/** The address of a thing that is named by foreign text: each part is one segment of the path. */
export function pathOf(...parts: readonly string[]): string {
  return `/${parts.map(segmentOf).join('/')}`
}

/** A browser takes `.` and `..` for a way within the path, however they are encoded: they follow a tilde. */
function segmentOf(text: string): string {
  return encodeURIComponent(isWay(text) ? `~${text}` : text)
}

/** Tildes, or none, before one dot or two. */
function isWay(text: string): boolean {
  const tildes = text.lastIndexOf('~') + 1
  return ['.', '..'].includes(text.slice(tildes)) && text.startsWith('~'.repeat(tildes))
}

/** The texts of which `pathOf` made segments, which are decoded. */
export function readSegments(segments: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const texts = Object.entries(segments).map(([name, segment]) => [
    name,
    segment.startsWith('~') && isWay(segment) ? segment.slice(1) : segment,
  ])
  return Object.fromEntries(texts)
}

export const paths = {
  violation: (fingerprint: string) => pathOf('violations', fingerprint),
  resource: (uid: string) => pathOf('resources', uid),
  /** `service/project` */
  project: (name: string) => pathOf('projects', ...name.split('/')),
  run: (number: number) => pathOf('runs', String(number)),
  /** `endpoint/url-insecure` */
  rule: (id: string) => pathOf('rules', ...id.split('/')),
  owner: (name: string) => pathOf('owners', name),
  framework: (name: string) => pathOf('compliance', name),
} as const

/** Where names on a page lead. */
export function reportLinks(link: SiteLink): Required<DocumentLinks> {
  return {
    violation: (fingerprint) => link(paths.violation(fingerprint)),
    resource: (identity) => linkToResource(link, identity),
    project: (name) => linkToProject(link, name),
    owner: (name) => link(paths.owner(name)),
    rule: (id) => link(paths.rule(id)),
  }
}
