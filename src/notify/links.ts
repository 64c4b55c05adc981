import type { Configuration } from '../config/configuration.ts'
import type { ProjectRef } from '../model/resource.ts'
import { fillTemplate, linksOfProject, linkToResource } from '../model/resource-link.ts'
import type { Event } from './message.ts'

/** Addresses for messages; undefined where none is configured, or none fits. */
export interface Links {
  /** Where the gateway shows the resource of an event. */
  resource(event: Event): string | undefined
  /** Where the report of a run shows a violation. */
  violation(run: number, fingerprint: string): string | undefined
  report(run: number): string | undefined
}

export const noLinks: Links = { resource: () => undefined, violation: () => undefined, report: () => undefined }

/** Fills in the templates of a configuration. `discovered`: projects that it does not name, with their own templates. */
export function openLinks(
  { services, reportUrl }: Pick<Configuration, 'services' | 'reportUrl'>,
  discovered: readonly { readonly ref: ProjectRef; readonly uiUrl?: string | undefined }[] = [],
): Links {
  const templates = new Map([
    ...discovered.flatMap(({ ref, uiUrl }) => (uiUrl === undefined ? [] : [[ref.name, uiUrl] as const])),
    ...services.flatMap(({ uiUrl, projects }) =>
      uiUrl === undefined ? [] : projects.map(({ ref }) => [ref.name, linksOfProject(uiUrl, ref)] as const),
    ),
  ])
  // The page of a run is the address without the part that leads to a violation.
  const page = reportUrl?.replace(/#.{0,2000}$/, '')
  return {
    resource({ project, kind, uid = '' }) {
      const template = templates.get(project ?? '')
      return template === undefined || kind === undefined ? undefined : linkToResource(template, { kind, uid })
    },
    violation: (run, fingerprint) => reportUrl && fillTemplate(reportUrl, { ...valuesOf(run), fingerprint }),
    report: (run) =>
      page === undefined || page.includes('{fingerprint}') ? undefined : fillTemplate(page, valuesOf(run)),
  }
}

function valuesOf(run: number) {
  return { run: `${run}`, directory: `run-${`${run}`.padStart(6, '0')}` }
}
