import type { DecodedChannel } from './notify-schema.ts'
import type { examineConfiguration, readConfiguration } from './read-configuration.ts'

/** `hookdrift.yaml` as it was read. */
export type Configuration = ReturnType<typeof readConfiguration>
/** A configuration as far as it can be read, and what is wrong with it. */
export type ExaminedConfiguration = ReturnType<typeof examineConfiguration>

export type ConfiguredService = Configuration['services'][number]
export type ConfiguredProject = ConfiguredService['projects'][number]
/** When the worker audits which projects. */
export type Schedule = Configuration['schedules'][number]
/** When runs of some projects are due. */
export type PlannedRuns = Omit<Schedule, 'probes' | 'runOnStart'>
/** The path of a directory is absolute. */
export type Channel = DecodedChannel
