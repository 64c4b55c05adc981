import type { ReportLinks } from '../report/html/report-links.ts'
import { paths, type SiteLink } from './link.ts'

/** Where names on a page lead. */
export function reportLinks(link: SiteLink): ReportLinks {
  return {
    violation: (fingerprint) => link(paths.violation(fingerprint)),
    resource: ({ project, kind, uid }) => link(paths.resource(uid), { project, kind }),
    project: (name) => link(paths.project(name)),
    owner: (name) => link(paths.owner(name)),
  }
}
