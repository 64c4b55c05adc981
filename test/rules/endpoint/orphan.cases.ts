import { anEndpoint, aSubscription, type Cases } from '../rule-cases.ts'

const endpoint = anEndpoint({})
const delivering = (endpoint_uid: string | null, uid?: string) => aSubscription({ endpoint_uid }, uid)
const finds = ['low e1: no subscription of the project delivers to it']

export const cases: Cases = {
  'finds an endpoint in a project without subscriptions': { sees: [endpoint], finds },
  'finds an endpoint that no subscription delivers to': {
    sees: [endpoint, delivering('e2'), delivering(null, 's2')],
    finds,
  },
  'leaves an endpoint that has one alone': { sees: [endpoint, delivering('e1')] },
  'leaves it alone when the subscription is seen first': { sees: [delivering('e1'), endpoint] },
  'concludes nothing where some subscriptions were not seen': {
    sees: [endpoint],
    unseen: ['subscription'],
  },
}
