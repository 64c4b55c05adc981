import type { Context } from 'hono'
import { everyone, type Viewer } from './access/viewer.ts'

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
