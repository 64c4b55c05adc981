import { fillTemplate, type ReportValues, type UiValues } from '../config/link-template.ts'
import type { Configuration } from '../config/read-configuration.ts'
import type { Kind } from '../model/resource.ts'
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

/** Fills in the templates of a configuration. */
export function openLinks({ services, reportUrl }: Pick<Configuration, 'services' | 'reportUrl'>): Links {
  const places = new Map(
    services.flatMap(({ uiUrl, projects }) =>
      uiUrl === undefined ? [] : projects.map(({ ref }) => [ref.name, { uiUrl, ref }] as const),
    ),
  )
  // The page of a run is the address without the part that leads to a violation.
  const page = reportUrl?.replace(/#.{0,2000}$/, '')
  return {
    resource({ project, kind, uid = '' }) {
      const place = places.get(project ?? '')
      if (place === undefined || kind === undefined || !isShown(place.uiUrl, kind)) return undefined
      const { service, uid: project_id, name } = place.ref
      const own = { service, project_id, project: name.slice(service.length + 1) }
      return fillTemplate(place.uiUrl, { ...own, kind, listing: `${kind}s`, uid } satisfies UiValues)
    },
    violation: (run, fingerprint) => reportUrl && fillTemplate(reportUrl, { ...valuesOf(run), fingerprint }),
    report: (run) =>
      page === undefined || page.includes('{fingerprint}') ? undefined : fillTemplate(page, valuesOf(run)),
  }
}

function valuesOf(run: number): Omit<ReportValues, 'fingerprint'> {
  return { run: `${run}`, directory: `run-${`${run}`.padStart(6, '0')}` }
}

const listed: readonly Kind[] = ['endpoint', 'subscription', 'source']

/** A template for a resource that does not say of which kind is one for endpoints. */
function isShown(template: string, kind: Kind): boolean {
  if (/\{(?:kind|listing)\}/.test(template)) return listed.includes(kind)
  return !template.includes('{uid}') || kind === 'endpoint'
}
