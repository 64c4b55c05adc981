import { anEndpoint, aSubscription, type Cases, endpointsAt } from '../rule-cases.ts'

const ordinary = (endpoint_uid: string, name: string) => aSubscription({ endpoint_uid, name }, `s-${name}`)
const discarded = (name: string) => `the URL is a template: ordinary events of the subscription ${name} are discarded`
const alike = (uid: string) =>
  `the URL is a template: dynamic events fail for URLs that endpoint ${uid} matches as well`

export const cases: Cases = {
  'finds a template with a subscription for ordinary events, in the path or in the query': {
    sees: [
      ...endpointsAt('https://a.example/in/{id}', 'https://a.example/in?t={id}'),
      ordinary('e1', 'orders'),
      ordinary('e2', 'refunds'),
    ],
    finds: [`medium e1/url: ${discarded('orders')}`, `medium e2/url: ${discarded('refunds')}`],
  },
  'leaves the subscription alone that a dynamic event makes': {
    sees: [...endpointsAt('https://a.example/in/{id}'), ordinary('e1', 'dynamic-subscription-e1')],
  },
  'finds templates that match the same URL, with any queries': {
    sees: endpointsAt('https://a.example/{a}/in/', 'https://a.example/v{b}-x/in', 'https://a.example/v1-x/{c}?t={d}'),
    finds: [`medium e1/url: ${alike('e2')}`, `medium e2/url: ${alike('e1')}`, `medium e3/url: ${alike('e1')}`],
  },
  'leaves templates alone that match no common URL': {
    sees: endpointsAt(
      'https://a.example/in/{a}',
      'https://b.example/in/{a}',
      'http://a.example/in/{a}',
      'https://a.example/out/{a}',
      'https://a.example/in/{a}/more',
      'https://a.example/x{a}/1',
      'https://a.example/y{a}/1',
    ),
  },
  'leaves a brace alone that begins no name, and addresses without one': {
    sees: [
      ...endpointsAt('https://a.example/{}/{a}', 'https://a.example/in'),
      ordinary('e1', 's'),
      ordinary('e2', 't'),
    ],
  },
  'is silent where no address is shown': { sees: [anEndpoint({}), ordinary('e1', 's')] },
}
