import { dirname, resolve } from 'node:path'
import { z } from 'zod'
import { AuditError, reasonOf } from '../model/errors.ts'
import { readDocument } from '../yaml/read-document.ts'
import { configurationLimits } from './configuration-schema.ts'
import { expandReferences, type ReferenceSources } from './expand-references.ts'
import type { Schedule } from './read-configuration.ts'
import { runTimeout, scheduleSchema } from './schedule-schema.ts'

/** The parts of a configuration for commands that send no requests to a service. */
export interface ConfiguredPaths {
  /** Absolute. */
  readonly history: string
  /** Absolute; undefined if none is configured. */
  readonly policy: string | undefined
  /** `service/project`, as configured. */
  readonly projects: readonly string[]
  readonly schedules: readonly PlannedRuns[]
}

/** When runs of some projects are due. */
export interface PlannedRuns extends Pick<Schedule, 'cron' | 'timezone' | 'projects'> {
  /** From a tick to the end of its run, at most. */
  readonly slackMs: number
}

const text = z.string().catch('')
const places = z.looseObject({
  history: z.string().default('./hookdrift.db'),
  policy: z.string().optional(),
  services: z
    .array(
      z.looseObject({
        name: text,
        projects: z.array(z.looseObject({ id: text, name: z.string().optional() })).catch([]),
      }),
    )
    .catch([]),
  schedules: z.array(scheduleSchema).catch([]),
  run_timeout: runTimeout.prefault('1h'),
})

/**
 * Reads where a configuration has its history and its policy, and which projects it names. Ignores the rest, keys
 * included.
 * @throws AuditError.usage when the file cannot be read, or names a path by a variable that is not set
 */
export function readConfiguredPaths(file: string, sources: ReferenceSources): ConfiguredPaths {
  const expand = expandReferences(file, sources)
  const { value } = readDocument(textOf(file, sources), {
    file,
    schema: places,
    limits: configurationLimits,
    expand: (written) => {
      const expanded = expand(written)
      return 'text' in expanded ? expanded : { text: written }
    },
  })
  const place = (what: 'history' | 'policy', path: string) => {
    if (!path.includes('${')) return resolve(dirname(file), path)
    const names = [...path.matchAll(/\$\{(?:[A-Za-z_]\w*|file:[^{}]+)/g)].map(([name]) => `${name}}`)
    throw AuditError.usage(`${file} names its ${what} by ${names.join(', ') || 'a reference'}, which is not set`, {
      advice: `set it, or pass the ${what} with --${what}`,
    })
  }
  return {
    history: place('history', value.history),
    policy: value.policy === undefined ? undefined : place('policy', value.policy),
    projects: value.services.flatMap((service) =>
      service.projects.map(({ id, name }) => `${service.name}/${name ?? id}`),
    ),
    schedules: value.schedules.map(({ cron, timezone, projects = [], jitter, run_timeout = value.run_timeout }) => ({
      ...{ cron, timezone, projects },
      slackMs: jitter + run_timeout,
    })),
  }
}

function textOf(file: string, { readFile }: ReferenceSources): string {
  try {
    return readFile(file)
  } catch (cause) {
    throw AuditError.usage(`cannot read the configuration ${file}: ${reasonOf(cause)}`, {
      advice: 'pass the history with --history or HOOKDRIFT_HISTORY, or another configuration with --config',
      cause,
    })
  }
}
