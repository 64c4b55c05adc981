interface Route {
  readonly method: 'GET' | 'POST'
  /** `{api}`: the prefix of the dialect. */
  readonly path: `/${string}` | `{api}/${string}`
  readonly for: string
}

/**
 * Every request that an audit, `doctor`, `init`, a probe or `impact` may send; a test holds them to it. `portal-links` must never
 * be one: a GET there writes a token for each link, and answers with live keys (`internal/portal_links/impl.go`).
 */
export const routes = {
  health: { method: 'GET', path: '/healthz', for: 'the release and the clock, without a key' },
  licence: { method: 'GET', path: '/ui/license/features', for: 'what the licence has, without a key' },
  projects: { method: 'GET', path: '{api}/projects', for: 'the projects of an organisation' },
  project: { method: 'GET', path: '{api}/projects/{id}', for: 'the settings of a project, and whose a key is' },
  endpoints: { method: 'GET', path: '{api}/projects/{id}/endpoints', for: 'endpoints' },
  subscriptions: { method: 'GET', path: '{api}/projects/{id}/subscriptions', for: 'subscriptions and devices' },
  sources: { method: 'GET', path: '{api}/projects/{id}/sources', for: 'sources' },
  eventTypes: { method: 'GET', path: '{api}/projects/{id}/event-types', for: 'the catalogue of event types' },
  filters: { method: 'GET', path: '{api}/projects/{id}/subscriptions/{id}/filters', for: 'filter rows' },
  deliveries: {
    method: 'GET',
    path: '{api}/projects/{id}/eventdeliveries',
    for: '`impact` alone: deliveries of a window',
  },
  events: { method: 'GET', path: '{api}/projects/{id}/events', for: '`impact` alone: events of a window' },
  testFunction: { method: 'POST', path: '{api}/projects/{id}/sources/test_function', for: 'probes' },
} as const satisfies Readonly<Record<string, Route>>
