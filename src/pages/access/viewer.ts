import type { ReaderRight } from '../../config/serve-schema.ts'

/** Who reads the pages. */
export interface Viewer {
  /** For the log; undefined where nothing says it. */
  readonly name: string | undefined
  /** Patterns `service/project`; undefined: all projects. */
  readonly projects: readonly string[] | undefined
  /** What a token that came with the request allows besides reading; nothing for a login. */
  readonly may: readonly ReaderRight[]
}

/** Everybody on this machine, where no reader is named. */
export const everyone: Viewer = { name: undefined, projects: undefined, may: [] }
