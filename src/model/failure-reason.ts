/** The facts of a failed exchange with a service. Coverage keeps them as one line: its `reason`. */
export interface FailureFacts {
  /** What happened, and what the cause may be; begins with `page 3: ` or `project: ` where that is known. */
  readonly what: string
  /** What was requested, without query and credentials. */
  readonly url: string | null
  /** Where the URL of the service is configured (`describe-place.ts`); null where it is not what to check. */
  readonly urlOrigin: string | null
  /** Where the key is configured, and what may be said of it (`describe-key.ts`). */
  readonly key: string | null
  /** The service's id of the exchange. */
  readonly requestId: string | null
}

/** `what (GET https://…/endpoints, url hookdrift.yaml:4:10, key ${ACME_KEY} at hookdrift.yaml:5:10, request id abc)` */
export function writeReason({ what, url, urlOrigin, key, requestId }: FailureFacts): string {
  const facts = [
    ...(url === null ? [] : [`GET ${url}`]),
    ...(urlOrigin === null ? [] : [`url ${urlOrigin}`]),
    ...(key === null ? [] : [`key ${key}`]),
    ...(requestId === null ? [] : [`request id ${requestId}`]),
  ]
  return facts.length === 0 ? what : `${what} (${facts.join(', ')})`
}

/** Reads back what `writeReason` wrote. A reason of another form is all `what`. */
export function readReason(reason: string): FailureFacts {
  const none = { url: null, urlOrigin: null, key: null, requestId: null }
  const start = reason.lastIndexOf(' (')
  if (start < 0 || !reason.endsWith(')')) return { what: reason, ...none }
  const found: { -readonly [Fact in Exclude<keyof FailureFacts, 'what'>]: FailureFacts[Fact] } = { ...none }
  for (const part of reason.slice(start + 2, -1).split(', ')) {
    if (part.startsWith('GET ')) found.url = part.slice('GET '.length)
    else if (part.startsWith('url ')) found.urlOrigin = part.slice('url '.length)
    else if (part.startsWith('key ')) found.key = part.slice('key '.length)
    else if (part.startsWith('request id ')) found.requestId = part.slice('request id '.length)
    else return { what: reason, ...none }
  }
  return { what: reason.slice(0, start), ...found }
}
