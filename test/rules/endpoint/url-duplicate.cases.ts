import { anEndpoint, type Cases, endpoints } from '../rule-cases.ts'

const at = (uid: string, url: string | null, status = 'active') => anEndpoint({ url, status }, uid)
const others = ['https://a.example/in', 'https://a.example/In', 'https://a.example/{a}', 'https://a.example/{b}']

export const cases: Cases = {
  'finds an address that two active endpoints have, and reports each': {
    sees: [at('e1', 'https://a.example/in'), at('e2', 'https://a.example/in')],
    finds: ['medium e1/url: same URL as endpoint e2', 'medium e2/url: same URL as endpoint e1'],
  },
  'reports the same in any order': {
    sees: ['e3', 'e1', 'e2'].map((uid) => at(uid, 'https://a.example/in')),
    finds: [
      'medium e3/url: same URL as endpoint e1 and 1 more',
      'medium e1/url: same URL as endpoint e2 and 1 more',
      'medium e2/url: same URL as endpoint e1 and 1 more',
    ],
  },
  'recognises an address in another spelling': {
    sees: [at('e1', 'HTTPS://A.example:443'), at('e2', 'https://a.example/')],
    finds: ['medium e1/url: same URL as endpoint e2', 'medium e2/url: same URL as endpoint e1'],
  },
  'leaves other addresses alone, templates and paths in another case included': {
    sees: others.map((url, index) => at(`e${index}`, url)),
  },
  'leaves endpoints alone that get nothing': {
    sees: [at('e1', 'https://a.example/'), at('e2', 'https://a.example/', 'paused')],
  },
  'leaves one endpoint alone that is seen twice': {
    sees: [at('e1', 'https://a.example/'), at('e1', 'https://a.example/')],
  },
  'is silent where the status is not shown': {
    sees: endpoints({ url: 'https://a.example/' }, { url: 'https://a.example/' }),
  },
  'is silent where the address is not shown': { sees: [at('e1', null), at('e2', null)] },
}
