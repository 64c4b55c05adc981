import { anEndpoint, type Cases, changed } from '../rule-cases.ts'

const from = (url: string) => anEndpoint({ url })

export const cases: Cases = {
  'finds another host': {
    compares: [changed(from('https://a.example.com/x'), { url: 'https://b.example.com/x' })],
    finds: ['high e1/url: delivers to b.example.com (was a.example.com)'],
  },
  'leaves another path, port or spelling of the same host alone': {
    compares: [
      changed(from('https://a.example.com/x'), { url: 'https://a.example.com:8443/y' }),
      changed(from('https://a.example.com/x'), { url: 'https://A.EXAMPLE.COM./x' }),
      changed(from('http://127.0.0.1/'), { url: 'http://2130706433/' }),
    ],
  },
  'is silent where one of the two is not an address': {
    compares: [changed(from('https://a.example.com/x'), { url: 'nonsense' })],
  },
}
