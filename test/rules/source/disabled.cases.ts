import { aSource, aSubscription, type Cases } from '../rule-cases.ts'

const user = (uid: string, source: string | null = 'q1') => aSubscription({ source_uid: source }, uid)

export const cases: Cases = {
  'finds a source that is switched off, and counts its subscriptions': {
    sees: [aSource({ is_disabled: true }), user('s1'), user('s2'), user('s3', 'q2'), user('s4', null)],
    finds: ['medium q1/is_disabled: disabled: its events are refused (2 subscriptions receive nothing from it)'],
  },
  'counts one': {
    sees: [aSource({ is_disabled: true }), user('s1')],
    finds: ['medium q1/is_disabled: disabled: its events are refused (1 subscription receives nothing from it)'],
  },
  'is milder without subscriptions': {
    sees: [aSource({ is_disabled: true })],
    finds: ['low q1/is_disabled: disabled: its events are refused (no subscription uses it)'],
  },
  'does not count what it did not see': {
    sees: [aSource({ is_disabled: true })],
    unseen: ['subscription'],
    finds: ['medium q1/is_disabled: disabled: its events are refused'],
  },
  'leaves a source that is on alone': { sees: [aSource({ is_disabled: false }), user('s1')] },
}
