import { dirname, resolve } from 'node:path'
import { z } from 'zod'
import { type HistoryLocation, readLocation } from '../history/location.ts'
import { AuditError } from '../model/errors.ts'
import type { ProjectRef } from '../model/resource.ts'
import { baseOf, mayBeDiscovered, namedElsewhere } from './choose-projects.ts'
import type { Schedule } from './configuration.ts'
import { configurationSchema } from './configuration-schema.ts'
import { expandReferences, type ReferenceSources } from './expand-references.ts'
import { channelSchema, type DecodedChannel } from './notify-schema.ts'
import { readMembers } from './read-members.ts'

/** The parts of a configuration for commands that send no requests to a service. */
export interface ConfiguredPaths {
  readonly history: HistoryLocation
  /** Absolute; undefined if none is configured. */
  readonly policy: string | undefined
  /** `service/project`, as configured. */
  readonly projects: readonly string[]
  /** Whether it is a further one, which the list of a service shows, or such a list. */
  isDiscovered(project: ProjectRef): boolean
  readonly schedules: readonly PlannedRuns[]
  readonly channels: readonly ConfiguredChannel[]
  /** Whether there may be other projects, schedules or channels than these: some of them cannot be read. */
  readonly isFaulty: boolean
}

/** Who is sent messages, without where and by which secret. */
export type ConfiguredChannel = Pick<DecodedChannel, 'name' | 'type'>

/** When runs of some projects are due. */
export interface PlannedRuns extends Pick<Schedule, 'name' | 'cron' | 'timezone' | 'projects'> {
  /** From a tick to the end of its run, at most. */
  readonly slackMs: number
}

const { history, policy, seal_key, schedules, run_timeout, services } = configurationSchema.shape
const { name } = services.element.shape

const channelTypes = channelSchema.options.map(({ shape }) => shape.type)

/** In place of a list that cannot be read. */
const unreadable: never[] = []

/** A selection of the configuration's members. What it leaves out may be wrong, and so may names and schedules. */
const selection = z.looseObject({
  history,
  policy,
  run_timeout: run_timeout.catch(Number.NaN),
  seal_key: seal_key.catch(''),
  schedules: schedules.catch(unreadable),
  notify: z
    .array(z.looseObject({ name: name.catch(''), type: z.union(channelTypes) }))
    .default([])
    .catch(unreadable),
  services: z
    .array(
      z.looseObject({
        name: name.catch(''),
        url: z.string().catch(''),
        dialect: z.looseObject({ path_prefix: z.string().exactOptional().catch('') }).catch({}),
        projects: z
          .union([
            z.literal('all').transform(() => [{ id: '', name: '', match: '*' }]),
            z.array(
              z.looseObject({ id: name.catch(''), name: name.catch(''), match: z.string().exactOptional().catch('') }),
            ),
          ])
          .catch(unreadable),
      }),
    )
    .catch(unreadable),
})

/**
 * Reads where a configuration has its history and its policy, and which projects it names. References that it does not
 * need may be unresolvable, as those of keys are where a command runs without them.
 * @param named what a person may name in its place
 * @throws AuditError.usage when the file cannot be read, or names a path by a variable that is not set
 */
export function readConfiguredPaths(
  file: string,
  sources: ReferenceSources,
  named = 'the history with --history FILE',
): ConfiguredPaths {
  const expand = expandReferences(file, sources)
  const { value } = readMembers(file, sources, {
    schema: selection,
    advice: `name ${named}, or another configuration with --config FILE`,
    expand: (written, path) => {
      const expanded = expand(written, path)
      return 'text' in expanded ? expanded : { text: written }
    },
  })
  const resolved = (what: 'history' | 'policy', path: string) => {
    if (!isUnresolved(path)) return path
    const names = [...path.matchAll(/\$\{(?:file:[^{}]+|[A-Za-z_]\w*)/g)].map(([name]) => `${name}}`)
    throw AuditError.usage(
      `${file} names its ${what} by ${names.join(', ') || 'a reference'}, which cannot be filled in`,
      {
        advice: `set it, or pass the ${what} with --${what}`,
      },
    )
  }
  const location = readLocation(resolved('history', value.history), dirname(file))
  const { seal_key: sealKey = '' } = value
  const planned = value.schedules.map(
    ({ name, cron, timezone, projects = [], jitter, run_timeout = value.run_timeout }): PlannedRuns => {
      return { name, cron, timezone, projects, slackMs: jitter + run_timeout }
    },
  )
  const isKeyKnown = sealKey !== '' && !isUnresolved(sealKey)
  const addresses = value.services.map(({ name, url, dialect, projects }) => {
    const uids = projects.flatMap(({ id, match }) => (match === undefined ? id : []))
    return { name, base: URL.canParse(url) ? baseOf(url, dialect.path_prefix) : url, uids }
  })
  const elsewhere = addresses.map((address) => namedElsewhere(address, addresses))
  return {
    history: isKeyKnown ? { ...location, sealKey } : location,
    policy: value.policy === undefined ? undefined : resolve(dirname(file), resolved('policy', value.policy)),
    projects: value.services.flatMap((service) =>
      service.projects.flatMap(({ id, name, match }) => (match === undefined ? [`${service.name}/${name || id}`] : [])),
    ),
    isDiscovered: (project) =>
      value.services.some(
        (service, at) =>
          service.name === project.service &&
          mayBeDiscovered(
            project,
            service.projects.flatMap(({ match }) => match ?? []),
          ) &&
          !elsewhere[at]?.has(project.uid),
      ),
    schedules: planned.filter(({ slackMs }) => !Number.isNaN(slackMs)),
    channels: value.notify.map(({ name, type }) => ({ name, type })),
    isFaulty:
      [value.schedules, value.notify, value.services].includes(unreadable) ||
      value.services.some(isUnreadable) ||
      planned.some(({ slackMs }) => Number.isNaN(slackMs)),
  }
}

function isUnreadable({ name, projects }: z.output<typeof selection>['services'][number]): boolean {
  const isNameless = projects.some(({ id, name, match = name || id }) => match === '')
  return name === '' || projects === unreadable || isNameless
}

function isUnresolved(text: string): boolean {
  return text.includes('${')
}
