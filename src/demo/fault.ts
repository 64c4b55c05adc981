/** A failure of matching answers: a test sets a list of them. */
export type Fault = Match & InjectedFailure

interface Match {
  /** Matched against the path with its query. Default: every path. */
  readonly path?: RegExp
  readonly method?: string
  /** The page of a list, counted from 1 at the newest row. Default: every answer. */
  readonly page?: number
  /** The number of matching answers to skip first. Default 0. */
  readonly skip?: number
  /** The number of answers to hit after that. Default 1; `Infinity` for all. */
  readonly times?: number
}

export type InjectedFailure =
  /** The connection is reset instead of an answer. */
  | { readonly how: 'reset' }
  /** Headers and half of the body, then a reset. */
  | { readonly how: 'cut-body' }
  /** No answer at all, until the client gives up. */
  | { readonly how: 'hang' }
  /** Headers and half of the body, then nothing. */
  | { readonly how: 'stall-body' }
  /** Another answer. A `body` that is not a text is sent as JSON. */
  | {
      readonly how: 'status'
      readonly status: number
      readonly body?: unknown
      readonly headers?: Readonly<Record<string, string>>
    }
  /** A proxy's page: 200 text/html. */
  | { readonly how: 'html' }
  /** The right status and type, the body's last quarter missing, its length adjusted. */
  | { readonly how: 'bad-json' }
  /** A list that names itself as its next page, without end. */
  | { readonly how: 'endless' }
  /** A list whose content is an object and whose has_next_page is a text. */
  | { readonly how: 'wrong-shape' }
  /** The right answer, late. */
  | { readonly how: 'delay'; readonly ms: number }
  /** Any other change: the body's text, rewritten. */
  | { readonly how: 'rewrite'; readonly body: (text: string) => string }

/** An answer before it is sent. */
export interface SimulatedAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  /** The page of a list. */
  readonly page?: number
}

export interface FaultQuery {
  readonly method: string
  /** With the query. */
  readonly path: string
}

/** Finds the fault that hits an answer, and counts. The list may change between calls. */
export function createFaultFinder(
  faults: readonly Fault[],
): (query: FaultQuery, answer: SimulatedAnswer) => Fault | undefined {
  const met = new WeakMap<Fault, number>()
  return (query, answer) => {
    for (const fault of faults) {
      if (!matches(fault, query, answer)) continue
      const before = met.get(fault) ?? 0
      met.set(fault, before + 1)
      const skip = fault.skip ?? 0
      if (before >= skip && before < skip + (fault.times ?? 1)) return fault
    }
    return undefined
  }
}

/** The answer that the client gets, for failures that are answers. */
export function spoil(answer: SimulatedAnswer, failure: InjectedFailure): SimulatedAnswer {
  switch (failure.how) {
    case 'status': {
      const { status, body = { status: false, message: 'something went wrong' }, headers = {} } = failure
      const text = typeof body === 'string' ? body : JSON.stringify(body)
      return { status, headers: { ...answer.headers, ...headers }, body: Buffer.from(text) }
    }
    case 'html':
      return {
        status: 200,
        headers: { 'content-type': 'text/html' },
        body: Buffer.from('<html><body>Please sign in</body></html>'),
      }
    case 'bad-json':
      return { ...answer, body: answer.body.subarray(0, Math.floor((answer.body.length * 3) / 4)) }
    case 'endless':
      return rewritten(answer, (text) => rewriteList(text, endless))
    case 'wrong-shape':
      return rewritten(answer, (text) => rewriteList(text, wrongShape))
    case 'rewrite':
      return rewritten(answer, failure.body)
    default:
      return answer
  }
}

function matches({ path, method, page }: Match, query: FaultQuery, answer: SimulatedAnswer): boolean {
  if (path !== undefined && query.path.search(path) === -1) return false
  if (method !== undefined && method !== query.method) return false
  return page === undefined || page === answer.page
}

function rewritten(answer: SimulatedAnswer, rewrite: (text: string) => string): SimulatedAnswer {
  return { ...answer, body: Buffer.from(rewrite(answer.body.toString())) }
}

interface ListData {
  content: unknown
  pagination: Record<string, unknown>
}

function rewriteList(text: string, rewrite: (data: ListData) => ListData): string {
  const envelope: { data?: ListData } = JSON.parse(text)
  return JSON.stringify(
    envelope.data?.pagination === undefined ? envelope : { ...envelope, data: rewrite(envelope.data) },
  )
}

function endless({ content, pagination }: ListData): ListData {
  return { content, pagination: { ...pagination, has_next_page: true, next_page_cursor: pagination.prev_page_cursor } }
}

function wrongShape({ content, pagination }: ListData): ListData {
  return { content: { items: content }, pagination: { ...pagination, has_next_page: 'yes' } }
}
