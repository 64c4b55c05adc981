import type { AuditedProject, AuditedService } from '../audit/audited-project.ts'
import { addressOf, matchesProject, namedElsewhere } from '../config/choose-projects.ts'
import type { Configuration } from '../config/configuration.ts'
import { someOf } from '../config/configuration-schema.ts'
import { describeKey, describeUrlPosition } from '../config/expand-references.ts'
import { createServiceClient } from '../gateway/service/create-service-client.ts'
import type { RateGate } from '../gateway/service/rate-gate.ts'
import type { RequestSent } from '../gateway/service/reply.ts'
import type { Patience } from '../gateway/service/settings.ts'
import { AuditError } from '../model/errors.ts'
import type { ProjectRef } from '../model/resource.ts'
import { linksOfProject } from '../model/resource-link.ts'
import { displayPath } from '../model/text/display-path.ts'
import { suggestName } from '../model/text/nearest-name.ts'
import { pathInRepository } from './path-in-repository.ts'
import type { ProcessContext } from './process-context.ts'
import { systemClock } from './system.ts'

export interface OpenServices {
  readonly services: readonly AuditedService[]
  close(): Promise<void>
}

interface OpenOptions {
  readonly terminal: ProcessContext
  readonly cut?: AbortSignal
  /** Default: long. */
  readonly patience?: Patience | undefined
  /** The rate limit of a service, where other processes share it. */
  readonly gateOf?: (service: string) => RateGate
  /** Called after each request to a service, with the service's name. */
  readonly onRequest?: (service: string, request: RequestSent) => void
}

/**
 * Opens the services that have projects which match `only`, or whose list may have some, each with a client.
 * @throws AuditError.usage when it is certain that none matches
 */
export function openServices(
  configuration: Configuration,
  only: readonly string[],
  { terminal, cut, patience, gateOf, onRequest }: OpenOptions,
): OpenServices {
  if (configuration.services.every(({ matches }) => matches.length === 0)) {
    chooseProjects(
      configuration.services.flatMap(({ projects }) => projects),
      only,
    )
  }
  const file = configuration.file && displayPath(terminal.cwd(), configuration.file)
  const committed = configuration.file && pathInRepository(configuration.file, terminal.env)
  const positionAt = (line: number) => (file === undefined ? null : { file: committed ?? file, line })
  const clients: { close(): Promise<void> }[] = []
  const addresses = configuration.services.map(addressOf)
  const services = configuration.services.flatMap((service): AuditedService[] => {
    const { settings, uiUrl, projects, listings, filtersPerRun, matches, organisation } = service
    const isChosen = projects.some(({ ref }) => matchesProject(ref.name, only))
    if (!isChosen && matches.length === 0) return []
    // Workers that share runs are bounded by walks, each with one request at a time.
    const bounded = gateOf === undefined ? settings : { ...settings, filtersAtOnce: 1 }
    const client = createServiceClient(bounded, {
      clock: systemClock,
      random: Math.random,
      env: terminal.env,
      ...(gateOf === undefined ? {} : { gate: gateOf(settings.name) }),
      cut,
      patience,
      onRequest: (request) => onRequest?.(settings.name, request),
    })
    clients.push(client)
    const open = (
      ref: ProjectRef,
      projectMembers: Omit<AuditedProject, 'ref' | 'uiUrl' | 'client' | 'listings' | 'filtersPerRun'>,
    ) => {
      const links = uiUrl === undefined ? undefined : linksOfProject(uiUrl, ref)
      return { ref, uiUrl: links, client, listings, filtersPerRun, ...projectMembers }
    }
    const urlOrigin = describeUrlPosition(service.urlPosition, file)
    const named = projects.map(({ ref, key, keyPosition, labels, filters, line }): AuditedProject => {
      const keyOrigin = describeKey(key, keyPosition, file)
      return open(ref, { key, keyOrigin, urlOrigin, configuredAt: positionAt(line), labels, filters })
    })
    const [first] = named
    const key = service.key ?? first?.key
    // A configuration without any of them is refused.
    if (key === undefined) return []
    const keyOrigin = service.key === undefined ? first?.keyOrigin : describeKey(key, service.keyPosition, file)
    const address = addressOf(service)
    const position = matches[0] === undefined ? null : positionAt(matches[0].line)
    return [
      {
        name: settings.name,
        client,
        key,
        readsLicence: listings.licence === 'auto',
        urlOrigin,
        organisation,
        named,
        otherNames: addresses.flatMap(({ name, base }) =>
          base === address.base && name !== address.name ? [name] : [],
        ),
        namedElsewhere: namedElsewhere(address, addresses),
        ...(keyOrigin === undefined ? {} : { keyOrigin }),
        matches: matches.map(({ pattern, labels, line }) => ({ pattern, labels, configuredAt: positionAt(line) })),
        open: (ref, { labels, configuredAt }) =>
          open(ref, {
            key,
            urlOrigin,
            labels,
            configuredAt: configuredAt ?? position,
            filters: {},
            ...(keyOrigin === undefined ? {} : { keyOrigin }),
          }),
      },
    ]
  })
  return {
    services,
    close: async () => {
      await Promise.all(clients.map((client) => client.close()))
    },
  }
}

/**
 * The projects that match `only`. `isWhole`: false where a list that was not read may have others. `schedule`: the name of
 * the one that asks for them; null: a person or another program does.
 * @throws AuditError.usage when none matches
 */
export function chooseProjects<Project extends { readonly ref: ProjectRef }>(
  projects: readonly Project[],
  only: readonly string[],
  { isWhole = true, schedule = null }: { readonly isWhole?: boolean; readonly schedule?: string | null } = {},
): readonly Project[] {
  const chosen = projects.filter(({ ref }) => matchesProject(ref.name, only))
  if (chosen.length > 0 || only.length === 0 || !isWhole) return chosen
  const names = projects.map(({ ref }) => ref.name)
  const asked = schedule === null ? '--project' : `projects of the schedule ${schedule}:`
  throw AuditError.usage(`${asked} ${only.join(' ')} matches none of ${someOf(names)}${suggest(only, names)}`)
}

/** With or without the name of the service, as `--project` takes them. */
function suggest(only: readonly string[], names: readonly string[]): string {
  const projectNames = only.some((name) => name.includes('/'))
    ? names
    : names.map((name) => name.slice(name.indexOf('/') + 1))
  return only.map((name) => suggestName(name, projectNames)).find((hint) => hint !== '') ?? ''
}
