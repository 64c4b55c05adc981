import { aSource, aSubscription, type Cases } from '../rule-cases.ts'

const user = (uid: string, source: string | null = 'q1') => aSubscription({ source_uid: source }, uid)
const off = (type: string) => aSource({ type, is_disabled: true })
const open = 'q1/is_disabled: disabled, but events sent to its URL are still accepted'
const consumed = 'q1/is_disabled: disabled, but the events of its queue are still consumed'

export const cases: Cases = {
  'finds a source that is switched off and still delivers, and counts its subscriptions': {
    sees: [off('http'), user('s1'), user('s2'), user('s3', 'q2'), user('s4', null)],
    finds: [`high ${open} and delivered (2 subscriptions)`],
  },
  'counts one': {
    sees: [off('http'), user('s1')],
    finds: [`high ${open} and delivered (1 subscription)`],
  },
  'is milder without subscriptions: nothing is delivered': {
    sees: [off('http')],
    finds: [`low ${open} (no subscription uses it)`],
  },
  'does not count what it did not see': {
    sees: [off('http')],
    unseen: ['subscription'],
    finds: [`high ${open}`],
  },
  'is milder for a queue: its broker decides who may write': {
    sees: [off('pub_sub'), user('s1')],
    finds: [`medium ${consumed} and delivered (1 subscription)`],
  },
  'is milder for a queue without subscriptions, too': {
    sees: [off('pub_sub')],
    finds: [`low ${consumed} (no subscription uses it)`],
  },
  'is silent about types that take no events in any case': {
    sees: [off('rest_api'), user('s1')],
  },
  'leaves a source that is on alone': { sees: [aSource({ type: 'http', is_disabled: false }), user('s1')] },
}
