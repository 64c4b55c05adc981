import { dirname, resolve } from 'node:path'
import { z } from 'zod'
import { readDocument } from '../document/read-document.ts'
import { AuditError } from '../model/errors.ts'
import { expandReferences, readFailure, type World } from './expand-references.ts'
import type { Schedule } from './read-configuration.ts'
import { runTimeout, scheduleSchema } from './schedule-schema.ts'

/** What those need to know who only read the history. */
export interface Places {
  /** Absolute. */
  readonly history: string
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
 * Where a configuration keeps its history, and which projects it names; whatever else stands there, and with no key at
 * hand: reading asks no service.
 * @throws AuditError 2 when the file cannot be read, or names its history by a variable that is not set
 */
export function readPlaces(file: string, world: World): Places {
  const expand = expandReferences(file, world)
  const { value } = readDocument(textOf(file, world), {
    file,
    schema: places,
    expand: (written) => {
      const expanded = expand(written)
      return 'text' in expanded ? expanded : { text: written }
    },
  })
  if (value.history.includes('${')) {
    throw new AuditError(2, `${file} names its history as ${value.history}, and that is not set`, {
      advice: 'set it, or name the history with --history',
    })
  }
  return {
    history: resolve(dirname(file), value.history),
    projects: value.services.flatMap((service) =>
      service.projects.map(({ id, name }) => `${service.name}/${name ?? id}`),
    ),
    schedules: value.schedules.map(({ cron, timezone, projects = [], jitter, run_timeout = value.run_timeout }) => ({
      ...{ cron, timezone, projects },
      slackMs: jitter + run_timeout,
    })),
  }
}

function textOf(file: string, { readFile }: World): string {
  try {
    return readFile(file)
  } catch (cause) {
    throw new AuditError(2, `cannot read the configuration ${file}: ${readFailure(cause)}`, {
      advice: 'name the history with --history or HOOKDRIFT_HISTORY, or another configuration with --config',
      cause,
    })
  }
}
