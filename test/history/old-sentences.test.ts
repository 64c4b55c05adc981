import { describe, expect, it } from 'vitest'
import { causeOfReason } from '../../src/history/sqlite/upgrade/cause-of-reason.ts'
import { codeOfNotice } from '../../src/history/sqlite/upgrade/code-of-notice.ts'
import type { CoverageCause, CoverageStatus } from '../../src/model/coverage.ts'

const stopped = 'stopped before the answer was whole'

describe('the reason of a walk of a run before schema 10 gets its cause', () => {
  it.each<[CoverageStatus, string | null, CoverageCause]>([
    ['partial', `page 2: ${stopped}: SIGTERM`, 'signal'],
    ['failed', `empty, and the key could not be shown to belong to the project: project: ${stopped}: SIGINT`, 'signal'],
    ['partial', `page 1: ${stopped}: the run_timeout of 3600 s is over`, 'run_timeout'],
    ['partial', `page 1: ${stopped}`, 'stopped'],
    ['partial', `page 1: ${stopped}: the run was given up`, 'stopped'],
    ['failed', 'page 1: no whole answer within 30000 ms after 5 tries, the time for tries is spent', 'timeout'],
    ['failed', 'page 1: no connection in time after 5 tries', 'timeout'],
    ['partial', 'page 3: the answer stopped midway after 5 tries', 'timeout'],
    ['failed', 'page 1: connection refused after 5 tries', 'network'],
    ['failed', 'project: host name not found', 'network'],
    ['failed', 'page 1: the proxy closed the connection', 'network'],
    ['failed', 'page 1: the connection failed (EADDRNOTAVAIL)', 'network'],
    ['failed', 'page 1: the proxy answered 407', 'http'],
    ['failed', 'page 1: the certificate of the service is not accepted (CERT_HAS_EXPIRED)', 'tls'],
    [
      'failed',
      'page 1: no TLS connection could be made (EPROTO): is the port right, and the scheme (http or https)?',
      'tls',
    ],
    [
      'failed',
      'page 1: 500 internal server error after 5 tries, the service says "page 1: 401" (request id a/b)',
      'http',
    ],
    ['failed', 'page 1: 418', 'http'],
    [
      'failed',
      'page 1: 302 found, a redirect to a.example that was not followed because it would carry the key away',
      'http',
    ],
    ['failed', 'page 1: 206 partial content instead of 200 ok', 'http'],
    ['partial', 'page 9: 429 too many requests after 5 tries', 'rate_limited'],
    ['failed', 'page 1: 401 unauthorized after 3 tries: the key is wrong, expired or revoked', 'refused_key'],
    ['failed', 'page 1: 403 forbidden: the key is not allowed to do this', 'refused_key'],
    ['failed', 'page 1: the key holds characters that no header can carry', 'refused_key'],
    ['failed', 'page 1: 400 bad request: the project does not exist, or the key may not see it', 'not_found'],
    [
      'failed',
      'page 1: 500 internal server error, the service says "no: the project does not exist, or the key may not see it"',
      'http',
    ],
    ['failed', 'page 1: 404 not found with text/html: not offered here, or a wrong base path', 'not_offered'],
    ['failed', 'page 1: 200 ok with text/html instead of JSON: wrong base path?', 'not_offered'],
    ['skipped', 'page 1: 404 not found with text/plain: not offered here, or a wrong base path', 'not_offered'],
    ['failed', 'page 1: 200 ok with an empty body', 'malformed'],
    ['failed', 'page 1: 200 ok, the JSON breaks off after 5 tries', 'malformed'],
    ['partial', 'page 2: next_page_cursor is no string (request id x)', 'malformed'],
    ['partial', 'page 2: item 3 was listed before in the same walk', 'malformed'],
    ['failed', 'page 1: item 3 belongs to another project: the key is not one for this project', 'foreign'],
    ['failed', 'project: the answer is another project: the key belongs to that one', 'foreign'],
    ['suspect', 'empty, and the service cannot say whose key it is: not believed, however often it comes', 'unproven'],
    ['suspect', '15 of 40 endpoints are gone at once: believed when the next walk misses them too', 'suspect_loss'],
    ['suspect', 'the last page is empty although the page before it promised more: believed when', 'suspect_page'],
    ['failed', 'a bug in hookdrift ended the audit of this project (TypeError): nothing of it was kept', 'bug'],
    ['failed', 'something that no version wrote', 'unspecified'],
    ['failed', null, 'unspecified'],
  ])('%s: %s', (status, reason, cause) => {
    expect(causeOfReason(status, reason)).toBe(cause)
  })
})

describe('a notice of a run before schema 10 gets its code', () => {
  it.each([
    ['the clock went back: this run started at a, but run 3 finished at b', 'clock_went_back'],
    ['the probes a, b did not run: no function that was seen is meant', 'probe_unmatched'],
    ['the probe a did not run: 500 internal server error', 'probe_not_run'],
    ['this run was told to leave the probes out', 'probes_disabled'],
    ['the service shows other fields than before, as after an upgrade (x); nothing was compared', 'fields_changed'],
    ['this hookdrift has another normal form: resources were written anew', 'normal_form_changed'],
    ['the installation key changed: secrets were sealed anew', 'seal_key_changed'],
    ['what was approved was sealed under another installation key: secrets of 2 resources', 'approval_not_compared'],
    ['the custom rule a/b could not judge everything, so its silence means nothing: x', 'custom_rule_failed'],
    ['the rule endpoint/x failed and judged nothing (a bug, please report it): x', 'rule_failed'],
    ['2 endpoints show http_timeout as something other than a whole number (first: a)', 'field_malformed'],
    ['source s is no longer referenced by any subscription; whether it still exists', 'resource_unreferenced'],
    ['something that no version wrote', 'unspecified'],
  ])('%s', (text, code) => {
    expect(codeOfNotice(text)).toBe(code)
  })
})
