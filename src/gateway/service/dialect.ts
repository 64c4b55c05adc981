/**
 * Every assumption about the service that its contract does not state, in one table. Each is a default that the
 * configuration's `dialect` replaces: services with this API differ.
 */
export const defaultDialect = {
  /** Precedes every path of the contract. */
  pathPrefix: '/api/v1',
  /** The contract names the header but not its form. */
  keyHeader: 'Authorization',
  /** Precedes the key, with one blank between them; empty for the bare key. */
  keyScheme: 'Bearer',
  /** Sent with every request. Of a version that is not a date, one listing answers 400 and the other ignores it. */
  headers: { accept: 'application/json', 'x-convoy-version': '2025-11-24' } as Readonly<Record<string, string>>,
  /** The contract describes the endpoint list's parameters but does not name them. */
  parameters: {
    pageSize: 'perPage',
    nextCursor: 'next_page_cursor',
    previousCursor: 'prev_page_cursor',
    sort: 'sort',
    direction: 'direction',
    endpointOwner: 'ownerId',
    endpointName: 'q',
    subscriptionName: 'name',
    subscriptionEndpoint: 'endpointId',
    organisation: 'orgID',
  },
  /** The service answers `ASC` with an empty page, as of an empty project: no sort is sent unless configured. */
  sort: undefined as 'ASC' | 'DESC' | undefined,
  /** Any value but `next` walks backward; no value walks forward. */
  direction: undefined as 'next' | 'prev' | undefined,
  /** Faults that pass although their status says that they do not. */
  transient: [{ status: 400, message: '^failed to load ' }] as readonly {
    readonly status: number
    readonly message: string
  }[],
  /** The service refuses a good key with 401 while its database is down, so a 401 is retried this often. */
  refusedKeyRetries: 3,
  /** A Retry-After above this is a time in seconds since 1970, not a number of seconds. */
  retryAfterIsTimeAbove: 1_000_000_000,
  /** Messages of a 400 or 404 that mean that the project does not exist, or not for this key. */
  projectNotFound: '^(project not found|unauthorized to process request)$',
  /** Messages of a 400 that mean that a function did not run: no licence, a request not understood, a closed project. */
  functionNotTried:
    'does not have access to|^body contains |^failed to retrieve project$|^this project has been disabled for write operations',
  /** The service's id of an exchange. */
  requestIdHeader: 'x-request-id',
}

export type Dialect = Readonly<typeof defaultDialect>

/** The dialect's patterns, compiled once. All ignore case: the service writes one message in several ways. */
export interface DialectMatchers {
  isTransient(status: number, message: string): boolean
  isProjectNotFound(message: string): boolean
  isFunctionNotTried(message: string): boolean
  /** In lower case. */
  readonly requestIdHeader: string
}

/** @throws SyntaxError when a pattern is not a regular expression; the configuration checks that earlier */
export function compileDialect(dialect: Dialect): DialectMatchers {
  const transient = dialect.transient.map(({ status, message }) => ({ status, pattern: new RegExp(message, 'i') }))
  const projectNotFound = new RegExp(dialect.projectNotFound, 'i')
  const functionNotTried = new RegExp(dialect.functionNotTried, 'i')
  return {
    isTransient: (status, message) => transient.some((fault) => fault.status === status && fault.pattern.test(message)),
    isProjectNotFound: (message) => projectNotFound.test(message),
    isFunctionNotTried: (message) => functionNotTried.test(message),
    requestIdHeader: dialect.requestIdHeader.toLowerCase(),
  }
}
