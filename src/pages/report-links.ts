import type { ReportLinks } from '../report/html/report-links.ts'
import { linkToProject, linkToResource, paths, type SiteLink } from './link.ts'

/** Where names on a page lead. */
export function reportLinks(link: SiteLink): ReportLinks {
  return {
    violation: (fingerprint) => link(paths.violation(fingerprint)),
    resource: (identity) => linkToResource(link, identity),
    project: (name) => linkToProject(link, name),
    owner: (name) => link(paths.owner(name)),
  }
}
