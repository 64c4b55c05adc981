import { type Cases, endpoints, endpointsAt } from '../rule-cases.ts'

/** Each address with the host that the finding names. */
const ofTheGateway = {
  'https://127.0.0.1/': '127.0.0.1',
  'https://2130706433/': '127.0.0.1',
  'https://[::1]/': '::1',
  'https://[::ffff:127.0.0.1]/': '::ffff:7f00:1',
  'https://0.0.0.0/': '0.0.0.0',
  'https://LOCALHOST:3000/': 'localhost',
  'https://api.localhost./': 'api.localhost',
}
const ofPrivateNetworks = {
  'https://10.1.2.3/': '10.1.2.3',
  'https://0xac100001/': '172.16.0.1',
  'https://192.168.1.1/': '192.168.1.1',
  'https://100.64.0.1/': '100.64.0.1',
  'https://[fd12::1]/': 'fd12::1',
  'https://[fe80::1]/': 'fe80::1',
  'https://printer.local/': 'printer.local',
  'https://billing.prod.internal/': 'billing.prod.internal',
  'https://billing.default.svc/': 'billing.default.svc',
  'https://billing/': 'billing',
}

export const cases: Cases = {
  'finds addresses of the gateway itself': {
    sees: endpointsAt(...Object.keys(ofTheGateway)),
    finds: Object.values(ofTheGateway).map((host, index) => `high e${index + 1}/url: ${host} is the gateway itself`),
  },
  'finds addresses of private networks': {
    sees: endpointsAt(...Object.keys(ofPrivateNetworks)),
    finds: Object.values(ofPrivateNetworks).map(
      (host, index) => `medium e${index + 1}/url: ${host} is a private address`,
    ),
  },
  'leaves public addresses and names alone, and the metadata service to its own rule': {
    sees: endpointsAt(
      'https://a.example/',
      'https://8.8.8.8/',
      'https://[2001:4860:4860::8888]/',
      'https://10.a.example/',
      'https://{tenant}/',
      'https://169.254.169.254/',
    ),
  },
  'allows the ranges and hosts of the policy': {
    sees: endpointsAt(
      'https://10.1.2.3/',
      'https://[fd12::1]/',
      'https://a.b.internal/',
      'https://billing/',
      'https://192.168.1.1/',
    ),
    options: { allow_ranges: ['10.0.0.0/8', 'fd00::/8'], allow_hosts: ['*.internal', 'billing'] },
    finds: ['medium e5/url: 192.168.1.1 is a private address'],
  },
  'is silent where no address is shown or it does not parse': { sees: endpoints({}, { url: 'http://' }) },
}
