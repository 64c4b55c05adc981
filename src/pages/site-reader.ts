import type { Context } from 'hono'
import type { ReaderRight } from '../config/serve-schema.ts'

/** Who reads the pages. */
export interface Viewer {
  /** For the log; undefined where nothing says it. */
  readonly name: string | undefined
  /** Patterns `service/project`; undefined: all projects. */
  readonly projects: readonly string[] | undefined
  /** What a token that came with the request allows besides reading; absent for a login. */
  readonly may?: readonly ReaderRight[] | undefined
}

/** Everybody on this machine, where no reader is named. */
export const everyone: Viewer = { name: undefined, projects: undefined }

/** For whom the site answers; what opens the pages hands it over with each request. */
export interface SiteReader {
  readonly viewer: Viewer
  /** Whether the browser logged in, so that it can log out. */
  readonly hasSession: boolean
}

const unknownReader: SiteReader = { viewer: everyone, hasSession: false }

/** The reader of a request; everyone, where the site is asked directly. */
export function readerOf({ env }: Pick<Context, 'env'>): SiteReader {
  return { ...unknownReader, ...env }
}
