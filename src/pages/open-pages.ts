import { Hono } from 'hono'
import { compress } from 'hono/compress'
import type { RequestHandler } from '../app/serving/listen.ts'
import { refuseRequest } from '../app/serving/refuse-request.ts'
import { credentialIn } from './access/credentials.ts'
import type { Access } from './access/open-access.ts'
import { askForToken } from './access/refuse.ts'
import { impactPath } from './impact.ts'
import type { SiteReader, Viewer } from './page.ts'
import { siteHeaders, staticRoutes } from './static-routes.ts'
import { type NoteDesk, notesPath, refuseForeignNote, takeNote } from './take-note.ts'

/** The pages of one scope: a site. */
export interface ScopedPages {
  fetch(request: Request, reader: SiteReader): Response | Promise<Response>
}

export interface PagesOptions {
  readonly access: Access
  /** Makes the site of all readers who see the same projects as this one. It must show nothing else. */
  siteOf(viewer: Viewer): ScopedPages
  /** Whether a Host header names this port. */
  isHostOfPort(host: string | undefined): boolean
  /** For the log. */
  onFault(error: unknown): void
  /** Where notes are recorded; absent: nowhere. */
  readonly notes?: NoteDesk
}

interface Connection {
  /** The address that it comes from. */
  readonly peer: string | undefined
}

/** Opens the pages to their readers: each request is refused, or answered by the site of the projects that it may see. */
export function openPages({ access, siteOf, isHostOfPort, onFault, notes }: PagesOptions): RequestHandler {
  const sites = rememberSites(siteOf)
  const front = new Hono<{ Bindings: Connection }>()
  front.use(siteHeaders())
  const taking = notes === undefined ? [] : [notesPath]
  front.use(refuseRequest({ isHostOfPort, forms: ['/login', '/logout', '/mcp', impactPath, ...taking] }))
  front.use(compress())
  front.route('/', staticRoutes())
  if (notes !== undefined) {
    front.post(notesPath, async (context) => {
      const request = context.req.raw
      const foreign = refuseForeignNote(request)
      if (foreign !== undefined) return foreign
      const admission = await access.admit(request, context.env.peer)
      if ('response' in admission) return admission.response
      // A login is not enough.
      return credentialIn(request)?.kind === 'bearer'
        ? takeNote(request, admission.viewer, notes)
        : askForToken(request)
    })
  }
  front.all('*', async (context) => {
    const admission = await access.admit(context.req.raw, context.env.peer)
    if ('response' in admission) return admission.response
    return sites(admission.viewer).fetch(context.req.raw, admission)
  })
  front.onError((error, context) => {
    onFault(error)
    return context.text('a bug in hookdrift: its log has the details\n', 500)
  })
  return (request, peer) => front.fetch(request, { peer })
}

/** There are no more sites than scopes in the configuration. */
function rememberSites(siteOf: PagesOptions['siteOf']): PagesOptions['siteOf'] {
  const sites = new Map<string, ScopedPages>()
  return (viewer) => {
    const scope = JSON.stringify(viewer.projects ?? null)
    const site = sites.get(scope) ?? siteOf(viewer)
    sites.set(scope, site)
    return site
  }
}
