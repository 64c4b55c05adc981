import { type Cases, endpointsAt } from '../rule-cases.ts'

export const cases: Cases = {
  'finds public addresses, in any spelling': {
    sees: endpointsAt('https://8.8.8.8/', 'https://134744072/', 'https://[2001:4860:4860::8888]/'),
    finds: [
      'low e1/url: 8.8.8.8 is an IP address, not a host name',
      'low e2/url: 8.8.8.8 is an IP address, not a host name',
      'low e3/url: 2001:4860:4860::8888 is an IP address, not a host name',
    ],
  },
  'leaves names alone, and addresses to the rules that are stricter about them': {
    sees: endpointsAt('https://a.example/', 'https://10.0.0.1/', 'https://127.0.0.1/', 'https://169.254.169.254/'),
  },
}
