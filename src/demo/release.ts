/**
 * The three shapes of a fleet's data, by the age of the service's release: a year before the contract's, the contract's
 * own, and after it (from the source, never recorded).
 */
export const releases = {
  older: {
    health: 'Convoy v25.6.3',
    version: '2024-04-01',
    /** The type of all answers but the endpoint list, which says `application/json`. */
    contentType: 'application/json; charset=utf-8',
    unknownProjectOfEndpoints: 'project not found',
    retryAfter: 'time',
    /** Whether `POST …/activate` is below `/api/v1`; `PUT …/pause` wakes a paused endpoint in each. */
    hasActivate: false,
    /** Whether a function is refused for the project in the path, before the licence is checked. */
    checksFunctionProject: false,
  },
  seed: {
    health: 'Convoy v26.2.2',
    version: '2025-11-24',
    contentType: 'application/json',
    unknownProjectOfEndpoints: 'Project not found',
    retryAfter: 'time',
    hasActivate: false,
    checksFunctionProject: false,
  },
  later: {
    // What v26.7.0 and v26.7.3 say.
    health: 'Convoy v26.6.6',
    version: '2025-11-24',
    contentType: 'application/json',
    unknownProjectOfEndpoints: 'Project not found',
    retryAfter: 'seconds',
    hasActivate: true,
    checksFunctionProject: true,
  },
} as const

export type SimulatedRelease = keyof typeof releases
