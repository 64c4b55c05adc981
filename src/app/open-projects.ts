import { basename, isAbsolute, relative } from 'node:path'
import type { AuditedProject } from '../audit/project-scan.ts'
import { someOf } from '../config/check-schedules.ts'
import { matchesProject } from '../config/choose-projects.ts'
import { describeKey } from '../config/describe-key.ts'
import type { Configuration } from '../config/read-configuration.ts'
import { AuditError } from '../model/errors.ts'
import { linksOfProject } from '../model/resource-link.ts'
import { createServiceClient } from '../service/create-service-client.ts'
import type { RequestSent } from '../service/reply.ts'
import type { Patience } from '../service/settings.ts'
import { suggestName } from '../text/nearest-name.ts'
import type { ProcessContext } from './process-context.ts'
import { systemClock } from './system.ts'

export interface OpenProjects {
  readonly projects: readonly AuditedProject[]
  /** Whether these are all configured projects. */
  readonly areAll: boolean
  close(): Promise<void>
}

interface OpenOptions {
  readonly terminal: ProcessContext
  readonly cut?: AbortSignal
  /** Default: long. */
  readonly patience?: Patience | undefined
  /** Called after each request to a service, with the service's name. */
  readonly onRequest?: (service: string, request: RequestSent) => void
}

/**
 * Opens the configured projects that match `only`, with a client for each of their services.
 * @throws AuditError.usage when none matches
 */
export function openProjects(
  configuration: Configuration,
  only: readonly string[],
  { terminal, cut, patience, onRequest }: OpenOptions,
): OpenProjects {
  const all = configuration.services.flatMap(({ projects }) => projects)
  const names = all.map(({ ref }) => ref.name)
  if (!all.some(({ ref }) => matchesProject(ref.name, only))) {
    throw AuditError.usage(`--project ${only.join(' ')} matches none of ${someOf(names)}${suggest(only, names)}`)
  }
  const file = configuration.file && shownPath(terminal.cwd(), configuration.file)
  const clients: { close(): Promise<void> }[] = []
  const projects = configuration.services.flatMap(({ settings, uiUrl, projects, listings }) => {
    const chosen = projects.filter(({ ref }) => matchesProject(ref.name, only))
    if (chosen.length === 0) return []
    const client = createServiceClient(settings, {
      ...{ clock: systemClock, random: Math.random, env: terminal.env },
      ...{ cut, patience, onRequest: (request) => onRequest?.(settings.name, request) },
    })
    clients.push(client)
    return chosen.map(({ ref, key, keyPlace, labels, filters, line }): AuditedProject => {
      const keyOrigin = describeKey(key, keyPlace, file)
      const links = uiUrl === undefined ? undefined : linksOfProject(uiUrl, ref)
      return {
        ref,
        key,
        keyOrigin,
        configuredAt: file === undefined ? null : { file, line },
        uiUrl: links,
        labels,
        filters,
        client,
        listings,
      }
    })
  })
  return {
    projects,
    areAll: projects.length === all.length,
    close: async () => {
      await Promise.all(clients.map((client) => client.close()))
    },
  }
}

/** With or without the name of the service, as `--project` takes them. */
function suggest(only: readonly string[], names: readonly string[]): string {
  const known = only.some((name) => name.includes('/')) ? names : names.map((name) => name.slice(name.indexOf('/') + 1))
  return only.map((name) => suggestName(name, known)).find((hint) => hint !== '') ?? ''
}

/** A path to show in reports: relative to the working directory, or the bare name of a file outside. */
function shownPath(cwd: string, file: string): string {
  const path = relative(cwd, file)
  return path.startsWith('..') || isAbsolute(path) ? basename(file) : path
}
