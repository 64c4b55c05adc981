import type { CoverageCause, CoverageStatus } from '../../../model/coverage.ts'

// Before schema 10 the history stored sentences only. Nothing else reads them now. A sentence may quote a service, so
// only its beginning, which hookdrift wrote, decides.

/** The cause of an incomplete walk, by its reason. */
export function causeOfReason(status: CoverageStatus, reason: string | null): CoverageCause {
  if (status === 'skipped') return 'not_offered'
  const text = reason ?? ''
  const own = ofHookdrift.find(([start]) => text.startsWith(start))
  if (own !== undefined) return own[1]
  if (status === 'suspect') return text.includes(' are gone at once: believed when') ? 'suspect_loss' : 'unspecified'
  const place = /^(?:project|page \d{1,10}): /.exec(withoutStart(text, unshown))?.[0]
  if (place === undefined) return 'unspecified'
  return causeOfExchange(withoutStart(withoutStart(text, unshown), place))
}

const ofHookdrift: readonly (readonly [string, CoverageCause])[] = [
  ['a bug in hookdrift ended the audit of this project (', 'bug'],
  ['empty, and the service cannot say whose key it is: ', 'unproven'],
  ['the last page is empty although the page before it promised more: ', 'suspect_page'],
]

const unshown = 'empty, and the key could not be shown to belong to the project: '
const stopped = 'stopped before the answer was whole'

function causeOfExchange(what: string): CoverageCause {
  if (what.startsWith(stopped)) return causeOfStop(what.slice(stopped.length))
  if (/^item \d{1,10} belongs to another project/.test(what)) return 'foreign'
  const status = /^(\d{3})(?= |$)/.exec(what)?.[1]
  if (status !== undefined) return causeOfStatus(Number(status), what)
  // All other sentences are about answers that break the contract.
  return exchanges.find(([start]) => what.startsWith(start))?.[1] ?? 'malformed'
}

function causeOfStop(why: string): CoverageCause {
  if (/^: SIG[A-Z]{1,10}$/.test(why)) return 'signal'
  return why.startsWith(': the run_timeout of ') ? 'run_timeout' : 'stopped'
}

function causeOfStatus(status: number, what: string): CoverageCause {
  // Hookdrift's own words end before the quotation of the service.
  const ours = what.split(', the service says "', 1)[0] ?? ''
  if (ours.includes(': the project does not exist, or the key may not see it')) return 'not_found'
  if (ours.includes(': wrong base path?') || ours.includes(': not offered here, or a wrong base path')) {
    return 'not_offered'
  }
  if (status === 401 || status === 403) return 'refused_key'
  if (status === 429) return 'rate_limited'
  return status >= 300 || ours.includes(' instead of ') ? 'http' : 'malformed'
}

const exchanges: readonly (readonly [string, CoverageCause])[] = [
  ['the answer is another project', 'foreign'],
  ['the key holds characters that no header can carry', 'refused_key'],
  ['no whole answer within ', 'timeout'],
  ['no connection in time', 'timeout'],
  ['connection timed out', 'timeout'],
  ['no answer in time', 'timeout'],
  ['the answer stopped midway', 'timeout'],
  ['the certificate of the service is not accepted', 'tls'],
  ['no TLS connection could be made', 'tls'],
  ['the proxy answered ', 'http'],
  ['the proxy closed the connection', 'network'],
  ['the connection failed', 'network'],
  ['connection ', 'network'],
  ['host ', 'network'],
  ['network unreachable', 'network'],
]

function withoutStart(text: string, start: string): string {
  return text.startsWith(start) ? text.slice(start.length) : text
}
