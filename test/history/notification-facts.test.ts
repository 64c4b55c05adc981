import { describe, expect, it } from 'vitest'
import { changeBetween, type NotifiedSpan, transitionBetween } from '../../src/history/notification-facts.ts'

const waiver = JSON.stringify({ owner: 'ana', reason: 'internal', expires: '2026-12-01T00:00:00Z' })

/** One that a waiver accepted when it was last checked. */
function unknownWaived(fromRun: number, toRun: number | null): NotifiedSpan {
  return { ...span('unknown', fromRun, toRun), waiver }
}

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
    waiver: state === 'waived' ? waiver : null,
    fromRun,
    toRun,
    resolution: null,
    ended_by: null,
    owner: null,
  }
}

describe('the transition of a violation between two runs', () => {
  it.each<[string, NotifiedSpan[], string]>([
    ['opens for the first time', [span('open', 5, null)], 'never to open'],
    ['is waived from its first run on', [span('waived', 5, null)], 'never to waived'],
    ['is gone', [span('open', 2, 5)], 'open to ended'],
    ['opens again after it was gone', [span('open', 1, 3), span('open', 5, null)], 'ended to open'],
    ['becomes unknown', [span('open', 1, 5), span('unknown', 5, null)], 'open to unknown'],
    ['is waived', [span('open', 1, 5), span('waived', 5, null)], 'open to waived'],
    ['counts again when its waiver ends', [span('waived', 1, 5), span('open', 5, null)], 'waived to open'],
    ['is found again after it was unknown', [span('unknown', 1, 5), span('open', 5, null)], 'unknown to open'],
    ['counts again after its waiver ended unseen', [unknownWaived(1, 5), span('open', 5, null)], 'waived to open'],
    ['is gone after it was waived and unknown', [unknownWaived(1, 5)], 'waived to ended'],
    ['becomes unknown while it is waived', [span('waived', 1, 5), unknownWaived(5, null)], 'waived to unknown'],
    ['is gone while it was waived', [span('waived', 1, 5)], 'waived to ended'],
    // Run 4 was not announced: what it changed counts for run 5.
    ['opened in a run without a notification', [span('open', 4, null)], 'never to open'],
    ['ended in a run without a notification', [span('open', 1, 4)], 'open to ended'],
    [
      'opened in a run without a notification, and became unknown',
      [span('open', 4, 5), span('unknown', 5, null)],
      'never to open',
    ],
    [
      'opened again in such a run, and became unknown',
      [span('open', 1, 3), span('open', 4, 5), span('unknown', 5, null)],
      'ended to open',
    ],
    [
      'was waived no longer in such a run, and became unknown',
      [unknownWaived(1, 4), span('open', 4, 5), span('unknown', 5, null)],
      'waived to open',
    ],
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
    ['that a waiver accepts before and after it was unknown', [unknownWaived(1, 5), span('waived', 5, null)]],
    ['that was waived and stays unknown', [unknownWaived(1, 5), unknownWaived(5, null)]],
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
    const { state: _, fromRun: __, toRun: ___, waiver: ____, ...said } = span('unknown', 5, 7, 'now')
    expect(transitionBetween('acme/payments', spans, { since: 4, run: 5 })).toEqual({
      ...said,
      project: 'acme/payments',
      before: 'open',
      now: 'unknown',
    })
  })

  it('says how it ended, and by whom', () => {
    const ended_by = { kind: 'acceptance', by: 'ana', reason: 'internal', at: null, configured_at: null } as const
    const ended = { ...span('open', 1, 5), resolution: 'accepted', ended_by: JSON.stringify(ended_by) } as const
    const transition = transitionBetween('acme/payments', [ended], { since: 4, run: 5 })
    expect(transition).toMatchObject({ now: 'ended', resolution: 'accepted', ended_by })
    const fixed = { ...span('open', 1, 5), resolution: 'fixed' } as const
    expect(transitionBetween('acme/payments', [fixed], { since: 4, run: 5 })).toMatchObject({
      resolution: 'fixed',
      ended_by: null,
    })
  })

  it('says nothing of how it ends after the run', () => {
    const ended_by = JSON.stringify({ kind: 'acceptance', by: 'ana', reason: 'r', at: null, configured_at: null })
    const later = { ...span('open', 5, 7), resolution: 'accepted', ended_by } as const
    expect(transitionBetween('acme/payments', [later], { since: 4, run: 5 })).toMatchObject({
      now: 'open',
      resolution: null,
      ended_by: null,
    })
  })
})

describe('the change of a violation between two runs', () => {
  const changed = (spans: readonly NotifiedSpan[]) => changeBetween('acme/payments', spans, { since: 4, run: 5 })

  it.each<[string, NotifiedSpan[], string]>([
    ['another message', [span('open', 1, 5), span('open', 5, null, 'another')], 'high: another'],
    ['another severity', [span('open', 1, 5), { ...span('open', 5, null), severity: 'low' }], 'low: '],
    ['another message in a run that was not announced', [span('open', 1, 4), span('open', 4, null, 'a')], 'high: a'],
    ['another message that ended later', [span('open', 3, 5), span('open', 5, 6, 'another')], 'high: another'],
    [
      'another message, and one more after the run',
      [span('open', 1, 5), span('open', 5, 6, 'another'), span('open', 6, null, 'later')],
      'high: another',
    ],
    [
      'another message after it was unknown',
      [span('unknown', 1, 5), span('open', 5, null, 'another')],
      'high: another',
    ],
    [
      'the last of several messages',
      [span('open', 1, 2, 'first'), span('open', 2, 4), span('open', 4, 5, 'second'), span('open', 5, null, 'third')],
      'high: third',
    ],
  ])('is %s', (_, spans, expected) => {
    const change = changed(spans)
    expect(`${change?.severity}: ${change?.message}`).toContain(expected)
    expect(change?.was).toEqual({ severity: 'high', message: 'delivers over plain http' })
  })

  it.each<[string, NotifiedSpan[]]>([
    ['without any record', []],
    ['that stays as it was', [span('open', 1, null)]],
    ['that was written again with the same message', [span('open', 1, 5), span('open', 5, null)]],
    ['that opens', [span('open', 5, null)]],
    ['that opened in a run that was not announced', [span('open', 4, 5), span('open', 5, null, 'another')]],
    ['that was gone before', [span('open', 1, 3), span('open', 5, null, 'another')]],
    ['that is gone', [span('open', 1, 3), span('open', 3, 5, 'another')]],
    ['that is unknown now', [span('open', 1, 5), span('unknown', 5, null, 'another')]],
    ['that is waived now', [span('open', 1, 5), span('waived', 5, null, 'another')]],
    ['that was waived and unknown', [unknownWaived(1, 5), span('open', 5, null, 'another')]],
    ['that changes only after the run', [span('open', 1, 6), span('open', 6, null, 'another')]],
    ['that begins after the run', [span('open', 6, null, 'another')]],
  ])('does not exist for one %s', (_, spans) => {
    expect(changed(spans)).toBeUndefined()
  })

  it('carries the violation as it is now', () => {
    const now = span('open', 5, null, 'now')
    const { state: _, fromRun: __, toRun: ___, resolution: ____, ended_by: _____, waiver: ______, ...said } = now
    expect(changed([span('open', 1, 5), now])).toEqual({
      ...said,
      project: 'acme/payments',
      was: { severity: 'high', message: 'delivers over plain http' },
    })
  })
})
