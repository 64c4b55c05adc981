import { pathStep } from '../../model/path-step.ts'
import { foreignText, withoutCredentials } from './foreign-text.ts'
import type { ServiceRequest } from './reply.ts'
import type { ServiceSettings } from './settings.ts'

export interface WireRequest {
  readonly method: 'GET' | 'POST' | 'PATCH'
  /** With the query, from the root of the host. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

/** Without this header, HTTP allows any coding of an answer. */
export const uncoded = { 'accept-encoding': 'identity' } as const

export function toWireRequest(
  { method, path, query, body }: ServiceRequest,
  key: string,
  { url, dialect }: ServiceSettings,
): WireRequest {
  const search = query.size === 0 ? '' : `?${query}`
  return {
    method,
    path: basePath(url) + dialect.pathPrefix + path + search,
    headers: {
      ...uncoded,
      ...dialect.headers,
      // A GET with it would be answered 415.
      ...(body === null ? {} : { 'content-type': 'application/json' }),
      [dialect.keyHeader.toLowerCase()]: dialect.keyScheme === '' ? key : `${dialect.keyScheme} ${key}`,
    },
    body,
  }
}

/** The address of a request for messages: without its query, and without a credential that the base URL may contain. */
export function displayUrl({ path }: Pick<ServiceRequest, 'path'>, settings: ServiceSettings): string {
  return `${displayBase(settings.url)}${settings.dialect.pathPrefix}${path}`
}

/** The base URL for messages. */
export function displayBase(url: string): string {
  return `${new URL(url).origin}${withoutCredentials(basePath(url))}`
}

/** The query for the log: a cursor is the service's, and may be anything. */
export function displayQuery({ query }: Pick<ServiceRequest, 'query'>, key: string): string {
  return query.size === 0 ? '' : `?${withoutCredentials(foreignText(query.toString(), key))}`
}

export function basePath(url: string): string {
  return new URL(url).pathname.replace(/\/+$/, '')
}

/**
 * The path of a project, below the dialect's prefix.
 * @throws RangeError for a uid that may not remain one step; neither configuration nor lists of projects have such a uid
 */
export function projectPath(projectUid: string): string {
  const step = pathStep(projectUid)
  if (step === undefined) throw new RangeError(`no path can name the project ${JSON.stringify(projectUid)}`)
  return `/projects/${step}`
}
