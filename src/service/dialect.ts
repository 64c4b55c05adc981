/**
 * Every assumption about the service that its contract does not state, in one table. Each is a default: the
 * configuration's `dialect` replaces any of them, because nothing here may be assumed of every service with this API.
 */
export const defaultDialect = {
  /** Put before every path of the contract. */
  pathPrefix: '/api/v1',
  /** The contract names the header and nothing of its form. */
  keyHeader: 'Authorization',
  /** Stands before the key with one blank; empty for the bare key. */
  keyScheme: 'Bearer',
  /** Sent with every request. A version that is no date is answered with 400 by one list and ignored by the other. */
  headers: { accept: 'application/json', 'x-convoy-version': '2025-11-24' } as Readonly<Record<string, string>>,
  /** The contract gives the endpoint list's parameters by meaning only. */
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
  },
  /** `ASC` is answered with an empty page that looks like an empty project, so a sort is never sent unless configured. */
  sort: undefined as 'ASC' | 'DESC' | undefined,
  /** Anything but `next` walks backward; leaving it out walks forward. */
  direction: undefined as 'next' | 'prev' | undefined,
  /** Faults that pass although their status says otherwise. */
  transient: [{ status: 400, message: '^failed to load ' }] as readonly {
    readonly status: number
    readonly message: string
  }[],
  /** A good key is refused with 401 while the service's database is down, so a 401 is tried again this often. */
  refusedKeyRetries: 3,
  /** A Retry-After above this is an absolute time in seconds since 1970, not a number of seconds. */
  retryAfterIsTimeAbove: 1_000_000_000,
  /** Messages of a 400 or 404 that mean that the project is not there, or not for this key. */
  projectNotFound: '^(project not found|unauthorized to process request)$',
  /** Messages of a 400 that mean that a function was not run at all (no licence, a request not understood): not its fault. */
  functionNotTried: 'does not have access to|^body contains ',
  /** Carries the service's name for an exchange. */
  requestIdHeader: 'x-request-id',
}

export type Dialect = Readonly<typeof defaultDialect>
