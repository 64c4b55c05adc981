import { type Cases, endpointsAt } from '../rule-cases.ts'

export const cases: Cases = {
  'finds ports that the policy does not allow': {
    sees: endpointsAt('https://a.example:9000/', 'https://a.example:80/', 'http://a.example:8080/'),
    finds: [
      'info e1/url: port 9000 (policy: 443, 8443)',
      'info e2/url: port 80 (policy: 443, 8443)',
      'info e3/url: port 8080 (policy: 443, 8443)',
    ],
  },
  'leaves usual ports alone, written or implied': {
    sees: endpointsAt(
      'https://a.example/',
      'https://a.example:443/',
      'https://a.example:8443/',
      'http://a.example/',
      'http://a.example:443/',
      'https://a.example:{port}/',
    ),
  },
  'allows the ports of the policy': {
    sees: endpointsAt('https://a.example:9000/', 'https://a.example/'),
    options: { allow_ports: [9000] },
    finds: ['info e2/url: port 443 (policy: 9000)'],
  },
}
