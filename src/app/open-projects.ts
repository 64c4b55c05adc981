import { basename, isAbsolute, relative } from 'node:path'
import type { AuditedProject } from '../audit/project-scan.ts'
import { matchesProject } from '../config/choose-projects.ts'
import type { Configuration } from '../config/read-configuration.ts'
import { AuditError } from '../model/errors.ts'
import { createServiceClient } from '../service/create-service-client.ts'
import type { ProcessContext } from './process-context.ts'
import { systemClock } from './system.ts'

export interface OpenProjects {
  readonly projects: readonly AuditedProject[]
  /** Whether these are all configured projects. */
  readonly areAll: boolean
  close(): Promise<void>
}

/**
 * Opens the configured projects that match `only`, with a client for each of their services.
 * @throws AuditError.usage when none matches
 */
export function openProjects(
  configuration: Configuration,
  only: readonly string[],
  { terminal, cut }: { readonly terminal: ProcessContext; readonly cut?: AbortSignal },
): OpenProjects {
  const all = configuration.services.flatMap(({ projects }) => projects)
  if (!all.some(({ ref }) => matchesProject(ref.name, only))) {
    const names = all.map(({ ref }) => ref.name).join(', ')
    throw AuditError.usage(`--project ${only.join(' ')} matches none of ${names}`)
  }
  const file = shownPath(terminal.cwd(), configuration.file)
  const clients: { close(): Promise<void> }[] = []
  const projects = configuration.services.flatMap(({ settings, projects, listings }) => {
    const chosen = projects.filter(({ ref }) => matchesProject(ref.name, only))
    if (chosen.length === 0) return []
    const client = createServiceClient(settings, { clock: systemClock, random: Math.random, env: terminal.env, cut })
    clients.push(client)
    return chosen.map(({ ref, key, labels, filters, line }): AuditedProject => {
      return { ref, key, configuredAt: { file, line }, labels, filters, client, listings }
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

/** A path to show in reports: relative to the working directory, or the bare name of a file outside. */
function shownPath(cwd: string, file: string): string {
  const path = relative(cwd, file)
  return path.startsWith('..') || isAbsolute(path) ? basename(file) : path
}
