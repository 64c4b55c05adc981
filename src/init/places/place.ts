import type { Answers } from '../answers.ts'
import type { ConfigurationNeeds } from '../write-configuration.ts'

/** A file to write. */
export interface PlannedFile {
  /** Relative to the directory that was chosen, with `/`. */
  readonly path: string
  readonly text: string
}

/** What a place needs in addition to configuration and policy. */
export interface PlacePlan {
  /** Where configuration and policy go, such as `conf/`; empty: the directory itself. */
  readonly folder: string
  readonly needs: ConfigurationNeeds
  readonly files: readonly PlannedFile[]
  /** Commands to run next, in this order. */
  readonly next: readonly NextStep[]
}

export interface NextStep {
  readonly command: string
  /** What it is for; empty where the command says it. */
  readonly purpose: string
}

export interface PlaceContext extends Pick<Answers, 'keyVariable'> {
  /** The name of the service: file names and keys in secrets are made of it. */
  readonly service: string
  /** The version of hookdrift. */
  readonly version: string
  /** Reads a file of the package, such as `deploy/systemd/hookdrift-worker.service`. */
  readonly readPackageFile: (path: string) => string
}

/** A reference in a configuration. */
export function variableReference(name: string): string {
  return `\${${name}}`
}

export function fileReference(path: string): string {
  return `\${file:${path}}`
}

/** The history of a directory that people may commit: git ignores what a run keeps there, the installation key above all. */
export const localHistory = {
  path: './history/hookdrift.db',
  files: [{ path: 'history/.gitignore', text: '*\n!.gitignore\n' }],
} as const
