import { describe, expect, it } from 'vitest'
import { type NotifiedSpan, transitionBetween } from '../../src/history/notification-facts.ts'

function span(
  state: NotifiedSpan['state'],
  fromRun: number,
  toRun: number | null,
  message = 'delivers over plain http',
): NotifiedSpan {
  return {
    fingerprint: 'f1',
    rule: 'endpoint/url-not-https',
    severity: 'high',
    kind: 'endpoint',
    uid: 'e1',
    name: 'orders',
    path: '/url',
    message,
    state,
    fromRun,
    toRun,
    resolution: null,
    endedBy: null,
    owner: null,
  }
}

describe('the transition of a violation between two runs', () => {
  it.each<[string, NotifiedSpan[], string]>([
    ['opens for the first time', [span('open', 5, null)], 'never to open'],
    ['is unknown from its first run on', [span('unknown', 5, null)], 'never to unknown'],
    ['is waived from its first run on', [span('waived', 5, null)], 'never to waived'],
    ['is gone', [span('open', 2, 5)], 'open to ended'],
    ['opens again after it was gone', [span('open', 1, 3), span('open', 5, null)], 'ended to open'],
    ['becomes unknown', [span('open', 1, 5), span('unknown', 5, null)], 'open to unknown'],
    ['is waived', [span('open', 1, 5), span('waived', 5, null)], 'open to waived'],
    ['counts again when its waiver ends', [span('waived', 1, 5), span('open', 5, null)], 'waived to open'],
    ['is found again after it was unknown', [span('unknown', 1, 5), span('open', 5, null)], 'unknown to open'],
    ['is gone while it was waived', [span('waived', 1, 5)], 'waived to ended'],
    // Run 4 was not announced: what it changed counts for run 5.
    ['opened in a run without a notification', [span('open', 4, null)], 'never to open'],
    ['ended in a run without a notification', [span('open', 1, 4)], 'open to ended'],
    ['still held in the run before', [span('open', 3, 4)], 'open to ended'],
  ])('is that of one that %s', (_, spans, transition) => {
    const move = transitionBetween('acme/payments', spans, { since: 4, run: 5 })
    expect(`${move?.before} to ${move?.now}`).toBe(transition)
  })

  it.each<[string, NotifiedSpan[]]>([
    ['without any record', []],
    ['that begins after the run', [span('open', 6, null)]],
    ['that stays as it was', [span('open', 1, null)]],
    ['that was rewritten with another message', [span('open', 1, 5), span('open', 5, null, 'another')]],
    ['that ended before', [span('open', 1, 3)]],
    ['that ends only after the run', [span('open', 1, 6)]],
    ['that came and went between two announced runs', [span('open', 4, 5)]],
    [
      'that came back after it was gone for one run that was not announced',
      [span('open', 1, 4), span('open', 5, null)],
    ],
  ])('does not exist for one %s', (_, spans) => {
    expect(transitionBetween('acme/payments', spans, { since: 4, run: 5 })).toBeUndefined()
  })

  it('carries the violation as it is now', () => {
    const spans = [span('open', 1, 5, 'before'), span('unknown', 5, 7, 'now'), span('open', 7, null, 'later')]
    const { state: _, fromRun: __, toRun: ___, ...said } = span('unknown', 5, 7, 'now')
    expect(transitionBetween('acme/payments', spans, { since: 4, run: 5 })).toEqual({
      ...said,
      project: 'acme/payments',
      before: 'open',
      now: 'unknown',
    })
  })
})
